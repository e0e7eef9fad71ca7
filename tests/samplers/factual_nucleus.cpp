#include "samplers/single.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<factual_nucleus>() == facts{.keeps_sorted = true, .narrows = narrowing::mass});

TEST(FactualNucleus, AgreesWithTheReference) {
    expect_stage_agrees(variants_of<factual_nucleus>(), sizes_of_a_thousand);
}
TEST(FactualNucleus, AgreesWithTheReferenceOnLongRows) {
    expect_stage_agrees_on_long_rows(variants_of<factual_nucleus>());
}

TEST(FactualNucleus, ShrinksUntilASentenceEnds) {
    const std::vector<float> even(100, 1.0f);
    auto c = factual_nucleus{.p = 0.905f, .decay = 0.5f, .p_min = 0.205f, .resets = {7}} | dist{};
    const auto size_now = [&] {
        c.peek(even);
        return c.survivors().size();
    };
    const auto expect_sizes = [&] {
        for (const std::size_t expected : {91u, 46u, 23u, 21u, 21u}) {  // 0.905, 0.4525, 0.22625, then the least
            EXPECT_EQ(size_now(), expected);
            c.accept(3);
        }
    };
    expect_sizes();
    c.accept(7);
    expect_sizes();
    const auto m = c.mark();
    c.prompt(std::vector<token_id>{3});  // a prompt's token resets too
    EXPECT_EQ(size_now(), 91u);
    c.accept(3);
    EXPECT_EQ(size_now(), 46u);
    c.rewind(1);
    EXPECT_EQ(size_now(), 91u);
    c.rollback(m);
    EXPECT_EQ(size_now(), 21u);
    c.reset();
    expect_sizes();
}
TEST(FactualNucleus, IsTopPWithoutDecay) {
    for (const shape s : all_shapes)
        for (const float p : {-1.0f, 0.0f, 0.3f, 0.95f, 1.0f, 2.0f}) {
            const auto row = make_row(s, 500, 9);
            EXPECT_EQ(survivors_of(factual_nucleus{.p = p, .decay = 1.0f, .p_min = 0.1f, .min_keep = 3}, row),
                      survivors_of(top_p{.p = p, .min_keep = 3}, row))
                << name_of(s) << ", " << p;
        }
}
TEST(FactualNucleus, ALeastShareAboveTheFirstTakesOverAtTheSecondToken) {
    const std::vector<float> even(100, 1.0f);
    for (const float decay : {0.0f, 0.5f, 1.0f}) {
        auto c = factual_nucleus{.p = 0.205f, .decay = decay, .p_min = 0.705f} | dist{};
        for (const std::size_t expected : {21u, 71u, 71u}) {
            c.sample(even);
            EXPECT_EQ(c.survivors().size(), expected) << decay;
        }
    }
}
TEST(FactualNucleus, StaysBehind4096Tokens) {
    const std::vector<float> even(50000, 1.0f);
    auto c = factual_nucleus{.p = 0.9f, .decay = 0.9999f, .p_min = 0.0f} | dist{};
    auto size_behind = [&, accepted = 0](int tokens) mutable {
        for (; accepted < tokens; ++accepted) c.accept(3);
        return c.distribution(even).size();
    };
    const std::size_t ahead = size_behind(4095), there = size_behind(4096);
    EXPECT_LT(there, ahead);
    EXPECT_EQ(size_behind(4097), there);
    EXPECT_EQ(size_behind(9000), there);
}

/// How many tokens change the share, one product after the other; 4,096 at most.
std::int32_t tokens_that_change(const factual_nucleus& spec) {
    const float decay = spec.decay < 0x1p-126f ? 0.0f : spec.decay, least = spec.p_min > 0.0f ? spec.p_min : 0.0f;
    std::int32_t steps = 0;
    for (float share = spec.p, before = infinity; share > least && share != before && steps < 4096; ++steps) {
        before = share;
        share = before * decay > 0x1p-126f ? before * decay : 0.0f;
    }
    return steps;
}
/// It is found without a step for each, so it may be a few more; near a decay of 1, where products are rounded to
/// themselves in the end, as many as there may be.
TEST(FactualNucleus, LooksBackUntilTheLeastShareIsReached) {
    for (const float decay : {0.0f, 1e-40f, 0x1p-126f, 1e-9f, 0.01f, 0.5f, 0.9f, 0.97f, 0.99f, 0.995f, 0.999f, 0.9999f,
                              0.99999f, 0.999999f, 0.99999994f, 1.0f})
        for (const float p : {1e-40f, 1e-37f, 1e-9f, 0.1f, 0.299f, 0.3001f, 0.5f, 0.9f, 1.0f, 1.5f, 1e9f, 3e38f})
            for (const float p_min : {-infinity, -1.0f, 0.0f, 1e-40f, 1e-30f, 0.09999f, 0.3f, 0.8999f, 1.0f}) {
                const factual_nucleus spec{.p = p, .decay = decay, .p_min = p_min};
                const std::int32_t needed = decay == 1.0f ? 0 : tokens_that_change(spec), found = spec.window();
                EXPECT_GE(found, needed) << reference::describe(spec);
                const std::int32_t most = decay < 0.99999f ? needed + 2 + needed / 16 : 4096;
                EXPECT_LE(found, most) << reference::describe(spec);
            }
    EXPECT_EQ((factual_nucleus{.p = 0.3f, .decay = 0.9f, .p_min = 0.3f}.window()), 0);
    EXPECT_EQ((factual_nucleus{.p = infinity, .decay = 0.0f}.window()), 1);
    EXPECT_LE((factual_nucleus{.p = 0.9f, .decay = 0.9f, .p_min = 0.3f}.window()), 13);  // 11 are needed
}

}  // namespace
}  // namespace riffle_tests
