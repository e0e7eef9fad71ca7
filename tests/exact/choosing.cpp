// weigh and accept_choice under numerics::llama: the law of what llama.cpp's samplers leave, found without drawing; and
// samplers that change while they choose, made to choose a token that came from elsewhere.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/llama_exact.hpp>

#include "chain/choices.hpp"
#include "long_run.hpp"
#include "reference/rows.hpp"
#include "reference/stages.hpp"
#include "reference/variants.hpp"

namespace riffle_tests::exact_choosing {
namespace {

using namespace riffle;
using reference::any_spec;
using exact_chain = basic_dynamic_chain<llama_exact>;

/// The variants of all stages that do not select.
const std::vector<any_spec>& every_stage() {
    static const std::vector<any_spec> all = [] {
        std::vector<any_spec> found;
        const auto add = [&]<class S>(const std::vector<S>& variants) {
            found.insert(found.end(), variants.begin(), variants.end());
        };
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (add(variants_of<std::variant_alternative_t<I + reference::selectors, any_spec>>()), ...);
        }(std::make_index_sequence<std::variant_size_v<any_spec> - reference::selectors>());
        return found;
    }();
    return all;
}
/// Those that learn, and one that draws.
const std::vector<any_spec>& those_that_draw() {
    static const std::vector<any_spec> all{dist{3}, mirostat{5.0f, 0.4f, 60, 3000, 6}, mirostat_v2{5.0f, 0.4f, 7},
                                           adaptive_p{0.3f, 0.8f, 8}};
    return all;
}
template <class Spec>
std::vector<any_spec> list_of(const std::vector<Spec>& variants) {
    return {variants.begin(), variants.end()};
}

constexpr std::array<std::size_t, 8> usual_sizes{1, 6, 31, 31, 256, 256, 700, 3000};

void push_to(exact_chain& c, const any_spec& stage) {
    std::visit([&](const auto& spec) { c.push(spec); }, stage);
}
using line = chain_line<exact_chain, push_to>;

// ---- the law

/// Rows without infinities and NaN, of which llama.cpp's samplers make p that are none.
std::vector<float> ordinary_row(std::size_t number) {
    constexpr std::array shapes{shape::random, shape::peaked, shape::flat, shape::tied, shape::ascending};
    constexpr std::array<std::size_t, 4> sizes{6, 31, 256, 3000};
    return make_row(shapes[number % shapes.size()], sizes[number % sizes.size()], number);
}
/// Of logits that are left in `c`, as doubles; 0 for tokens that are not.
std::vector<double> softmax_of(const candidates& c, std::size_t size) {
    std::vector<double> p(size, 0.0);
    double maximum = -std::numeric_limits<double>::infinity(), total = 0.0;
    for (const auto& token : c) maximum = std::max(maximum, double(token.logit));
    for (const auto& token : c) total += p[std::size_t(token.id)] = std::exp(double(token.logit) - maximum);
    for (double& share : p) share /= total;
    return p;
}
TEST(ExactWeighing, IsTheSoftmaxOfWhatTheStagesLeave) {
    std::size_t number = 0;
    for (const any_spec& stage : every_stage()) {
        const line l({stage, dist{1}});
        if (!l.has_meaning()) continue;
        exact_chain c = l.begin(), without_selector;
        push_to(without_selector, stage);
        without_selector.prompt(short_prompt);
        for (int i = 0; i < 2; ++i) {
            const auto row = ordinary_row(number++);
            auto memory = candidates_of(row);
            candidates left{memory.data(), memory.size(), -1, false};
            without_selector.apply(left);
            without_selector.reset(), without_selector.prompt(short_prompt);
            const weighed law = c.weigh(row);
            bool is_ordinary = left.size > 0;
            for (const auto& token : left) is_ordinary &= std::abs(token.logit) < 1e30f;
            if (!is_ordinary) continue;
            const auto expected = softmax_of(left, row.size());
            ASSERT_GT(law.total(), 0u) << l.what();
            for (std::size_t id = 0; id < row.size(); ++id) {
                const double p = double(law.weight(token_id(id))) / double(law.total());
                ASSERT_NEAR(p, expected[id], 2e-9 + 1e-6 * expected[id]) << "token " << id << ", " << l.what();
            }
        }
    }
}
/// What a sample leaves is what the law listed, with the same shares; and the token is one of them.
TEST(ExactWeighing, ListsWhatASampleLeaves) {
    rows_in_turn rows(1, usual_sizes);
    for (const any_spec& selector : those_that_draw())
        for (const any_spec& ahead :
             {any_spec(temperature{1.2f}), any_spec(top_k{40}), any_spec(top_p{0.9f, 0}), any_spec(min_p{0.05f, 0})}) {
            exact_chain c = line({ahead, selector}).begin();
            for (std::size_t i = 0; i < 12; ++i) {
                const auto row = ordinary_row(i);
                const auto weights = all_weights(c.weigh(row), row.size());
                std::uint64_t total = 0, weighing = 0, left = 0;
                for (const std::uint64_t w : weights) total += w, weighing += w > 0;
                const token_id token = c.sample(row);
                ASSERT_GE(token, 0);
                const auto survivors = c.survivors();
                for (const auto& one : survivors) left += one.p > 0.0f;
                if (survivors.size() == 1 && weighing > 1) continue;  // drawn from the row
                ASSERT_EQ(left, weighing) << reference::describe(selector);
                for (const auto& one : survivors)
                    ASSERT_EQ(one.p, float(double(weights[std::size_t(one.id)]) / double(total)))
                        << "token " << one.id << ", " << reference::describe(selector);
            }
        }
}
TEST(ExactWeighing, FirstOfTheDistributionAreTheFirstOfAll) {
    rows_in_turn rows(2, usual_sizes);
    for (const any_spec& selector : every_selector())
        for (const any_spec& ahead : {any_spec(temperature{1.2f}), any_spec(top_k{40}), any_spec(top_p{0.9f, 0})}) {
            exact_chain c = line({ahead, selector}).begin();
            for (std::size_t i = 0; i < 2 * all_shapes.size(); ++i) {
                const auto row = rows.next();
                const auto found = c.distribution(row);
                const std::vector<token_data> all(found.begin(), found.end());
                for (const std::size_t n : {0u, 1u, 4u, 300u, 5000u}) {
                    const auto first = c.distribution(row, n);
                    ASSERT_EQ(first.size(), std::min(n, all.size())) << rows.what() << reference::describe(selector);
                    for (std::size_t j = 0; j < first.size(); ++j) {
                        ASSERT_EQ(first[j].id, all[j].id) << rows.what() << reference::describe(selector);
                        ASSERT_EQ(first[j].p, all[j].p) << rows.what() << reference::describe(selector);
                    }
                }
                const weighed law = c.weigh(row);
                EXPECT_EQ(bool(law), !all.empty()) << rows.what();
                for (const token_data& token : all)
                    ASSERT_EQ(token.p, law.p(token.id)) << rows.what() << reference::describe(selector);
            }
        }
}
template <class Chain>
void expect_weigh_changes_nothing(Chain looking, Chain plain, const std::string& what) {
    rows_in_turn rows(3, usual_sizes);
    for (std::size_t i = 0; i < 3 * all_shapes.size(); ++i) {
        const auto row = rows.next(), other = rows.next();
        const checkpoint before = looking.mark();
        const step last = looking.last_step();
        const std::uint64_t rows_before = looking.replays().rows, replays_before = looking.replays().replays;
        looking.weigh(other);
        const weighed law = looking.weigh(row);
        const bool has_law = bool(law);
        ASSERT_TRUE(same_place(looking.mark(), before)) << rows.what() << what;
        ASSERT_TRUE(same_step(looking.last_step(), last)) << rows.what() << what;
        ASSERT_EQ(looking.replays().rows, rows_before);
        ASSERT_EQ(looking.replays().replays, replays_before);
        const status of_law = looking.last_status();
        const token_id token = looking.peek(row);
        ASSERT_EQ(plain.peek(row), token) << rows.what() << what;
        ASSERT_EQ(has_law, token >= 0) << rows.what() << what;
        ASSERT_TRUE(same_status(looking.last_status(), of_law)) << rows.what() << what;
        looking.weigh(other);  // between a step and its acceptance
        if (i % 3 == 0 && token >= 0) {
            ASSERT_TRUE(same_step(looking.accept(token), plain.accept(token))) << rows.what() << what;
        } else {
            ASSERT_EQ(looking.sample(row), plain.sample(row)) << rows.what() << what;
        }
        ASSERT_TRUE(same_place(looking.mark(), plain.mark())) << rows.what() << what;
        ASSERT_EQ(looking.replays().rows, plain.replays().rows);
        ASSERT_EQ(looking.replays().replays, plain.replays().replays);
    }
}
TEST(ExactWeighing, ChangesNothing) {
    for (const any_spec& selector : every_selector()) {
        const line l({penalties{64, 1.3f, 0.1f, 0.0f}, temperature{1.4f}, xtc{0.5f, 0.02f, 0, 3}, selector});
        expect_weigh_changes_nothing(l.begin(), l.begin(), l.what());
        const line plain({temperature{1.4f}, selector});
        expect_weigh_changes_nothing(plain.begin(), plain.begin(), plain.what());
    }
    const auto typed = [] {
        return chain<llama_exact>(top_n_sigma{3.0f}, xtc{0.5f, 0.02f, 0, 3}, adaptive_p{0.3f, 0.8f, 8});
    };
    expect_weigh_changes_nothing(typed(), typed(), "typed");
    expect_weigh_changes_nothing(any_pipeline(typed()), any_pipeline(typed()), "hidden");
}

// ---- choices that are samples

template <class Sampling, class Choosing>
void expect_choices_are_samples(Sampling sampling, Choosing choosing, rows_in_turn& rows, std::size_t steps,
                                const std::string& what) {
    for (std::size_t i = 0; i < steps; ++i) {
        const auto row = rows.next();
        const token_id token = sampling.sample(row);
        const weighed law = choosing.weigh(row);
        ASSERT_EQ(bool(law), token >= 0) << rows.what() << ", " << what;
        if (token < 0 || law.weight(token) == 0) {  // or too unlikely for a weight
            ASSERT_EQ(choosing.sample(row), token) << rows.what() << ", " << what;
        } else {
            const step taken = choosing.accept_choice(token);
            ASSERT_TRUE(same_step(taken, sampling.last_step())) << rows.what() << ", " << what;
            ASSERT_TRUE(same_step(choosing.last_step(), sampling.last_step())) << rows.what() << ", " << what;
        }
        ASSERT_TRUE(same_place(choosing.mark(), sampling.mark())) << rows.what() << ", " << what;
        ASSERT_EQ(choosing.replays().rows, sampling.replays().rows) << rows.what() << ", " << what;
        ASSERT_EQ(choosing.replays().replays, sampling.replays().replays) << rows.what() << ", " << what;
    }
    const auto row = make_row(shape::random, 256, 1);
    for (int i = 0; i < 3; ++i) ASSERT_EQ(choosing.sample(row), sampling.sample(row)) << what;
    ASSERT_TRUE(same_place(choosing.mark(), sampling.mark())) << what;
    if (choosing.mark().position < 2) return;
    ASSERT_TRUE(choosing.rewind(2));
    ASSERT_TRUE(sampling.rewind(2));
    ASSERT_TRUE(same_place(choosing.mark(), sampling.mark())) << what;
}
TEST(ExactChoosing, WhatTheChainWouldSampleIsASample) {
    rows_in_turn rows(4, usual_sizes);
    for (const any_spec& stage : every_stage())
        for (const any_spec& selector : every_selector()) {
            const line l({stage, selector});
            if (!l.has_meaning()) continue;
            expect_choices_are_samples(l.begin(), l.begin(), rows, 3, l.what());
            if (testing::Test::HasFailure()) return;
        }
}
template <class Spec>
void expect_selectors_choices_are_samples(rows_in_turn& rows) {
    for (const any_spec& selector : list_of(variants_of<Spec>()))
        for (const any_spec& ahead :
             {any_spec(temperature{1.5f}), any_spec(top_k{40}), any_spec(xtc{0.5f, 0.02f, 0, 5})}) {
            const line l({ahead, selector});
            if (!l.has_meaning()) continue;
            expect_choices_are_samples(l.begin(), l.begin(), rows, 8, l.what());
            if (testing::Test::HasFailure()) return;
        }
}
TEST(ExactChoosing, WhatEverySelectorWouldSampleIsASample) {
    rows_in_turn rows(5, usual_sizes);
    expect_selectors_choices_are_samples<dist>(rows);
    expect_selectors_choices_are_samples<gumbel>(rows);
    expect_selectors_choices_are_samples<skew>(rows);
    expect_selectors_choices_are_samples<mirostat>(rows);
    expect_selectors_choices_are_samples<mirostat_v2>(rows);
    expect_selectors_choices_are_samples<adaptive_p>(rows);
}

TEST(ExactChoosing, AnotherTokenIsTheSampleOfAnotherSeed) {
    rows_in_turn rows(6, usual_sizes);
    for (const any_spec& stage : every_stage())
        for (const any_spec& selector : those_that_draw()) {
            const line l({stage, selector});
            if (!l.has_meaning()) continue;
            expect_others_choices(l, rows, 2, false);
            if (testing::Test::HasFailure()) return;
        }
}
template <class Spec>
void expect_selectors_others_choices(rows_in_turn& rows) {
    for (const any_spec& selector : list_of(variants_of<Spec>()))
        for (const any_spec& ahead :
             {any_spec(temperature{1.5f}), any_spec(top_k{40}), any_spec(xtc{0.5f, 0.02f, 0, 5})}) {
            const line l({ahead, selector});
            if (l.has_meaning()) expect_others_choices(l, rows, 6, false);
            if (testing::Test::HasFailure()) return;
        }
}
TEST(ExactChoosing, AnotherTokenOfEverySelectorIsTheSampleOfAnotherSeed) {
    rows_in_turn rows(7, usual_sizes);
    expect_selectors_others_choices<dist>(rows);
    expect_selectors_others_choices<mirostat>(rows);
    expect_selectors_others_choices<mirostat_v2>(rows);
    expect_selectors_others_choices<adaptive_p>(rows);
}

TEST(ExactChoosing, OfRandomChains) {
    rows_in_turn rows(10, usual_sizes);
    random_integers random(10);
    const auto any_of = [&](const std::vector<any_spec>& all) { return all[random.below(all.size())]; };
    for (std::size_t n = how_many(200, 100000, "random chains of llama.cpp's samplers"); n > 0; --n) {
        std::vector<any_spec> stages;
        for (std::size_t i = 2 + random.below(3); i > 0; --i) stages.push_back(any_of(every_stage()));
        stages.push_back(with_seed(any_of(those_that_draw()), random.next()));
        const line l(stages);
        if (!l.has_meaning()) continue;
        expect_choices_are_samples(l.begin(), l.begin(), rows, 4, l.what());
        expect_others_choices(l, rows, 2, false);
        if (testing::Test::HasFailure()) return;
    }
}

// ---- what is no choice

template <class Event>
void expect_accepted_behind(const char* name, Event event) {
    for (const any_spec& selector : those_that_draw())
        for (const any_spec& ahead : {any_spec(temperature{1.5f}), any_spec(top_k{20})})
            for (const std::size_t size : {31u, 700u, 3000u}) {
                const line l({ahead, selector});
                const std::string what = std::string(name) + ", " + std::to_string(size) + ": " + l.what();
                const auto row = make_row(shape::flat, size, size);
                exact_chain choosing = l.begin(), plain = l.begin();
                for (int i = 0; i < 2; ++i) choosing.sample(row), plain.sample(row);
                const weighed law = choosing.weigh(row);
                ASSERT_GT(law.total(), 0u) << what;
                const token_id token = law.pick(law.total() / 2);
                event(choosing, row);
                event(plain, row);
                const step taken = choosing.accept_choice(token), expected = plain.accept(token);
                EXPECT_TRUE(same_step(taken, expected)) << what;
                EXPECT_TRUE(same_step(choosing.last_step(), expected)) << what;
                EXPECT_TRUE(same_place(choosing.mark(), plain.mark())) << what;
                EXPECT_EQ(choosing.sample(row), plain.sample(row)) << what;
            }
}
TEST(ExactChoosing, BehindAnythingElseIsAccepting) {
    const auto test = [](const char* name, auto event) { expect_accepted_behind(name, event); };
    each_token_between<exact_chain>(test);
    each_way_back_between<exact_chain>(test);
    each_look_between<exact_chain>(test);
    each_copy_between<exact_chain>(test);
}
TEST(ExactChoosing, WhatWeighsNothingIsAccepting) {
    for (const any_spec& selector : those_that_draw())
        for (const any_spec& ahead : {any_spec(temperature{1.5f}), any_spec(top_k{20})})
            for (const std::size_t size : {31u, 700u, 3000u}) {
                const line l({ahead, selector});
                auto row = make_row(shape::flat, size, size);
                row[7] = -std::numeric_limits<float>::infinity();
                for (const token_id token :
                     {token_id(7), token_id(-1), token_id(size), token_id(size) + 1, token_id(size + 256),
                      std::numeric_limits<token_id>::min(), std::numeric_limits<token_id>::max()}) {
                    exact_chain choosing = l.begin(), plain = l.begin();
                    ASSERT_EQ(choosing.weigh(row).weight(token), 0u) << token;
                    EXPECT_TRUE(same_step(choosing.accept_choice(token), plain.accept(token))) << token;
                    EXPECT_TRUE(same_place(choosing.mark(), plain.mark())) << token << ", " << l.what();
                    EXPECT_EQ(choosing.sample(row), plain.sample(row)) << token << ", " << l.what();
                }
            }
}
/// One draw is pending and another is chosen.
TEST(ExactChoosing, ReplacesWhatAPeekHadDrawn) {
    for (const any_spec& selector : those_that_draw()) {
        const line l({temperature{1.5f}, selector});
        rows_in_turn rows(8, usual_sizes);
        exact_chain sampling = l.begin(), choosing = l.begin();
        for (int i = 0; i < 40; ++i) {
            const auto row = rows.next(), other = rows.next();
            sampling.peek(other), choosing.peek(other);  // which draws
            const token_id token = sampling.sample(row);
            if (token < 0 || choosing.weigh(row).weight(token) == 0) choosing.sample(row);
            else choosing.accept_choice(token);
            ASSERT_TRUE(same_place(choosing.mark(), sampling.mark())) << rows.what() << ", " << l.what();
        }
    }
}
template <class Make>
void expect_one_meaning(Make make) {
    rows_in_turn rows(9, usual_sizes);
    const auto late = [&] {
        exact_chain c;
        const auto stages = make();
        std::apply([&](const auto&... stage) { (c.push(stage), ...); }, stages);
        return c;
    };
    const auto typed = [&] {
        return std::apply([](const auto&... stage) { return chain<llama_exact>(stage...); }, make());
    };
    constexpr std::size_t steps = 2 * all_shapes.size();
    expect_choices_are_samples(typed(), typed(), rows, steps, "typed");
    expect_choices_are_samples(typed(), late(), rows, steps, "put together at run time");
    expect_choices_are_samples(typed(), any_pipeline(typed()), rows, steps, "hidden");
    expect_choices_are_samples(late(), any_pipeline(late()), rows, steps, "hidden, put together at run time");
    expect_choices_are_samples(typed().fork(2), typed().fork(2), rows, steps, "forks");
    expect_choices_are_samples(late().fork(2), any_pipeline(typed()).fork(2), rows, steps, "hidden forks");
    auto begun = typed();
    for (int i = 0; i < 5; ++i) begun.sample(make_row(shape::random, 300, 1));
    auto copy = begun, same = begun;
    expect_choices_are_samples(copy, same, rows, steps, "copies");
}
TEST(ExactChoosing, MeansTheSameWhateverTheTypeOfAChain) {
    expect_one_meaning([] { return std::tuple(temperature{1.5f}, adaptive_p{0.3f, 0.8f, 1}); });
    expect_one_meaning([] { return std::tuple(penalties{64, 1.3f, 0.1f, 0.0f}, top_k{50}, dist{2}); });
    expect_one_meaning([] { return std::tuple(xtc{0.5f, 0.02f, 0, 3}, mirostat{3.0f, 0.3f, 60, 700, 3}); });
    expect_one_meaning([] { return std::tuple(top_p{0.95f, 0}, temperature{1.2f}, mirostat_v2{4.0f, 0.3f, 4}); });
}

}  // namespace
}  // namespace riffle_tests::exact_choosing
