#include "samplers/chi_square.hpp"
#include "samplers/single.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<gumbel>() == facts{.keeps_sorted = true, .draws = true, .selects = selecting::by_noise});

TEST(Gumbel, AgreesWithTheReference) {
    for (const gumbel& selector : variants_of<gumbel>()) {
        auto c = chain(selector);
        reference::model model{{selector}, {}};
        for (const shape s : all_shapes)
            for (const std::size_t size : sizes_of_a_thousand) {
                c.reset();
                model.now = {};
                expect_chain_agreement(c, model, make_row(s, size, size), name_of(s), 8);
            }
    }
}
TEST(Gumbel, AgreesOnLongRows) {
    for (const shape s : all_shapes) {
        auto c = chain(gumbel{.seed = 1});
        reference::model model{{gumbel{.seed = 1}}, {}};
        expect_chain_agreement(c, model, make_row(s, s == shape::flat ? 262144 : 32000, 1), name_of(s), s == shape::flat ? 1 : 3);
    }
}

const std::vector<float>& uneven_row() {
    static const std::vector<float> row{1.0f, -0.5f, 2.0f, 0.0f, -infinity, 1.5f, -3.0f, 2.0f, -9.0f, 0.25f, 1.0f, -1.0f};
    return row;
}
constexpr std::size_t draws_each = 20000;

TEST(Gumbel, DrawsByProbabilityFromTheRow) {
    for (const int width : lane_widths()) {
        const at_width forced(width);
        auto c = chain(gumbel{.seed = 7});
        expect_drawn_from(softmax(uneven_row()), draws_each, [&](std::size_t) { return c.sample(uneven_row()); }, "wide");
    }
}
TEST(Gumbel, DrawsByProbabilityFromCandidates) {
    auto c = top_k{.k = 1000} | gumbel{.seed = 8};
    expect_drawn_from(softmax(uneven_row()), draws_each, [&](std::size_t) { return c.sample(uneven_row()); }, "narrow");
    auto alone = chain(gumbel{.seed = 9});
    expect_drawn_from(softmax(uneven_row()), draws_each, [&](std::size_t) {
        auto memory = candidates_of(uneven_row());
        std::reverse(memory.begin(), memory.end());
        candidates all{memory.data(), memory.size(), -1, false};
        alone.apply(all);
        const token_id token = all[std::size_t(all.selected)].id;
        alone.accept(token);
        return token;
    }, "candidates");
}
TEST(Gumbel, DrawsByProbabilityBehindAMap) {
    auto c = temperature{.t = 2.0f} | gumbel{.seed = 10};
    std::vector<float> halved = uneven_row();
    for (float& l : halved) l *= 0.5f;
    expect_drawn_from(softmax(halved), draws_each, [&](std::size_t) { return c.sample(uneven_row()); }, "behind a map");
}
TEST(Gumbel, DrawsByProbabilityUnderFast) {
    for (const int width : lane_widths()) {
        const at_width forced(width);
        auto wide = with<fast>(chain(gumbel{.seed = 11}));
        expect_drawn_from(softmax(uneven_row()), draws_each, [&](std::size_t) { return wide.sample(uneven_row()); }, "fast, wide");
    }
    auto narrow = with<fast>(top_k{.k = 1000} | gumbel{.seed = 12});
    expect_drawn_from(softmax(uneven_row()), draws_each, [&](std::size_t) { return narrow.sample(uneven_row()); }, "fast, narrow");
}
TEST(Gumbel, DrawsByProbabilityFromManyTokens) {
    const auto row = make_row(shape::random, 1500, 3);
    auto c = chain(gumbel{.seed = 13});
    expect_drawn_from(softmax(row), draws_each, [&](std::size_t) { return c.sample(row); }, "many tokens");
    auto quick = with<fast>(chain(gumbel{.seed = 14}));
    expect_drawn_from(softmax(row), draws_each, [&](std::size_t) { return quick.sample(row); }, "many tokens, fast");
}
TEST(Gumbel, SeedsAttemptsAndSequencesAreIndependent) {
    expect_drawn_from(softmax(uneven_row()), draws_each, [](std::size_t i) { return chain(gumbel{.seed = i}).peek(uneven_row()); }, "seeds");
    auto c = chain(gumbel{.seed = 15});
    expect_drawn_from(softmax(uneven_row()), draws_each, [&](std::size_t) {
        c.retry();
        return c.peek(uneven_row());
    }, "attempts");
    c.reset();
    expect_drawn_from(softmax(uneven_row()), draws_each, [&](std::size_t i) { return c.fork(std::uint16_t(i)).peek(uneven_row()); }, "sequences");
}
TEST(Gumbel, SuccessiveDrawsAreIndependent) {
    // pairs of neighbouring draws from two even tokens: four even cells
    auto c = chain(gumbel{.seed = 16});
    const std::vector<float> even(2, 0.0f);
    token_id previous = c.sample(even);
    expect_drawn_from(std::vector<double>(4, 0.25), draws_each, [&](std::size_t) {
        const token_id now = c.sample(even);
        const token_id pair = previous * 2 + now;
        previous = now;
        return pair;
    }, "pairs");
}
TEST(Gumbel, TheNoiseOfATokenIsItsOwn) {
    // removing others, or reordering, cannot change which of two tokens wins
    const auto row = make_row(shape::flat, 400, 3);
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const token_id winner = chain(gumbel{.seed = seed}).peek(row);
        auto fewer = row;
        for (std::size_t i = 0; i < fewer.size(); i += 2)
            if (token_id(i) != winner) fewer[i] = -infinity;
        EXPECT_EQ(chain(gumbel{.seed = seed}).peek(fewer), winner);
        EXPECT_EQ(chain(top_k{.k = 400}, gumbel{.seed = seed}).peek(row), winner);
    }
}
TEST(Gumbel, TheSameSeedGivesTheSameTokens) {
    auto one = chain(gumbel{.seed = 3}), other = chain(gumbel{.seed = 3}), different = chain(gumbel{.seed = 4});
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
