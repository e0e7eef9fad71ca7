#include "samplers/chi_square.hpp"
#include "samplers/single.hpp"

// What holds for every selector that draws by probability, however it does.

namespace riffle_tests {
namespace {

using namespace riffle;

template <class Selector>
class SelectorThatDraws : public testing::Test {};
using selectors = testing::Types<dist, gumbel>;
TYPED_TEST_SUITE(SelectorThatDraws, selectors);

TYPED_TEST(SelectorThatDraws, AgreesWithTheReference) {
    using selector = TypeParam;
    for (const selector& variant : variants_of<selector>()) {
        auto c = chain(variant);
        reference::model model{{variant}, {}};
        for (const shape s : all_shapes)
            for (const std::size_t size : sizes_of_a_thousand) {
                c.reset();
                model.now = {};
                expect_chain_agreement(c, model, make_row(s, size, size), name_of(s), 8);
            }
    }
}
TYPED_TEST(SelectorThatDraws, AgreesOnLongRows) {
    using selector = TypeParam;
    for (const shape s : all_shapes) {
        auto c = chain(selector{.seed = 1});
        reference::model model{{selector{.seed = 1}}, {}};
        expect_chain_agreement(c, model, make_row(s, s == shape::flat ? 262144 : 32000, 1), name_of(s),
                               s == shape::flat ? 1 : 3);
    }
}

const std::vector<float>& uneven_row() {
    static const std::vector<float> row{1.0f,  -0.5f, 2.0f,  0.0f,  -infinity, 1.5f,
                                        -3.0f, 2.0f,  -9.0f, 0.25f, 1.0f,      -1.0f};
    return row;
}
constexpr std::size_t draws_each = 20000;

TYPED_TEST(SelectorThatDraws, DrawsByProbabilityFromTheRow) {
    using selector = TypeParam;
    for (const int width : lane_widths()) {
        const at_width forced(width);
        auto c = chain(selector{.seed = 7});
        expect_drawn_from(
            softmax(uneven_row()), draws_each, [&](std::size_t) { return c.sample(uneven_row()); }, "wide");
    }
}
TYPED_TEST(SelectorThatDraws, DrawsByProbabilityFromCandidates) {
    using selector = TypeParam;
    auto c = top_k{.k = 1000} | selector{.seed = 8};
    expect_drawn_from(
        softmax(uneven_row()), draws_each, [&](std::size_t) { return c.sample(uneven_row()); }, "narrow");
    auto alone = chain(selector{.seed = 9});
    expect_drawn_from(
        softmax(uneven_row()), draws_each,
        [&](std::size_t) {
            auto memory = candidates_of(uneven_row());
            std::reverse(memory.begin(), memory.end());
            candidates all{memory.data(), memory.size(), -1, false};
            alone.apply(all);
            const token_id token = all[std::size_t(all.selected)].id;
            alone.accept(token);
            return token;
        },
        "candidates");
}
TYPED_TEST(SelectorThatDraws, DrawsByProbabilityBehindAMap) {
    using selector = TypeParam;
    auto c = temperature{.t = 2.0f} | selector{.seed = 10};
    std::vector<float> halved = uneven_row();
    for (float& l : halved) l *= 0.5f;
    expect_drawn_from(
        softmax(halved), draws_each, [&](std::size_t) { return c.sample(uneven_row()); }, "behind a map");
}
TYPED_TEST(SelectorThatDraws, DrawsByProbabilityUnderFast) {
    using selector = TypeParam;
    for (const int width : lane_widths()) {
        const at_width forced(width);
        auto wide = with<fast>(chain(selector{.seed = 11}));
        expect_drawn_from(
            softmax(uneven_row()), draws_each, [&](std::size_t) { return wide.sample(uneven_row()); }, "fast, wide");
    }
    auto narrow = with<fast>(top_k{.k = 1000} | selector{.seed = 12});
    expect_drawn_from(
        softmax(uneven_row()), draws_each, [&](std::size_t) { return narrow.sample(uneven_row()); }, "fast, narrow");
}
/// Drawn under fast from a row of the chain's own distribution, which the reference numerics give.
template <class Chain>
void expect_fast_draws_from_the_distribution(Chain quick, const std::vector<token_data>& distribution,
                                             const std::vector<float>& row, const char* what) {
    std::vector<double> probabilities(row.size(), 0.0);
    for (const auto& token : distribution) probabilities[std::size_t(token.id)] = double(token.p);
    for (const int width : lane_widths()) {
        const at_width forced(width);
        expect_drawn_from(
            probabilities, draws_each, [&](std::size_t) { return quick.sample(row); }, what);
    }
}
TYPED_TEST(SelectorThatDraws, DrawsByProbabilityUnderFastBehindOtherStages) {
    using selector = TypeParam;
    const auto row = make_row(shape::random, 700, 5);
    const auto expect = [&](auto exact, auto quick, const char* what) {
        const auto distribution = exact.distribution(row);
        expect_fast_draws_from_the_distribution(std::move(quick), {distribution.begin(), distribution.end()}, row,
                                                what);
    };
    const selector last{.seed = 21};
    const temperature hot{.t = 1.7f};
    const top_p nucleus{.p = 0.7f};
    expect(hot | last, with<fast>(hot | last), "temperature");
    expect(hot | nucleus | last, with<fast>(hot | nucleus | last), "temperature, top_p");
    expect(soft_cap{6.0f} | top_n_sigma{1.5f} | last, with<fast>(soft_cap{6.0f} | top_n_sigma{1.5f} | last),
           "soft_cap, top_n_sigma");
    basic_dynamic_chain<fast> dynamic;
    dynamic.push(hot);
    dynamic.push(nucleus);
    dynamic.push(last);
    expect(hot | nucleus | last, std::move(dynamic), "put together at run time");
}
TYPED_TEST(SelectorThatDraws, DrawsByProbabilityFromManyTokens) {
    using selector = TypeParam;
    const auto row = make_row(shape::random, 1500, 3);
    auto c = chain(selector{.seed = 13});
    expect_drawn_from(
        softmax(row), draws_each, [&](std::size_t) { return c.sample(row); }, "many tokens");
    auto quick = with<fast>(chain(selector{.seed = 14}));
    expect_drawn_from(
        softmax(row), draws_each, [&](std::size_t) { return quick.sample(row); }, "many tokens, fast");
}
TYPED_TEST(SelectorThatDraws, SeedsAttemptsAndSequencesAreIndependent) {
    using selector = TypeParam;
    expect_drawn_from(
        softmax(uneven_row()), draws_each, [](std::size_t i) { return chain(selector{.seed = i}).peek(uneven_row()); },
        "seeds");
    auto c = chain(selector{.seed = 15});
    expect_drawn_from(
        softmax(uneven_row()), draws_each,
        [&](std::size_t) {
            c.retry();
            return c.peek(uneven_row());
        },
        "attempts");
    c.reset();
    expect_drawn_from(
        softmax(uneven_row()), draws_each, [&](std::size_t i) { return c.fork(std::uint16_t(i)).peek(uneven_row()); },
        "sequences");
}
TYPED_TEST(SelectorThatDraws, SuccessiveDrawsAreIndependent) {
    using selector = TypeParam;
    // pairs of neighbouring draws from two even tokens: four even cells
    auto c = chain(selector{.seed = 16});
    const std::vector<float> even(2, 0.0f);
    token_id previous = c.sample(even);
    expect_drawn_from(
        std::vector<double>(4, 0.25), draws_each,
        [&](std::size_t) {
            const token_id now = c.sample(even);
            const token_id pair = previous * 2 + now;
            previous = now;
            return pair;
        },
        "pairs");
}
TYPED_TEST(SelectorThatDraws, TheSameSeedGivesTheSameTokens) {
    using selector = TypeParam;
    auto one = chain(selector{.seed = 3}), other = chain(selector{.seed = 3}), different = chain(selector{.seed = 4});
    int equal = 0;
    for (int i = 0; i < 200; ++i) {
        const token_id token = one.sample(uneven_row());
        ASSERT_EQ(other.sample(uneven_row()), token);
        equal += different.sample(uneven_row()) == token;
    }
    EXPECT_LT(equal, 120);
}

}  // namespace
}  // namespace riffle_tests
