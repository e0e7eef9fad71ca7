// Drafters of several, out of a user's own and riffle's.

#include <cstddef>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/speculative/drafters/first_of.hpp>
#include <riffle/speculative/drafters/draft_after.hpp>
#include <riffle/speculative/drafters/recycled_tokens.hpp>

namespace riffle_tests::combined_drafters {
namespace {

using namespace riffle;
using ids = std::vector<token_id>;

constexpr std::size_t plenty = std::size_t(-1);

// ---- drafters of a user's

/// Says one token, so many times.
struct parrot {
    token_id token = 0;
    std::size_t times = 1;
    std::size_t read = 0, asked = 0;

    void accept(std::span<const token_id> tokens) { read += tokens.size(); }
    std::size_t propose(draft& d, std::size_t most) {
        ++asked;
        std::size_t added = 0;
        while (added < times && d.size() < most && d.push(token)) ++added;
        return added;
    }
    void reset() { read = 0; }
    std::size_t bytes() const { return times; }
};

/// Counts on behind what there is, in lines and trees. Cannot be copied.
struct counter {
    token_id last = 0;
    std::size_t times = 2;

    counter() = default;
    explicit counter(std::size_t n) : times(n) {}
    counter(counter&&) = default;
    counter& operator=(counter&&) = default;

    void accept(std::span<const token_id> tokens) {
        if (!tokens.empty()) last = tokens.back();
    }
    int propose(draft& d, std::size_t most) {  // any integer will do
        token_id token = d.empty() ? last : d[d.size() - 1];
        int added = 0;
        while (std::size_t(added) < times && d.size() < most && d.push(++token)) ++added;
        return added;
    }
    std::size_t propose(draft_tree& t, std::size_t most) {
        const std::size_t had = t.size();
        auto node = std::int32_t(had) - 1;
        token_id token = had == 0 ? last : t.token(node);
        for (std::size_t i = 0; i < times && t.size() < most; ++i) node = t.push(node, ++token);
        return t.size() - had;
    }
    void reset() { last = 0; }
    unsigned bytes() const { return 100; }
};

/// Learns.
struct listener {
    std::vector<token_id> heard;

