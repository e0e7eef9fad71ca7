// A drafter out of the model's own likeliest tokens, beside a slow table and a slow tree.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/riffle.hpp>
#include <riffle/speculative.hpp>

#include "integers.hpp"

namespace riffle_tests::recycled {
namespace {

using namespace riffle;
using ids = std::vector<token_id>;

constexpr std::size_t plenty = std::size_t(-1);

std::vector<token_data> likeliest(const ids& tokens) {
    std::vector<token_data> made;
    for (const token_id token : tokens) made.push_back({token, 0.0f, 0.0f});
    return made;
}
ids tokens_of(const draft& d) { return {d.tokens().begin(), d.tokens().end()}; }
ids line(recycled_tokens& drafter, std::size_t most, const ids& had = {}) {
    draft d;
    for (const token_id token : had) EXPECT_TRUE(d.push(token));
    const std::size_t added = drafter.propose(d, most);
    EXPECT_EQ(d.size(), had.size() + added);
    return tokens_of(d);
}
/// A node is its parent and its token.
using nodes = std::vector<std::pair<std::int32_t, token_id>>;
nodes nodes_of(const draft_tree& tree) {
    nodes all;
    for (std::int32_t n = 0; n < std::int32_t(tree.size()); ++n) all.emplace_back(tree.parent(n), tree.token(n));
    return all;
}
/// The first children of a token, as one sees them in a tree of depth 1.
ids children(recycled_tokens& drafter, token_id token) {
    const std::size_t longest = std::exchange(drafter.longest_draft, 1);
    draft_tree tree;
    EXPECT_EQ(tree.push(draft_tree::root, token), 0);
    drafter.propose(tree, plenty);
    drafter.longest_draft = longest;
    ids found;
    for (std::int32_t c = tree.first_child(0); c >= 0; c = tree.next_sibling(c)) found.push_back(tree.token(c));
    return found;
}

// ---- the slow ones

struct slow {
    std::size_t children = 8, longest = 6;
    std::map<token_id, ids> rows{};
    token_id last = -1;

