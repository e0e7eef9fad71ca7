// A stage whose mask follows from its state: what it leaves legal is asked once a step, as words or ids or all.

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/riffle.hpp>

#include "reference/agreement.hpp"

namespace riffle_tests::chain_legal_tokens {
namespace {

using namespace riffle;

/// Leaves the few ids that follow on what was accepted last: each is `step` behind the one before.
struct follows {
    token_id step = 3;

    static constexpr const char* name = "follows";
    static constexpr facts fact{.masks = true, .keeps_sorted = true, .narrows = narrowing::legal};
    struct state {
        std::array<token_id, 6> ids{0, 1, 2, 3, 4, 5};
        std::uint32_t taken = 0;
    };
    inline static int asked = 0;

    legal_tokens legal_now(const state& kept, const context&) const noexcept {
        ++asked;
        return kept.taken % 4 == 3 ? legal_tokens::all() : legal_tokens::of_ids(kept.ids);
    }
    riffle::step accept(state& kept, token_id token, const last_choice*) const noexcept {
        for (std::size_t i = 0; i < kept.ids.size(); ++i) kept.ids[i] = token + step * token_id(i);
        ++kept.taken;
        return {};
    }
};

/// What the verbs of the stages leave of a row, and choose.
template <class Chain>
token_id staged(Chain& c, std::span<const float> row) {
    auto memory = candidates_of(row);
    candidates all{memory.data(), memory.size(), -1, false};
    return c.apply(all).ok() ? all[std::size_t(all.selected)].id : null_token;
}

template <class Chain>
void expect_fused_as_staged(Chain c) {
    for (const std::size_t size : {4u, 30u, 1000u, 5000u}) {
        c.reset();
        for (int step = 0; step < 9; ++step) {
            const auto row = make_row(shape::random, size, std::uint64_t(step));
            const token_id expected = staged(c, row);
            for (const int width : lane_widths()) {
                const at_width forced(width);
                EXPECT_EQ(c.peek(row), expected) << size << " logits, step " << step;
            }
            c.accept(expected >= 0 ? expected : 0);
        }
    }
}

TEST(LegalTokens, FollowFromTheStateOfAStage) {
    for (const token_id step : {1, 3, 40}) {  // few of a long row, many of a short one, and beyond its end
        expect_fused_as_staged(chain(follows{step}, dist{.seed = 1}));
        expect_fused_as_staged(chain(follows{step}, temperature{0.7f}, top_k{4}, dist{.seed = 2}));
        expect_fused_as_staged(chain(penalties{.repeat = 1.3f}, follows{step}, min_p{0.01f}, dist{.seed = 3}));
        expect_fused_as_staged(chain(top_k{40}, follows{step}, dist{.seed = 4}));
        expect_fused_as_staged(chain(follows{step}, greedy{}));
        expect_fused_as_staged(chain(dynamic_temperature{1.0f, 0.5f}, follows{step}, greedy{}));
    }
    dynamic_chain late;
    late.push(follows{2});
    late.push(temperature{0.8f});
    late.push(dist{.seed = 5});
    expect_fused_as_staged(late);
    expect_fused_as_staged(any_pipeline(late));
}

TEST(LegalTokens, AreAskedForOnceAStep) {
    auto c = chain(follows{}, temperature{0.8f}, min_p{0.05f}, dist{});
    for (const shape s : {shape::random, shape::flat}) {
        const auto row = make_row(s, 5000, 1);
        for (int step = 0; step < 8; ++step) {
            follows::asked = 0;
            c.sample(row);
            EXPECT_EQ(follows::asked, 1) << step;
        }
    }
}

/// A set may have ids that a row has not: those are not counted.
TEST(LegalTokens, BeyondTheRowAreNotCounted) {
    for (const token_id count : {200, 2000}) {  // as ids, and as words
        allowed_tokens allowed;
        for (token_id id = 0; id < count; ++id) allowed.tokens.add(id < 2 ? id : 4000 + id);
        auto c = chain(allowed, greedy{});
        const auto row = make_row(shape::random, 300, 1);
        EXPECT_LT(c.sample(row), 2);
        EXPECT_EQ(c.survivors().size(), 2u) << count;
        get<allowed_tokens>(c).tokens.remove(0);
        get<allowed_tokens>(c).tokens.remove(1);
        EXPECT_EQ(c.sample(row), null_token) << count;
    }
}

TEST(LegalTokens, OfIdsAreGatheredAndOthersHidden) {
    follows few;
    auto c = chain(few, greedy{});
    const std::size_t long_enough = 6 * tuning::row_to_gathered;
    EXPECT_TRUE(c.present_plan(long_enough).has(pass::gather));
    EXPECT_FALSE(c.present_plan(long_enough - 1).has(pass::gather));
    EXPECT_TRUE(c.present_plan(long_enough - 1).has(pass::hide));
}

TEST(LegalTokens, Contain) {
    const std::array<std::uint32_t, 2> words{0x5u, 0x80000000u};
    const auto of_words = legal_tokens::of_words(words);
    for (token_id id = -3; id < 200; ++id) EXPECT_EQ(of_words.contains(id), id == 0 || id == 2 || id == 63) << id;
    const std::array<token_id, 3> ids{1, 5, 90};
    const auto of_ids = legal_tokens::of_ids(ids);
    for (token_id id = -3; id < 200; ++id) EXPECT_EQ(of_ids.contains(id), id == 1 || id == 5 || id == 90) << id;
    EXPECT_TRUE(legal_tokens::all().contains(12));
    EXPECT_FALSE(legal_tokens().contains(0)) << "no words leave nothing";
}

TEST(LegalTokens, ASetKnowsHowManyItHas) {
    token_set set{3, 5, 3, -1};
    EXPECT_EQ(set.size(), 2u);
    set.remove(3);
    set.remove(4);
    EXPECT_EQ(set.size(), 1u);
    token_set taken = std::move(set);
    EXPECT_EQ(taken.size(), 1u);
    set.add(9);
    EXPECT_EQ(set.size(), 1u);
    const allowed_tokens three{{1, 2, 3}};
    EXPECT_EQ(three.legal_now().count, 3u);
}

}  // namespace
}  // namespace riffle_tests::chain_legal_tokens