    void accept(std::span<const token_id>) {}
    void learn(token_id behind, std::span<const token_data> likeliest) {
        heard.push_back(behind);
        for (const token_data& one : likeliest) heard.push_back(one.id);
    }
    std::size_t propose(draft&, std::size_t) { return 0; }
    void reset() {}
    std::size_t bytes() const { return 0; }
};

struct without_reset {
    void accept(std::span<const token_id>) {}
    std::size_t propose(draft&, std::size_t) { return 0; }
    std::size_t bytes() const { return 0; }
};
struct immovable : parrot {
    immovable() = default;
    immovable(immovable&&) = delete;
};

static_assert(token_drafter<parrot> && token_drafter<counter> && token_drafter<listener> &&
              token_drafter<recycled_tokens>);
static_assert(!token_drafter<int> && !token_drafter<without_reset> && !token_drafter<immovable> &&
              !token_drafter<parrot&>);
static_assert(tree_drafter<counter> && tree_drafter<recycled_tokens> && !tree_drafter<parrot>);
static_assert(learning_drafter<listener> && learning_drafter<recycled_tokens> && !learning_drafter<counter>);

using parrot_or_counter = first_of<parrot, counter>;
using parrot_then_counter = draft_after<parrot, counter>;
static_assert(tree_drafter<parrot_or_counter> && !learning_drafter<parrot_or_counter>);
static_assert(tree_drafter<parrot_then_counter> && !learning_drafter<parrot_then_counter>);
static_assert(!tree_drafter<first_of<parrot, listener>> && learning_drafter<first_of<parrot, listener>>);
static_assert(!tree_drafter<draft_after<listener, parrot>> && learning_drafter<draft_after<listener, parrot>>);
static_assert(token_drafter<first_of<draft_after<parrot, counter>, first_of<counter>>>);
// What has a name has to be moved.
static_assert(std::is_constructible_v<parrot_or_counter, parrot, counter>);
static_assert(!std::is_constructible_v<parrot_or_counter, parrot&, counter>);
static_assert(!std::is_constructible_v<parrot_then_counter, parrot, counter&>);
static_assert(std::is_nothrow_move_constructible_v<first_of<counter, recycled_tokens>>);
static_assert(std::is_nothrow_move_constructible_v<draft_after<counter, recycled_tokens>>);

template <class Drafter>
ids line(Drafter& drafter, std::size_t most, const ids& had = {}) {
    draft d;
    for (const token_id token : had) EXPECT_TRUE(d.push(token));
    const std::size_t added = drafter.propose(d, most);
    EXPECT_EQ(d.size(), had.size() + added);
    return {d.tokens().begin(), d.tokens().end()};
}
template <class Drafter>
ids tree(Drafter& drafter, std::size_t most) {
    draft_tree t;
    const std::size_t added = drafter.propose(t, most);
    EXPECT_EQ(t.size(), added);
    ids tokens;
    for (std::int32_t n = 0; n < std::int32_t(t.size()); ++n) tokens.push_back(t.token(n));
    return tokens;
}

// ---- the first of several

TEST(FirstOf, TakesTheFirstThatAddsSomething) {
    first_of drafter(parrot{.token = 7, .times = 0}, parrot{.token = 8, .times = 2}, parrot{.token = 9, .times = 5});
    EXPECT_EQ(line(drafter, 10), (ids{8, 8}));
    EXPECT_EQ(line(drafter, 1), ids{8});
    EXPECT_EQ(line(drafter, 10, {1}), (ids{1, 8, 8}));
    EXPECT_EQ(std::get<0>(drafter.drafters).asked, 3u);
    EXPECT_EQ(std::get<1>(drafter.drafters).asked, 3u);
    EXPECT_EQ(std::get<2>(drafter.drafters).asked, 0u);
    std::get<1>(drafter.drafters).times = 0;
    EXPECT_EQ(line(drafter, 4), (ids{9, 9, 9, 9}));
    std::get<0>(drafter.drafters).times = 1;
    EXPECT_EQ(line(drafter, 4), ids{7});
}

TEST(FirstOf, AddsNothingToAFullDraft) {
    first_of drafter(parrot{.token = 7}, counter());
    EXPECT_EQ(line(drafter, 0), ids{});
    EXPECT_EQ(line(drafter, 2, {1, 2, 3}), (ids{1, 2, 3}));
    EXPECT_EQ(tree(drafter, 0), ids{});
    first_of nobody(parrot{.times = 0}, listener());
    EXPECT_EQ(line(nobody, 10), ids{});
}

TEST(FirstOf, LetsAllReadTheText) {
    first_of drafter(parrot{.token = 1, .times = 3}, counter(4));
    drafter.accept(ids{4, 5, 6});
    EXPECT_EQ(std::get<0>(drafter.drafters).read, 3u);
    EXPECT_EQ(std::get<1>(drafter.drafters).last, 6);
    EXPECT_EQ(drafter.bytes(), 103u);
    drafter.reset();
    EXPECT_EQ(std::get<0>(drafter.drafters).read, 0u);
    EXPECT_EQ(std::get<1>(drafter.drafters).last, 0);
}

TEST(FirstOf, LeavesOutOfTreesWhoHasNone) {
    first_of drafter(parrot{}, counter(0), counter(2), counter(5));
    drafter.accept(ids{3});
    EXPECT_EQ(tree(drafter, 10), (ids{4, 5}));
    EXPECT_EQ(tree(drafter, 1), ids{4});
    EXPECT_EQ(std::get<0>(drafter.drafters).asked, 0u);
}

TEST(FirstOf, TellsThoseThatLearn) {
    first_of drafter(parrot{}, listener(), counter(), listener());
    const std::vector<token_data> likeliest{{4, 0.0f, 0.0f}, {2, 0.0f, 0.0f}};
    drafter.learn(9, likeliest);
    EXPECT_EQ(std::get<1>(drafter.drafters).heard, (ids{9, 4, 2}));
    EXPECT_EQ(std::get<3>(drafter.drafters).heard, (ids{9, 4, 2}));
}

TEST(FirstOf, TakesOverWhatIsMoved) {
    counter mine(3);
    first_of drafter(std::move(mine), parrot{.token = 5});
    EXPECT_EQ(line(drafter, 10), (ids{1, 2, 3}));
    first_of of_two(first_of(parrot{.times = 0}, parrot{.times = 0}), std::move(drafter));
    EXPECT_EQ(line(of_two, 10), (ids{1, 2, 3}));
    first_of alone(counter(1));
    EXPECT_EQ(line(alone, 10), ids{1});
}

// ---- one behind the other

TEST(DraftAfter, GoesOnWhereTheFirstEnds) {
    draft_after drafter(parrot{.token = 7, .times = 2}, counter(3));
    EXPECT_EQ(line(drafter, 10), (ids{7, 7, 8, 9, 10}));
    EXPECT_EQ(line(drafter, 4), (ids{7, 7, 8, 9}));
    EXPECT_EQ(line(drafter, 2), (ids{7, 7}));
    EXPECT_EQ(line(drafter, 1), ids{7});
    EXPECT_EQ(line(drafter, 0), ids{});
    EXPECT_EQ(line(drafter, 10, {1}), (ids{1, 7, 7, 8, 9, 10}));
    EXPECT_EQ(line(drafter, 1, {1, 2}), (ids{1, 2}));
}

TEST(DraftAfter, AsksTheSecondAlsoWhereTheFirstAddsNothing) {
    draft_after drafter(parrot{.times = 0}, counter(2));
    drafter.accept(ids{4});
    EXPECT_EQ(line(drafter, 10), (ids{5, 6}));
    draft_after other(counter(2), parrot{.token = 1, .times = 0});
    EXPECT_EQ(line(other, 10), (ids{1, 2}));
}

TEST(DraftAfter, LetsBothReadTheText) {
    draft_after drafter(parrot{.token = 1, .times = 3}, counter());
    drafter.accept(ids{4, 5, 6});
    EXPECT_EQ(drafter.first.read, 3u);
    EXPECT_EQ(drafter.second.last, 6);
    EXPECT_EQ(drafter.bytes(), 103u);
    drafter.reset();
    EXPECT_EQ(drafter.first.read, 0u);
    EXPECT_EQ(drafter.second.last, 0);
}

TEST(DraftAfter, GrowsTreesOfThoseThatHaveThem) {
    draft_after one(parrot{}, counter(2));
    EXPECT_EQ(tree(one, 10), (ids{1, 2}));
    draft_after other(counter(2), parrot{});
    EXPECT_EQ(tree(other, 10), (ids{1, 2}));
    draft_after both(counter(2), counter(3));
    EXPECT_EQ(tree(both, 10), (ids{1, 2, 3, 4, 5}));
    EXPECT_EQ(tree(both, 4), (ids{1, 2, 3, 4}));
}

TEST(DraftAfter, TellsThoseThatLearn) {
    draft_after drafter(draft_after(parrot{}, listener()), listener());
    drafter.learn(3, std::vector<token_data>{{8, 0.0f, 0.0f}});
    EXPECT_EQ(drafter.first.second.heard, (ids{3, 8}));
    EXPECT_EQ(drafter.second.heard, (ids{3, 8}));
}

TEST(DraftAfter, PutsRecycledTokensBehindOthers) {
    draft_after drafter(counter(2), recycled_tokens{.longest_draft = 3});
    drafter.learn(6, std::vector<token_data>{{1, 0.0f, 0.0f}, {2, 0.0f, 0.0f}});
    drafter.learn(1, std::vector<token_data>{{9, 0.0f, 0.0f}});
    drafter.accept(ids{4});
    EXPECT_EQ(line(drafter, plenty), (ids{5, 6, 1, 9}));
    EXPECT_EQ(tree(drafter, plenty), (ids{5, 6, 1, 9, 2}));
}

TEST(DraftAfter, CanBeCombinedFurther) {
    first_of drafter(parrot{.times = 0}, draft_after(draft_after(counter(1), parrot{.token = 3}), counter(2)));
    EXPECT_EQ(line(drafter, 10), (ids{1, 3, 4, 5}));
}

}  // namespace
}  // namespace riffle_tests::combined_drafters