    void learn(token_id behind, const ids& tokens) {
        if (behind < 0 || behind >= 1 << 20) return;
        ids row = tokens;
        row.insert(row.end(), rows[behind].begin(), rows[behind].end());
        ids& made = rows[behind] = {};
        for (const token_id token : row)
            if (token >= 0 && made.size() < children && std::count(made.begin(), made.end(), token) == 0)
                made.push_back(token);
    }
    void accept(const ids& tokens) {
        for (const token_id token : tokens) {
            if (token < 0) continue;
            learn(last, {token});
            last = token;
        }
    }
    ids line(std::size_t most, ids d) {
        token_id at = d.empty() ? last : d.back();
        for (std::size_t i = 0; i < longest && d.size() < most && !rows[at].empty(); ++i) d.push_back(at = rows[at][0]);
        return d;
    }
    /// Looks at everything that can be added, each time.
    nodes tree(std::size_t most, nodes t) {
        std::vector<std::uint64_t> chances;
        std::vector<std::size_t> levels(t.size(), 0);
        const auto chance_of = [&](std::int32_t n, std::size_t rank) {
            const std::uint64_t of_parent = n < 0 ? std::uint64_t{1} << 60 : chances[std::size_t(n)];
            return of_parent / 8 * 5 / (rank + 1);
        };
        std::map<std::int32_t, std::size_t> siblings;
        for (const auto& node : t) chances.push_back(chance_of(node.first, siblings[node.first]++));
        for (;;) {
            bool found = false;
            std::uint64_t best = 0;
            std::pair<std::int32_t, token_id> made;
            std::size_t level = 0;
            for (std::int32_t n = -1; n < std::int32_t(t.size()); ++n) {
                const std::size_t depth = n < 0 ? 0 : levels[std::size_t(n)];
                const ids& row = rows[n < 0 ? last : t[std::size_t(n)].second];
                for (std::size_t rank = 0; rank < row.size() && depth < longest; ++rank) {
                    if (std::count(t.begin(), t.end(), std::pair(n, row[rank])) > 0) continue;
                    if (found && chance_of(n, rank) <= best) continue;
                    found = true;
                    best = chance_of(n, rank);
                    made = {n, row[rank]};
                    level = depth + 1;
                }
            }
            if (!found || t.size() >= most) return t;
            t.push_back(made);
            chances.push_back(best);
            levels.push_back(level);
        }
    }
};

void expect_no_token_twice(const draft_tree& tree) {
    nodes all = nodes_of(tree);
    std::sort(all.begin(), all.end());
    EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
}

// ---- rows

TEST(RecycledTokens, KeepTheLikeliestBehindEachToken) {
    recycled_tokens drafter;
    drafter.learn(3, likeliest({9, 8, 7, 6, 5, 4, 3, 2, 1, 0}));
    drafter.learn(4, likeliest({1, 2}));
    EXPECT_EQ(children(drafter, 3), (ids{9, 8, 7, 6, 5, 4, 3, 2}));
    EXPECT_EQ(children(drafter, 4), (ids{1, 2}));
    EXPECT_EQ(children(drafter, 0), ids{});
    EXPECT_EQ(children(drafter, 5), ids{});
}

TEST(RecycledTokens, ForgetOlderOnesAsFarAsThereAreNewOnes) {
    recycled_tokens drafter{.children = 4};
    drafter.learn(0, likeliest({1, 2, 3, 4}));
    drafter.learn(0, likeliest({5, 6, 7, 8, 9}));
    EXPECT_EQ(children(drafter, 0), (ids{5, 6, 7, 8}));
    drafter.learn(0, likeliest({7, 1}));
    EXPECT_EQ(children(drafter, 0), (ids{7, 1, 5, 6}));
}

TEST(RecycledTokens, LeaveOutWhatIsNoTokenOrComesTwice) {
    recycled_tokens drafter;
    drafter.learn(0, likeliest({-1, 4, 4, -7, 5, 4}));
    EXPECT_EQ(children(drafter, 0), (ids{4, 5}));
    drafter.learn(0, {});
    drafter.learn(0, likeliest({-1, -2}));
    EXPECT_EQ(children(drafter, 0), (ids{4, 5}));
}

TEST(RecycledTokens, PutFirstWhatTheTextHad) {
    recycled_tokens drafter{.children = 3};
    drafter.learn(0, likeliest({1, 2, 3}));
    drafter.accept(ids{0, 3});
    EXPECT_EQ(children(drafter, 0), (ids{3, 1, 2}));
    drafter.accept(ids{0});
    drafter.accept(ids{-1, 7});
    EXPECT_EQ(children(drafter, 0), (ids{7, 3, 1}));
    EXPECT_EQ(children(drafter, 3), ids{0});
    drafter.learn(0, likeliest({1, 2, 3}));
    EXPECT_EQ(children(drafter, 0), (ids{1, 2, 3}));
}

TEST(RecycledTokens, HaveFrom1To32Children) {
    ids fifty;
    for (token_id t = 0; t < 50; ++t) fifty.push_back(t);
    for (const auto& [given, kept] : std::vector<std::pair<std::size_t, std::size_t>>{
             {0, 1}, {1, 1}, {2, 2}, {31, 31}, {32, 32}, {33, 32}, {100, 32}, {plenty, 32}}) {
        recycled_tokens drafter{.children = given};
        drafter.learn(60, likeliest(fifty));
        EXPECT_EQ(children(drafter, 60), ids(fifty.begin(), fifty.begin() + std::ptrdiff_t(kept))) << given;
    }
}

TEST(RecycledTokens, ForgetTheTableWhereItsWidthChanges) {
    recycled_tokens drafter{.children = 100};
    drafter.accept(ids{0});
    drafter.learn(0, likeliest({1, 2, 3}));
    drafter.children = 32;  // the same
    EXPECT_EQ(children(drafter, 0), (ids{1, 2, 3}));
    drafter.children = 2;
    EXPECT_EQ(line(drafter, 8), ids{});
    drafter.children = 32;
    EXPECT_EQ(line(drafter, 8), ids{});
    drafter.accept(ids{1});  // behind 0, which it still knows to be the last
    EXPECT_EQ(children(drafter, 0), ids{1});
}

TEST(RecycledTokens, HaveNoRowsForIdsThatAreTooLarge) {
    recycled_tokens drafter{.children = 1};
    const token_id bound = 1 << 20, greatest = 2147483647;
    drafter.learn(-1, likeliest({1}));
    drafter.learn(-2147483647 - 1, likeliest({1}));
    drafter.learn(bound, likeliest({1}));
    drafter.learn(greatest, likeliest({1}));
    drafter.learn(bound - 1, {});
    EXPECT_EQ(drafter.bytes(), 0u);
    drafter.accept(ids{bound, 5});
    EXPECT_EQ(drafter.bytes(), 0u);
    EXPECT_EQ(children(drafter, bound), ids{});
    drafter.learn(5, likeliest({greatest}));  // it may be what follows
    EXPECT_EQ(line(drafter, 8), ids{greatest});
    drafter.accept(ids{greatest});
    EXPECT_EQ(line(drafter, 8), ids{});
    drafter.learn(bound - 1, likeliest({5}));
    EXPECT_EQ(children(drafter, bound - 1), ids{5});
    EXPECT_GE(drafter.bytes(), std::size_t{4} << 20);
    EXPECT_LE(drafter.bytes(), (std::size_t{5} << 20) + 65536);
}

TEST(RecycledTokens, AllocateAtOnceForAVocabulary) {
    recycled_tokens drafter;
    ASSERT_TRUE(drafter.reserve(32000));
    const std::size_t reserved = drafter.bytes();
    EXPECT_EQ(reserved, 32000u * 8 * 4);
    for (const token_id behind : {0, 31999, 16000}) drafter.learn(behind, likeliest({1, 2, 3, 4, 5, 6, 7, 8}));
    EXPECT_EQ(drafter.bytes(), reserved);
    EXPECT_EQ(children(drafter, 31999), (ids{1, 2, 3, 4, 5, 6, 7, 8}));
    recycled_tokens large{.children = 1};
    ASSERT_TRUE(large.reserve(plenty));  // as many as there are rows
    EXPECT_EQ(large.bytes(), std::size_t{4} << 20);
}

TEST(RecycledTokens, ForgetAllByReset) {
    recycled_tokens drafter;
    drafter.accept(ids{1, 2, 1});
    EXPECT_EQ(line(drafter, 3), (ids{2, 1, 2}));
    const std::size_t held = drafter.bytes();
    drafter.reset();
    EXPECT_EQ(drafter.bytes(), held);
    EXPECT_EQ(line(drafter, 3), ids{});
    drafter.accept(ids{2});  // not behind the 1 of before
    EXPECT_EQ(children(drafter, 1), ids{});
    EXPECT_EQ(children(drafter, 2), ids{});
    drafter.accept(ids{5, 2});
    EXPECT_EQ(line(drafter, 2), (ids{5, 2}));
}

TEST(RecycledTokens, CanBeMoved) {
    recycled_tokens drafter{.children = 2, .longest_draft = 3};
    drafter.accept(ids{1, 2, 1});
    recycled_tokens other = std::move(drafter);
    EXPECT_EQ(line(other, 8), (ids{2, 1, 2}));
    recycled_tokens third;
    third = std::move(other);
    EXPECT_EQ(line(third, 8), (ids{2, 1, 2}));
}

// ---- lines

TEST(RecycledTokens, DraftTheLikeliestOneBehindTheOther) {
    recycled_tokens drafter{.longest_draft = 4};
    drafter.accept(ids{7});
    drafter.learn(7, likeliest({1, 2}));
    drafter.learn(1, likeliest({3, 2}));
    drafter.learn(3, likeliest({1}));
    EXPECT_EQ(line(drafter, 8), (ids{1, 3, 1, 3}));
    EXPECT_EQ(line(drafter, 3), (ids{1, 3, 1}));
    EXPECT_EQ(line(drafter, 0), ids{});
    drafter.longest_draft = 0;
    EXPECT_EQ(line(drafter, 8), ids{});
    drafter.longest_draft = plenty;
    EXPECT_EQ(line(drafter, 7), (ids{1, 3, 1, 3, 1, 3, 1}));
    drafter.learn(1, likeliest({4}));
    EXPECT_EQ(line(drafter, plenty), (ids{1, 4}));  // nothing is known behind 4
}

TEST(RecycledTokens, GoOnBehindWhatADraftHas) {
    recycled_tokens drafter{.longest_draft = 2};
    drafter.accept(ids{7});
    drafter.learn(7, likeliest({1}));
    drafter.learn(1, likeliest({1}));
    EXPECT_EQ(line(drafter, 8, {5}), ids{5});
    EXPECT_EQ(line(drafter, 8, {5, 7}), (ids{5, 7, 1, 1}));
    EXPECT_EQ(line(drafter, 3, {5, 7}), (ids{5, 7, 1}));
    EXPECT_EQ(line(drafter, 2, {5, 7}), (ids{5, 7}));
    EXPECT_EQ(line(drafter, 1, {5, 7}), (ids{5, 7}));
    EXPECT_EQ(children(drafter, 5), ids{});  // the draft was not learnt
}

// ---- trees

TEST(RecycledTokens, GrowTheLikeliestNodesFirst) {
    // The token behind another by rank: 10 a + r + 1, so that a token spells the ranks on the way to it.
    recycled_tokens drafter;
    for (token_id token = 0; token < 12000; ++token) {
        ids row;
        for (token_id r = 0; r < 8; ++r) row.push_back(10 * token + r + 1);
        drafter.learn(token, likeliest(row));
    }
    drafter.accept(ids{0});
    draft_tree tree;
    EXPECT_EQ(drafter.propose(tree, 80), 80u);
    // By hand, in eighths: 5, then 25/8 behind it, beside 5/2; then 125/64, 25/16, 25/16, 5/3, ...
    ids grown;
    for (std::int32_t n = 0; n < 16; ++n) grown.push_back(tree.token(n));
    EXPECT_EQ(grown, (ids{1, 11, 2, 111, 3, 12, 21, 4, 1111, 13, 31, 5, 112, 121, 211, 6}));
    std::vector<std::size_t> on_level(7), behind_first(8);
    for (std::int32_t n = 0; n < 80; ++n) {
        ++on_level[tree.depth(n)];
        if (tree.depth(n) == 2) ++behind_first[std::size_t(tree.token(n) / 10 - 1)];
    }
    EXPECT_EQ(on_level, (std::vector<std::size_t>{0, 8, 23, 25, 17, 6, 1}));      // the paper's: 8, 21, 25, 15, 8, 3
    EXPECT_EQ(behind_first, (std::vector<std::size_t>{8, 5, 3, 2, 2, 1, 1, 1}));  // the paper's: 8, 4, 3, 2, 1, 1, 1, 1
    expect_no_token_twice(tree);
    draft_tree smaller;  // is the beginning of the larger one
    EXPECT_EQ(drafter.propose(smaller, 16), 16u);
    const nodes all = nodes_of(tree);
    EXPECT_EQ(nodes_of(smaller), nodes(all.begin(), all.begin() + 16));
}

TEST(RecycledTokens, GrowNoDeeperThanTheLongestDraft) {
    recycled_tokens drafter{.children = 2};
    drafter.accept(ids{0, 0});
    drafter.learn(0, likeliest({0, 1}));
    drafter.learn(1, likeliest({0, 1}));
    for (const std::size_t longest : {0u, 1u, 2u, 3u, 6u}) {
        drafter.longest_draft = longest;
        draft_tree tree;
        EXPECT_EQ(drafter.propose(tree, plenty), (std::size_t{2} << longest) - 2);
        for (std::int32_t n = 0; n < std::int32_t(tree.size()); ++n) EXPECT_LE(tree.depth(n), longest);
        expect_no_token_twice(tree);
    }
    draft_tree deep;
    drafter.children = 1;
    drafter.accept(ids{0, 0});
    drafter.longest_draft = plenty;
    EXPECT_EQ(drafter.propose(deep, 300), 300u);  // chances of 0 come up long before
    EXPECT_EQ(deep.depth(299), 300u);
}

TEST(RecycledTokens, GoOnBehindWhatATreeHas) {
    recycled_tokens drafter{.longest_draft = 2};
    drafter.accept(ids{7});
    drafter.learn(7, likeliest({1, 2}));
    drafter.learn(1, likeliest({3}));
    drafter.learn(5, likeliest({6}));
    draft_tree tree;
    EXPECT_EQ(tree.push(draft_tree::root, 4), 0);
    EXPECT_EQ(tree.push(0, 5), 1);
    EXPECT_EQ(tree.push(draft_tree::root, 2), 2);
    EXPECT_EQ(drafter.propose(tree, 3), 0u);
    EXPECT_EQ(drafter.propose(tree, 2), 0u);
    EXPECT_EQ(drafter.propose(tree, 0), 0u);
    EXPECT_EQ(drafter.propose(tree, plenty), 3u);
    EXPECT_EQ(nodes_of(tree), (nodes{{-1, 4}, {0, 5}, {-1, 2}, {-1, 1}, {3, 3}, {1, 6}}));
}

TEST(RecycledTokens, ProposeNothingWhereNothingIsKnown) {
    recycled_tokens drafter;
    draft_tree tree;
    EXPECT_EQ(line(drafter, 8), ids{});
    EXPECT_EQ(drafter.propose(tree, 8), 0u);
    drafter.accept({});
    drafter.accept(ids{-1});
    drafter.accept(ids{4});
    EXPECT_EQ(line(drafter, 8), ids{});
    EXPECT_EQ(drafter.propose(tree, 8), 0u);
    EXPECT_TRUE(tree.empty());
}

TEST(RecycledTokens, AreWhatASlowTableSays) {
    for (std::uint64_t seed = 0; seed < 120; ++seed) {
        integers random(seed);
        const auto tokens = std::int32_t(2 + random.below(30));
        const auto any = [&] {
            ids made(random.below(14));
            for (token_id& token : made) token = random.between(-1, tokens);
            return made;
        };
        slow expected{.children = 1 + random.below(10), .longest = random.below(7)};
        recycled_tokens drafter{.children = expected.children, .longest_draft = expected.longest};
        for (int step = 0; step < 30; ++step) {
            const ids given = any();
            if (random.below(3) == 0) {
                drafter.accept(given);
                expected.accept(given);
            } else {
                const token_id behind = random.between(-1, tokens);
                drafter.learn(behind, likeliest(given));
                expected.learn(behind, given);
            }
            ids had = any();
            had.erase(std::remove(had.begin(), had.end(), -1), had.end());
            if (random.below(2) == 0) had.clear();
            const std::size_t most = random.below(24);
            ASSERT_EQ(line(drafter, most, had), had.size() < most ? expected.line(most, had) : had);

            draft_tree tree;
            nodes there;
            for (std::size_t i = random.below(2) == 0 ? 0 : random.below(8); i-- > 0;) {
                const auto parent = std::int32_t(random.below(std::uint32_t(there.size() + 1))) - 1;
                const token_id token = random.between(0, tokens);
                if (tree.child(parent, token) >= 0) continue;
                ASSERT_EQ(tree.push(parent, token), std::int32_t(there.size()));
                there.emplace_back(parent, token);
            }
            const std::size_t added = drafter.propose(tree, most);
            ASSERT_EQ(nodes_of(tree), expected.tree(most, there)) << seed;
            ASSERT_EQ(tree.size(), there.size() + added);
            expect_no_token_twice(tree);
        }
    }
}

// ---- whole rounds

/// Of 10 tokens: those given are the likeliest, in their order.
std::vector<float> row_with(const ids& tokens) {
    std::vector<float> row(10, -20.0f);
    for (std::size_t i = 0; i < tokens.size(); ++i) row[std::size_t(tokens[i])] = 5.0f - float(i);
    return row;
}
auto likely_tokens() { return top_k{.k = 3} | dist{.seed = 1}; }

TEST(RecycledTokens, LearnAllRowsOfALine) {
    recycled_tokens drafter{.children = 3};
    drafter.accept(ids{7});
    draft proposed;
    for (const token_id token : {1, 2, 3, 2}) ASSERT_TRUE(proposed.push(token));
    const std::vector<std::vector<float>> rows{row_with({1, 4, 5}), row_with({2, 5, 6}), row_with({9, 3, 0}),
                                               row_with({4, 5, 6}), row_with({6, 7, 8})};
    auto likely = likely_tokens();
    auto target = top_k{.k = 1} | greedy{};
    speculator<> verifier;
    const auto row = [&](std::size_t i) { return std::span<const float>(rows[i]); };
    const verified& round = verifier.verify(target, proposed, row);
    ASSERT_EQ(round.accepted, 2u);
    learn_round(drafter, 7, likely, proposed, row, round);
    drafter.accept(round.tokens);
    EXPECT_EQ(children(drafter, 7), (ids{1, 4, 5}));
    EXPECT_EQ(children(drafter, 1), (ids{2, 5, 6}));
    EXPECT_EQ(children(drafter, 3), (ids{4, 5, 6})) << "a refused token's row";
    EXPECT_EQ(children(drafter, 2), (ids{9, 3, 0})) << "where 2 was accepted, and not where it was refused";
}

TEST(RecycledTokens, LearnAllRowsOfATree) {
    recycled_tokens drafter{.children = 3};
    drafter.accept(ids{7});
    draft_tree proposed;
    const auto one = proposed.push(draft_tree::root, 1);  // accepted
    proposed.push(draft_tree::root, 2);                   // refused
    proposed.push(one, 2);                                // accepted
    proposed.push(1, 1);                                  // refused, since what it lies behind is
    const std::vector<std::vector<float>> rows{row_with({1, 2, 3}), row_with({2, 3, 4}), row_with({0, 8, 9}),
                                               row_with({5, 6, 7}), row_with({8, 9, 0})};
    auto target = top_k{.k = 1} | greedy{};
    auto likely = likely_tokens();
    speculator<> verifier;
    const auto row = [&](std::size_t i) { return std::span<const float>(rows[i]); };
    const verified& round = verifier.verify(target, proposed, row);
    ASSERT_EQ(round.accepted, 2u);
    learn_round(drafter, 7, likely, proposed, row, round);
    EXPECT_EQ(children(drafter, 7), (ids{1, 2, 3}));
    EXPECT_EQ(children(drafter, 1), (ids{2, 3, 4}));
    EXPECT_EQ(children(drafter, 2), (ids{5, 6, 7}));
}

TEST(RecycledTokens, LearnNothingFromARoundThatFailed) {
    recycled_tokens drafter{.children = 3};
    drafter.accept(ids{7});
    auto likely = likely_tokens();
    verified failed;
    failed.state = status_code::no_legal_token;
    const std::vector<float> row = row_with({1, 2, 3});
    const auto rows = [&](std::size_t) { return std::span<const float>(row); };
    learn_round(drafter, 7, likely, draft(), rows, failed);
    EXPECT_EQ(children(drafter, 7), ids{});
}

}  // namespace
}  // namespace riffle_tests::recycled
