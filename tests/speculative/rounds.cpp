// Rounds that end early, fail, or are taken back.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/llama_exact.hpp>

#include "chain/same_place.hpp"
#include "speculative/each_verifier.hpp"
#include "speculative/engine.hpp"

namespace riffle_tests::speculative_rounds {
namespace {

using namespace riffle;

constexpr std::size_t vocabulary_size = 8;

/// Rows in which one token is all but certain: what follows token i is i + 1.
std::vector<float> row_of(token_id certain) {
    std::vector<float> row(vocabulary_size, 0.0f);
    row[std::size_t(certain) % vocabulary_size] = 60.0f;
    return row;
}
/// Rows behind 0, 1, 2, ... tokens.
std::vector<std::vector<float>> rows_up_to(std::size_t count) {
    std::vector<std::vector<float>> rows;
    for (std::size_t i = 0; i < count; ++i) rows.push_back(row_of(token_id(i)));
    return rows;
}
draft draft_of(std::span<const token_id> tokens) {
    draft proposed;
    for (const token_id token : tokens) proposed.push(token);
    return proposed;
}
const std::vector<token_id> right{0, 1, 2, 3};
/// One type for the rows of all tests, and one for most chains, or all verifiers would be compiled for each of them.
using row_function = std::function<std::span<const float>(std::size_t)>;

std::vector<token_id> tokens_of(const verified& round) { return {round.tokens.begin(), round.tokens.end()}; }

TEST(Rounds, GiveTheAcceptedTokensAndOneMore) {
    each_verifier([](auto verifier) {
        const auto rows = rows_up_to(5);
        const row_function row = [&](std::size_t i) { return std::span(rows[i]); };
        dynamic_chain chain = made_of(penalties{.repeat = 1.0001f}, temperature{1.0f}, dist{});
        const checkpoint begin = chain.mark();
        const verified& all = verifier.verify(chain, draft_of(right), row);
        EXPECT_EQ(tokens_of(all), (std::vector<token_id>{0, 1, 2, 3, 4}));
        EXPECT_EQ(all.accepted, 4u);
        EXPECT_EQ(all.node, 3);
        EXPECT_FALSE(all.finished);
        EXPECT_TRUE(all.state);
        EXPECT_EQ(chain.mark().tokens, 5u);  // the chain has accepted them
        EXPECT_EQ(chain.mark().position, 5u);
        EXPECT_TRUE(chain.rollback(begin));  // and takes them back

        const verified& some = verifier.verify(chain, draft_of(std::vector<token_id>{0, 1, 7, 3}), row);
        EXPECT_EQ(tokens_of(some), (std::vector<token_id>{0, 1, 2}));
        EXPECT_EQ(some.accepted, 2u);
        EXPECT_EQ(some.node, 1);
        EXPECT_TRUE(chain.rollback(begin));

        const verified& none = verifier.verify(chain, draft(), row);
        EXPECT_EQ(tokens_of(none), (std::vector<token_id>{0}));
        EXPECT_EQ(none.accepted, 0u);
        EXPECT_EQ(none.node, draft_tree::root);
    });
}
TEST(Rounds, TakeRowsFromMemory) {
    std::vector<float> memory;
    for (const auto& row : rows_up_to(5)) {
        memory.insert(memory.end(), row.begin(), row.end());
        memory.push_back(99.0f);  // between the rows
    }
    const logit_rows rows(memory.data(), 5, vocabulary_size, vocabulary_size + 1);
    each_verifier([&](auto verifier) {
        dynamic_chain chain = made_of(temperature{1.0f}, dist{});
        EXPECT_EQ(verifier.verify(chain, draft_of(right), rows).accepted, 4u);
    });
}
TEST(Rounds, EndWithATokenThatEndsTheText) {
    const auto rows = rows_up_to(5);
    const row_function row = [&](std::size_t i) { return std::span(rows[i]); };
    const token_id ends[] = {7, 2};
    each_verifier([&](auto verifier) {
        dynamic_chain chain = made_of(temperature{1.0f}, dist{});
        const verified& drafted = verifier.verify(chain, draft_of(right), row, ends);
        EXPECT_EQ(tokens_of(drafted), (std::vector<token_id>{0, 1, 2}));
        EXPECT_EQ(drafted.accepted, 3u);
        EXPECT_TRUE(drafted.finished);
        EXPECT_TRUE(drafted.state);
        EXPECT_EQ(chain.mark().tokens, 3u);
        chain.reset();
        const verified& sampled = verifier.verify(chain, draft_of(std::vector<token_id>{0, 1}), row, ends);
        EXPECT_EQ(tokens_of(sampled), (std::vector<token_id>{0, 1, 2}));
        EXPECT_EQ(sampled.accepted, 2u);
        EXPECT_TRUE(sampled.finished);
    });
}

/// Says that the text is complete with one token, refuses another and asks to go back behind a third.
struct watcher {
    token_id last = -5, refused = -5, rewinds = -5;
    static constexpr const char* name = "watcher";
    void reset() noexcept {}
    void apply(candidates&) const noexcept {}
    step accept(token_id token) noexcept {
        if (token == refused) return step::refusal(status_code::stage_failed);
        step s;
        s.finished = token == last;
        if (token == rewinds) s.rewind = 2;
        return s;
    }
};
TEST(Rounds, EndWhereAStageSaysSo) {
    const auto rows = rows_up_to(5);
    const row_function row = [&](std::size_t i) { return std::span(rows[i]); };
    each_verifier([&](auto verifier) {
        dynamic_chain chain = made_of(watcher{.last = 2}, temperature{1.0f}, dist{});
        const verified& finished = verifier.verify(chain, draft_of(right), row);
        EXPECT_EQ(tokens_of(finished), (std::vector<token_id>{0, 1, 2}));
        EXPECT_TRUE(finished.finished);
        EXPECT_TRUE(chain.last_step().finished);

        chain = made_of(watcher{.rewinds = 2}, temperature{1.0f}, dist{});
        const verified& back = verifier.verify(chain, draft_of(right), row);
        EXPECT_EQ(tokens_of(back), (std::vector<token_id>{0, 1, 2}));
        EXPECT_FALSE(back.finished);
        EXPECT_EQ(chain.last_step().rewind, 2);
        EXPECT_TRUE(chain.rewind(2));
        EXPECT_EQ(chain.mark().tokens, 1u);
    });
}
TEST(Rounds, EndAheadOfATokenThatAStageRefuses) {
    const auto rows = rows_up_to(5);
    const row_function row = [&](std::size_t i) { return std::span(rows[i]); };
    each_verifier([&](auto verifier) {
        dynamic_chain chain = made_of(watcher{.refused = 2}, temperature{1.0f}, dist{});
        const verified& some = verifier.verify(chain, draft_of(right), row);
        EXPECT_EQ(tokens_of(some), (std::vector<token_id>{0, 1}));
        EXPECT_TRUE(some.state);
        EXPECT_FALSE(some.finished);
        const checkpoint behind = chain.mark();
        EXPECT_EQ(behind.tokens, 2u);
        // The next round meets it first.
        const row_function row_of_2 = [&](std::size_t) { return std::span(rows[2]); };
        const verified& none = verifier.verify(chain, draft(), row_of_2);
        EXPECT_TRUE(none.tokens.empty());
        EXPECT_EQ(none.state.code(), status_code::stage_failed);
        EXPECT_TRUE(same_place(chain.mark(), behind));
    });
}
TEST(Rounds, CutADraftAtATokenThatTheRowHasNot) {
    const auto rows = rows_up_to(5);
    const row_function row = [&](std::size_t i) { return std::span(rows[i]); };
    const token_probability law[] = {{1, 0.25f}, {900, 0.75f}};
    each_verifier([&](auto verifier) {
        dynamic_chain chain = made_of(temperature{1.0f}, dist{});
        draft proposed = draft_of(std::vector<token_id>{0});
        proposed.push(900, law);
        proposed.push(2);
        const verified& round = verifier.verify(chain, proposed, row);
        EXPECT_EQ(tokens_of(round), (std::vector<token_id>{0, 1}));
        EXPECT_EQ(round.accepted, 1u);
    });
}

/// What a failed round leaves: nothing, and the chain where it was.
template <class Verifier, class Chain, class Proposed, class Rows>
void expect_failure(Verifier& verifier, Chain& chain, const Proposed& proposed, const Rows& rows, status_code code,
                    const char* what) {
    const checkpoint before_it = chain.mark();
    const verified& round = verifier.verify(chain, proposed, rows);
    EXPECT_EQ(round.state.code(), code) << what << ": " << round.state.message().c_str();
    EXPECT_TRUE(round.tokens.empty()) << what;
    EXPECT_EQ(round.accepted, 0u) << what;
    EXPECT_EQ(round.node, draft_tree::root) << what;
    EXPECT_FALSE(round.finished) << what;
    EXPECT_TRUE(same_place(chain.mark(), before_it)) << what;
}
template <class Chain>
void expect_failures(Chain begun) {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    each_verifier([&](auto verifier) {
        Chain chain = begun;
        for (const token_id token : {3, 1, 2}) chain.accept(token);
        auto rows = rows_up_to(5);
        const row_function row = [&](std::size_t i) { return std::span<const float>(rows[i]); };
        const draft proposed = draft_of(right);

        std::vector<float> memory;
        for (const auto& one : rows) memory.insert(memory.end(), one.begin(), one.end());
        expect_failure(verifier, chain, proposed, logit_rows(memory.data(), 4, vocabulary_size),
                       status_code::invalid_parameter, "too few rows");
        expect_failure(verifier, chain, proposed, logit_rows(nullptr, 5, vocabulary_size), status_code::empty_row,
                       "no rows");
        for (const std::size_t bad : {0u, 2u, 4u}) {
            const auto good = rows[bad];
            rows[bad].clear();
            expect_failure(verifier, chain, proposed, row, status_code::empty_row, "an empty row");
            rows[bad].assign(vocabulary_size, illegal_logit);
            expect_failure(verifier, chain, proposed, row, status_code::no_legal_token, "a masked row");
            rows[bad].assign(vocabulary_size, nan);
            expect_failure(verifier, chain, proposed, row, status_code::no_legal_token, "a row of NaN");
            rows[bad] = good;
        }
        draft long_one;
        for (std::size_t i = 0; i < 128; ++i) long_one.push(token_id(i % vocabulary_size));
        const auto any_row = [&](std::size_t i) { return std::span<const float>(rows[i % 5]); };
        expect_failure(verifier, chain, long_one, any_row, status_code::rewind_too_far, "128 tokens");
        long_one.shorten(127);
        EXPECT_TRUE(verifier.verify(chain, long_one, any_row).state);
    });
}
TEST(Rounds, ThatFailChangeNothing) {
    expect_failures(penalties{.last_n = 4, .repeat = 1.01f} | temperature{1.0f} | dist{});
    expect_failures(chain(mirostat_v2{.tau = 3.0f}));
    expect_failures(temperature{1.0f} | adaptive_p{.target = 1.0f});
    expect_failures(chain<llama_exact>(temperature{1.0f}, mirostat_v2{}));
}
TEST(Rounds, OfAChainWithoutASelectorFail) {
    each_verifier([&](auto verifier) {
        dynamic_chain chain;
        chain.push(top_k{3});
        const auto rows = rows_up_to(5);
        const row_function row = [&](std::size_t i) { return std::span(rows[i]); };
        expect_failure(verifier, chain, draft_of(right), row, status_code::no_selector, "no selector");
        any_pipeline empty;
        EXPECT_EQ(verifier.verify(empty, draft_of(right), row).state.code(), status_code::no_selector);
    });
}
TEST(Rounds, WithNaNAndInfinitiesAreThoseOfSample) {
    auto rows = rows_up_to(3);
    rows[0][5] = std::numeric_limits<float>::quiet_NaN();
    rows[1][1] = std::numeric_limits<float>::infinity();
    each_verifier([&](auto verifier) {
        dynamic_chain chain = made_of(temperature{1.0f}, dist{});
        const row_function row = [&](std::size_t i) { return std::span<const float>(rows[i]); };
        EXPECT_EQ(tokens_of(verifier.verify(chain, draft_of(std::vector<token_id>{0, 1}), row)),
                  (std::vector<token_id>{0, 1, 2}));
    });
}
TEST(Rounds, OfTreesGoDownOnePath) {
    const auto rows = rows_up_to(5);
    draft_tree tree;
    tree.push(draft_tree::root, 5);                          // 0
    const std::int32_t first = tree.push(draft_tree::root, 0);  // 1
    const std::int32_t second = tree.push(first, 1);            // 2
    tree.push(first, 6);                                        // 3
    tree.push(second, 7);                                       // 4
    const row_function row = [&](std::size_t i) { return std::span(rows[tree.depth(std::int32_t(i) - 1)]); };
    const auto expect_path = [&](auto verifier) {
        dynamic_chain chain = made_of(temperature{1.0f}, dist{});
        const verified& round = verifier.verify(chain, tree, row);
        EXPECT_EQ(tokens_of(round), (std::vector<token_id>{0, 1, 2}));
        EXPECT_EQ(round.accepted, 2u);
        EXPECT_EQ(round.node, second);
        const token_id ends[] = {1};
        chain.reset();
        const verified& ended = verifier.verify(chain, tree, row, ends);
        EXPECT_EQ(tokens_of(ended), (std::vector<token_id>{0, 1}));
        EXPECT_TRUE(ended.finished);
        draft_tree deep;
        for (std::int32_t n = -1; n < 127;) n = deep.push(n, 1);
        expect_failure(verifier, chain, deep, row, status_code::rewind_too_far, "128 tokens deep");
        expect_failure(verifier, chain, tree, [](std::size_t) { return std::span<const float>(); },
                       status_code::empty_row, "an empty row");
    };
    expect_path(speculator<match>{});
    expect_path(speculator<rejection>{});
    expect_path(speculator<recursive_rejection>{});
    expect_path(speculator<typical_acceptance>{});
}

TEST(Drafts, RefuseWhatIsNoLaw) {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    draft d;
    draft_tree t;
    using entries = std::vector<token_probability>;
    for (const entries& law :
         {entries{{1, 0.5f}, {2, nan}}, entries{{1, 0.5f}, {2, -0.1f}}, entries{{1, 0.5f}, {1, 0.5f}},
          entries{{2, 0.5f}, {1, 0.2f}, {2, 0.5f}}, entries{{2, 1.0f}}, entries{{1, 0.0f}, {2, 1.0f}},
          entries{{1, 0.5f}, {-2, 0.5f}}, entries{{1, inf}}, entries{{1, 0.0f}}}) {
        EXPECT_FALSE(d.push(1, law));
        EXPECT_LT(t.push(draft_tree::root, 1, law), 0);
    }
    EXPECT_FALSE(d.push(1, entries{}));
    EXPECT_FALSE(d.push(-1));
    EXPECT_LT(t.push(draft_tree::root, -1), 0);
    EXPECT_LT(t.push(0, 1), 0);  // there is no node 0
    EXPECT_LT(t.push(-2, 1), 0);
    EXPECT_TRUE(d.empty());
    EXPECT_TRUE(t.empty());
}
TEST(Drafts, NormaliseLawsAndKeepTheirOrder) {
    draft d;
    const token_probability law[] = {{9, 1.0f}, {2, 2.0f}, {5, 5.0f}, {7, 0.0f}};
    ASSERT_TRUE(d.push(2, law));
    ASSERT_TRUE(d.push(4));
    ASSERT_EQ(d.size(), 2u);
    EXPECT_EQ(d[0], 2);
    EXPECT_EQ(d[1], 4);
    const auto found = d.law(0);
    ASSERT_EQ(found.size(), 4u);
    EXPECT_EQ(found[0].token, 9);
    EXPECT_FLOAT_EQ(found[0].p, 0.125f);
    EXPECT_FLOAT_EQ(found[2].p, 0.625f);
    EXPECT_EQ(found[3].p, 0.0f);
    EXPECT_TRUE(d.law(1).empty());
    const draft copy = d;
    d.clear();
    EXPECT_EQ(copy.size(), 2u);
    EXPECT_EQ(copy.law(0)[1].token, 2);
    draft moved = std::move(d);
    EXPECT_TRUE(moved.empty());
}
TEST(Drafts, OfGreatLawsLoseNothing) {
    // As many tokens as a vocabulary has, of which all but one have a p that a float beside 1 does not show.
    std::vector<token_probability> law(262144);
    for (std::size_t i = 0; i < law.size(); ++i) law[i] = {token_id(law.size() - 1 - i), 1e-30f};
    law[77].p = 1.0f;
    draft d;
    ASSERT_TRUE(d.push(3, law));
    EXPECT_GT(d.weights(0).of_drafted, 0u);
    EXPECT_EQ(d.law(0).size(), law.size());
}
TEST(Drafts, TreesKnowTheirChildren) {
    draft_tree t;
    const auto a = t.push(draft_tree::root, 4), b = t.push(draft_tree::root, 5), c = t.push(a, 6);
    EXPECT_EQ(t.size(), 3u);
    EXPECT_EQ(t.parent(a), draft_tree::root);
    EXPECT_EQ(t.parent(c), a);
    EXPECT_EQ(t.first_child(draft_tree::root), a);
    EXPECT_EQ(t.next_sibling(a), b);
    EXPECT_LT(t.next_sibling(b), 0);
    EXPECT_EQ(t.child(a, 6), c);
    EXPECT_LT(t.child(a, 7), 0);
    EXPECT_EQ(t.depth(c), 2u);
    EXPECT_EQ(t.deepest(), 2u);
    const draft_tree copy = t;
    draft_tree moved = std::move(t);
    EXPECT_EQ(moved.token(c), 6);
    EXPECT_EQ(copy.token(b), 5);
    moved.clear();
    EXPECT_LT(moved.first_child(draft_tree::root), 0);
}

}  // namespace
}  // namespace riffle_tests::speculative_rounds
