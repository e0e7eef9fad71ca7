// A user's own stage by each verb: staged and fused agree at every width, and both with the scalar verb.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/chain/dynamic_chain.hpp>
#include <riffle/riffle.hpp>

#include "chain/own_stages.hpp"
#include "lane_widths.hpp"
#include "reference/agreement.hpp"

namespace riffle_tests::chain_own_stage {
namespace {

using namespace riffle;

constexpr float infinity = std::numeric_limits<float>::infinity();

constexpr std::array<std::size_t, 6> sizes{1, 31, 256, 257, 600, 3000};

/// The row after a user's verb, taken one token at a time.
using scalar_verb = std::function<float(token_id, float)>;

/// `c` is a user's stage and then the stages of `rest`.
void expect_own_stage_of(chain_view c, const reference::model& rest, const scalar_verb& verb) {
    std::uint64_t seed = 0;
    for (const shape s : all_shapes)
        for (const std::size_t size : sizes) {
            const auto row = make_row(s, size, ++seed);
            std::vector<float> changed;
            for (std::size_t i = 0; i < size; ++i) changed.push_back(verb(token_id(i), reference::canonical(row[i])));
            const auto expected = rest.run(changed);

            auto memory = candidates_of(row);
            candidates staged{memory.data(), memory.size(), -1, false};
            c.apply(staged);
            ASSERT_EQ(difference({staged.data, staged.size}, expected.left), "") << name_of(s) << size;
            ASSERT_EQ(staged.selected < 0 ? null_token : staged[std::size_t(staged.selected)].id, expected.token)
                << name_of(s) << size;
            for (const int width : lane_widths()) {
                const at_width forced(width);
                ASSERT_EQ(c.peek(row), expected.token) << name_of(s) << size << ", " << width << " lanes";
                if (expected.token < 0 || c.present_plan(size).has(pass::pick) || c.state().machine().stayed_in_row())
                    continue;
                ASSERT_EQ(difference(c.survivors(), expected.left), "")
                    << name_of(s) << size << ", " << width << " lanes";
            }
        }
}
template <class Chain>
void expect_own_stage(Chain c, const reference::model& rest, const scalar_verb& verb) {
    expect_own_stage_of(view_of(c), rest, verb);
}
/// A map leaves -inf alone and is canonicalised.
template <class Map>
scalar_verb mapped(Map map) {
    return [map](token_id, float l) { return l == reference::minus_infinity ? l : reference::canonical(map(l)); };
}
float plus(float a, float b) { return reference::rounded(a + b); }
float times(float a, float b) { return reference::rounded(a * b); }

template <class Stage>
void expect_own_map(const Stage& stage, const scalar_verb& verb) {
    expect_own_stage(chain(stage, greedy{}), {{greedy{}}, {}}, verb);
    expect_own_stage(chain(stage, dist{3}), {{dist{3}}, {}}, verb);
    expect_own_stage(chain(stage, gumbel{3}), {{gumbel{3}}, {}}, verb);
    expect_own_stage(chain(stage, top_k{20}, dist{4}), {{top_k{20}, dist{4}}, {}}, verb);
    expect_own_stage(chain(stage, top_p{.p = 0.8f}, dist{5}), {{top_p{.p = 0.8f}, dist{5}}, {}}, verb);
    expect_own_stage(chain(stage, min_p{.p = 0.3f}, dist{6}), {{min_p{.p = 0.3f}, dist{6}}, {}}, verb);
    expect_own_stage(chain(stage, top_n_sigma{.n = 1.0f}, dist{7}), {{top_n_sigma{.n = 1.0f}, dist{7}}, {}}, verb);
    dynamic_chain d;
    d.push(stage);
    d.push(temperature{1.25f});
    d.push(dist{8});
    expect_own_stage(d, {{temperature{1.25f}, dist{8}}, {}}, verb);
}

TEST(OwnStage, MapWithoutParametersThatRisesAndFalls) {
    expect_own_map(folded_over{}, mapped([](float x) { return x > 0.0f ? plus(0.0f, -x) : x; }));
}
TEST(OwnStage, MapWithoutParametersThatNeverFalls) {
    expect_own_map(stretched{}, mapped([](float x) { return x > 1.0f ? plus(times(x, 1.7f), -0.7f) : x; }));
}
TEST(OwnStage, MapWithParametersThatNeverFalls) {
    const float scale = reference::rounded(1.0f / 1.3f);
    expect_own_map(centred{}, mapped([=](float x) { return times(plus(x, -0.5f), scale); }));
}
TEST(OwnStage, MapWithParametersThatRisesAndFalls) {
    expect_own_map(bowl{}, mapped([](float x) { return times(plus(x, -0.25f), plus(x, -0.25f)); }));
}
TEST(OwnStage, MapThatMakesInfinitiesAndNaN) {
    expect_own_map(overflowing{}, mapped([](float x) {
                       const float great = times(x, 3e38f);
                       return plus(great, -times(great, 2.0f));
                   }));
}

TEST(OwnStage, EditsAreBiases) {
    const favours stage{{{1, 2.0f}, {4, -infinity}, {4, 1.0f}, {30, 0.5f}, {30, 0.25f}, {-7, 1.0f}, {5000, 1.0f}}};
    const logit_bias same{{{1, 2.0f}, {4, -infinity}, {4, 1.0f}, {30, 0.5f}, {30, 0.25f}}};
    const scalar_verb nothing = [](token_id, float l) { return l; };
    expect_own_stage(chain(stage, dist{1}), {{same, dist{1}}, {}}, nothing);
    expect_own_stage(chain(stage, temperature{1.25f}, top_k{5}, gumbel{1}),
                     {{same, temperature{1.25f}, top_k{5}, gumbel{1}}, {}}, nothing);
    expect_own_stage(chain(temperature{1.25f}, stage, top_k{5}, gumbel{1}),
                     {{temperature{1.25f}, same, top_k{5}, gumbel{1}}, {}}, nothing);
}

TEST(OwnStage, BiasIsAskedForEveryToken) {
    const scalar_verb verb = [](token_id id, float l) {
        return reference::canonical(plus(l, id % 4 == 3 ? 2.0f : 0.0f));
    };
    expect_own_stage(chain(every_fourth{}, greedy{}), {{greedy{}}, {}}, verb);
    expect_own_stage(chain(every_fourth{}, temperature{0.8f}, dist{2}), {{temperature{0.8f}, dist{2}}, {}}, verb);
    expect_own_stage(chain(every_fourth{}, top_p{.p = 0.7f}, dist{2}), {{top_p{.p = 0.7f}, dist{2}}, {}}, verb);
}

TEST(OwnStage, ApplyAheadOfTheBridge) {
    const auto expect = [](auto c, const reference::model& rest) {
        std::uint64_t seed = 100;
        for (const shape s : all_shapes)
            for (const std::size_t size : sizes) {
                const auto row = make_row(s, size, ++seed);
                std::vector<reference::candidate> even;
                for (std::size_t i = 0; i < size; i += 2) even.push_back({token_id(i), row[i]});
                const auto expected = rest.run(even);
                ASSERT_EQ(c.peek(row), expected.token) << name_of(s) << size;
                if (expected.token < 0) continue;
                ASSERT_EQ(difference(c.survivors(), expected.left), "") << name_of(s) << size;
            }
    };
    expect(keep_even{} | top_k{5} | dist{1}, {{top_k{5}, dist{1}}, {}});
    expect(keep_even{} | temperature{1.25f} | top_p{.p = 0.9f} | dist{1},
           {{temperature{1.25f}, top_p{.p = 0.9f}, dist{1}}, {}});
    expect(temperature{1.25f} | keep_even{} | gumbel{1}, {{temperature{1.25f}, gumbel{1}}, {}});
}

TEST(OwnStage, ApplyBehindTheBridge) {
    auto c = top_k{6} | keep_even{} | greedy{};
    EXPECT_EQ(c.sample(std::vector<float>{1, 9, 8, 7, 6, 5, 4, 3, 2}), 2);
    EXPECT_EQ(c.survivors().size(), 3u);
}

TEST(OwnStage, DrawsAreItsStreamOfTheChainsPosition) {
    auto c = top_k{10} | lottery{.seed = 77};
    const auto row = make_row(shape::random, 500, 3);
    reference::draw_place at;
    for (std::uint32_t step = 0; step < 20; ++step) {
        at.position = step;
        auto memory = candidates_of(row);
        candidates staged{memory.data(), memory.size(), -1, false};
        ASSERT_TRUE(c.apply(staged));
        EXPECT_EQ(std::uint64_t(staged.selected), reference::random_bits(at, 77, 64) % 10);
        EXPECT_EQ(c.peek(row), staged[std::size_t(staged.selected)].id);
        c.sample(row);
    }
}

/// The same, and says that all are equally likely.
struct fair_lottery : lottery {
    void prepare(candidates& c) const noexcept {
        c.map_logits([](const auto& logit) { return logit - logit; });
    }
};
TEST(OwnStage, ASelectorMaySayWhichDistributionItDrawsFrom) {
    const auto row = make_row(shape::random, 100, 1);
    auto silent = chain(top_k{.k = 10}, lottery{.seed = 5});
    auto c = chain(top_k{.k = 10}, fair_lottery{{.seed = 5}});
    dynamic_chain late;
    late.push(top_k{.k = 10});
    late.push(fair_lottery{{.seed = 5}});
    EXPECT_GT(silent.distribution(row)[0].p, 0.11f);
    ASSERT_EQ(c.distribution(row).size(), 10u);
    for (const auto& token : c.distribution(row)) EXPECT_EQ(token.p, 0.1f);
    for (const auto& token : late.distribution(row)) EXPECT_EQ(token.p, 0.1f);
    for (const auto& token : c.logprobs(row, 3)) EXPECT_NEAR(double(token.logprob), -std::log(10.0), 1e-6);
    for (int i = 0; i < 10; ++i) {  // and draws as before
        const token_id token = silent.sample(row);
        EXPECT_EQ(c.sample(row), token);
        EXPECT_EQ(late.sample(row), token);
    }
}

/// Takes its numbers from whatever gives them.
struct generic_lottery {
    static constexpr bool selects = true;
    static constexpr bool needs_sorted = true;
    std::uint64_t seed = 0;
    template <class Draws>
    void apply(candidates& c, const Draws& random) const noexcept {
        c.selected = c.empty() ? -1 : std::int64_t(random.bits() % c.size);
    }
};
TEST(OwnStage, MayTakeItsDrawsByTemplate) {
    const auto row = make_row(shape::random, 100, 1);
    auto generic = chain(generic_lottery{.seed = 5});
    auto plain = chain(lottery{.seed = 5});
    for (int i = 0; i < 10; ++i) EXPECT_EQ(generic.sample(row), plain.sample(row));
}
TEST(OwnStage, TheSecondOfAKindHasItsOwnStream) {
    const auto row = make_row(shape::random, 100, 3);
    reference::draw_place at;
    std::vector<float> expected = row;
    for (const std::uint16_t occurrence : {std::uint16_t(0), std::uint16_t(1)}) {
        const auto parity = std::size_t(reference::random_bits(at, 0, 64, 1, occurrence) & 1);
        for (std::size_t i = parity; i < expected.size(); i += 2)
            expected[i] = plus(expected[i], occurrence == 0 ? 3.0f : 5.0f);
    }
    const reference::model drawn{{dist{}}, {}};
    auto typed = chain(temperature{1.0f}, shaken{3.0f}, top_k{0}, shaken{5.0f}, dist{});
    EXPECT_EQ(typed.peek(row), drawn.run(expected).token);
    EXPECT_EQ(difference_in_distribution(typed.distribution(row), drawn.run(expected).left), "");
    dynamic_chain d;
    d.push(shaken{3.0f});
    d.push(temperature{1.0f});
    d.push(shaken{5.0f});
    d.push(dist{});
    EXPECT_EQ(d.peek(row), typed.peek(row));
    EXPECT_EQ(difference_in_distribution(d.distribution(row), drawn.run(expected).left), "");
}

/// Chooses the second candidate.
struct second {
    static constexpr bool selects = true;
    void apply(candidates& c) const noexcept { c.selected = 1; }
};
TEST(OwnStage, WhatItLeavesIsCanonical) {
    struct careless {
        void apply(candidates& c) const noexcept {
            const std::array<float, 4> odd{std::numeric_limits<float>::quiet_NaN(),
                                           std::numeric_limits<float>::infinity(), -0.0f, 1e-40f};
            for (std::size_t i = 0; i < c.size; ++i) c[i].logit = odd[i % odd.size()];
            c.size += 5;  // more than there were
        }
    };
    auto c = chain(careless{}, second{});
    EXPECT_EQ(c.sample(std::vector<float>(8, 1.0f)), 1);
    const auto left = c.survivors();
    ASSERT_EQ(left.size(), 8u);
    EXPECT_EQ(left[0].logit, std::numeric_limits<float>::max());
    EXPECT_EQ(reference::bits_of(left[2].logit), 0u);
    EXPECT_EQ(left[7].logit, reference::minus_infinity);
}

/// Behind a verb that has left every token in its place the passes go on with a row; they do not when it has moved,
/// dropped or sorted them. Neither shows in the token, nor in the distribution.
TEST(OwnStage, WhatItLeavesInPlaceIsARowAgain) {
    enum class way { in_place, reversed, without_last, sorted, illegal, overflowing };
    struct meddler {
        way how;
        void apply(candidates& c) const noexcept {
            for (auto& token : c) token.logit = token.logit * 0.5f + (token.id % 3 == 0 ? 1.0f : 0.0f);
            switch (how) {
            case way::in_place: break;
            case way::reversed: std::reverse(c.begin(), c.end()); break;
            case way::without_last: --c.size; break;
            case way::sorted: c.sort(); break;
            case way::illegal:
                for (auto& token : c)
                    token.logit = token.id % 5 ? std::numeric_limits<float>::quiet_NaN() : token.logit;
                break;
            case way::overflowing:
                for (auto& token : c) token.logit *= 1e38f;
                break;
            }
        }
    };
    for (const way how : {way::in_place, way::reversed, way::without_last, way::sorted, way::illegal, way::overflowing})
        for (const std::size_t size : {std::size_t{1}, std::size_t{300}, std::size_t{5000}})
            at_every_width([&](int) {
                const auto row = make_row(shape::random, size, 11);
                auto c = chain(temperature{0.9f}, meddler{how}, soft_cap{30.0f}, top_p{0.95f}, dist{7});
                auto memory = candidates_of(row);
                candidates staged{memory.data(), memory.size(), -1, false};
                EXPECT_EQ(c.apply(staged).ok(), how != way::without_last || size > 1);
                const token_id expected = staged.selected < 0 ? null_token : staged[std::size_t(staged.selected)].id;
                EXPECT_EQ(c.peek(row), expected) << int(how) << ", " << size;
                EXPECT_FALSE(c.last_status().saw_nan() || c.last_status().saw_infinity());  // those of the row alone
                staged.sort();
                const auto distribution = c.distribution(row);
                ASSERT_EQ(distribution.size(), staged.size) << int(how);
                for (std::size_t i = 0; i < distribution.size(); ++i) {
                    EXPECT_EQ(distribution[i].id, staged[i].id);
                    EXPECT_EQ(reference::bits_of(distribution[i].logit), reference::bits_of(staged[i].logit));
                }
            });
}

/// A bridge ahead of a verb leaves many tokens: it must not be run again with the verb, though the row could go on.
TEST(OwnStage, ABridgeAheadOfAVerbRunsOnce) {
    struct tilt {
        void apply(candidates& c) const noexcept {
            for (auto& token : c) token.logit += token.id % 2 ? 0.125f : 0.0f;
        }
    };
    const auto row = make_row(shape::flat, 30000, 5);
    const auto expect_as_staged = [&](auto c) {
        auto memory = candidates_of(row);
        candidates staged{memory.data(), memory.size(), -1, false};
        ASSERT_TRUE(c.apply(staged).ok());
        ASSERT_GT(staged.size, 4096u);
        const token_id expected = staged[std::size_t(staged.selected)].id;
        at_every_width([&](int) { EXPECT_EQ(c.peek(row), expected); });
        staged.sort();
        const auto distribution = c.distribution(row);
        ASSERT_EQ(distribution.size(), staged.size);
        for (std::size_t i = 0; i < distribution.size(); ++i) EXPECT_EQ(distribution[i].id, staged[i].id);
    };
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        expect_as_staged(chain(top_p{0.9f}, tilt{}, dist{seed}));
        expect_as_staged(chain(min_p{0.5f}, tilt{}, top_p{0.9f}, dist{seed}));
        expect_as_staged(chain(tilt{}, top_p{0.9f}, temperature{0.9f}, dist{seed}));
        expect_as_staged(chain(tilt{}, top_p{0.9f}, tilt{}, top_p{0.9f}, dist{seed}));
    }
}

TEST(OwnStage, AcceptMovesItsStateAndResetClearsIt) {
    auto c = weary{} | greedy{};
    const std::vector<float> row{1.0f, 0.5f, -1.0f};
    EXPECT_EQ(c.sample(row), 0);
    EXPECT_EQ(get<weary>(c).last, 0);
    EXPECT_EQ(c.sample(row), 1);
    EXPECT_EQ(c.sample(row), 0);
    c.prompt(std::vector<token_id>{2, 2, 2});
    EXPECT_EQ(get<weary>(c).repeated, 2);
    c.reset();
    EXPECT_EQ(get<weary>(c).last, null_token);
    EXPECT_EQ(c.sample(row), 0);
}

TEST(OwnStage, PeekAndApplyLeaveItsStateAlone) {
    auto c = weary{} | dist{};
    const auto row = make_row(shape::random, 50, 1);
    c.accept(3);
    const checkpoint before_looking = c.mark();
    c.peek(row);
    c.distribution(row);
    c.logprobs(row, 5);
    auto memory = candidates_of(row);
    candidates staged{memory.data(), memory.size(), -1, false};
    c.apply(staged);
    EXPECT_EQ(before_looking.stages, c.mark().stages);
    EXPECT_EQ(before_looking.prefix_hash, c.mark().prefix_hash);
    EXPECT_EQ(before_looking.position, c.mark().position);
}

TEST(OwnStage, AcceptAnswersAStep) {
    auto c = director{.limit = 3} | greedy{};
    const std::vector<float> row{1.0f, 2.0f};
    EXPECT_EQ(c.sample(row), 1);
    EXPECT_FALSE(c.last_step().finished);
    EXPECT_TRUE(c.last_step().state.ok());
    const step refused = c.accept(1000);
    EXPECT_EQ(refused.state.code(), status_code::stage_failed);
    EXPECT_STREQ(refused.state.message().c_str(), "director: a stage failed, or refused the token");
    EXPECT_EQ(c.last_step().state.code(), status_code::stage_failed);
    EXPECT_EQ(get<director>(c).seen, 1);
    EXPECT_EQ(c.sample(row), 1);
    EXPECT_FALSE(c.last_step().finished);
    EXPECT_EQ(c.sample(row), 1);
    EXPECT_TRUE(c.last_step().finished);
    EXPECT_EQ(c.accept(2000).rewind, 2);
    EXPECT_TRUE(c.rewind(2));
    EXPECT_EQ(get<director>(c).seen, 2);
    EXPECT_EQ(c.prompt(std::vector<token_id>{1, 1000, 1}).code(), status_code::stage_failed);
}

TEST(OwnStage, StepsOfSeveralStagesAreJoined) {
    dynamic_chain d;
    d.push(director{.limit = 1});
    d.push(director{.limit = 9, .unsaid = 5});
    d.push(greedy{});
    EXPECT_TRUE(d.accept(5).finished);
    EXPECT_EQ(d.last_step().rewind, 2);
    auto typed = director{.limit = 9, .unsaid = 5} | director{.limit = 1} | greedy{};
    EXPECT_TRUE(typed.accept(5).finished);
    EXPECT_EQ(typed.last_step().rewind, 2);
}

struct liar : folded_over {
    static constexpr bool monotone = true;
};
TEST(OwnStage, AFalseClaimToBeMonotoneIsCaughtInDebugBuilds) {
    auto c = chain(liar{}, greedy{});
#if RIFFLE_DEBUG
    EXPECT_EQ(c.sample(std::vector<float>{1.0f, 2.0f}), null_token);
    EXPECT_EQ(c.last_status().code(), status_code::not_monotone);
    EXPECT_STREQ(c.last_status().message().c_str(), "stage: the map is claimed to be monotone, but falls");
#else
    EXPECT_NE(c.sample(std::vector<float>{1.0f, 2.0f}), null_token);
#endif
}

}  // namespace
}  // namespace riffle_tests::chain_own_stage
