// The suffix automaton and its corpus, beside a reference that looks at every earlier end.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/speculative/drafters/suffix_automaton.hpp>

#include "integers.hpp"

namespace riffle_tests::suffix {
namespace {

using namespace riffle;
using tokens = std::vector<token_id>;

static_assert(std::is_aggregate_v<suffix_automaton> && std::is_nothrow_move_constructible_v<suffix_automaton> &&
              std::is_nothrow_move_assignable_v<suffix_automaton> && std::is_nothrow_move_assignable_v<suffix_corpus>);

// ---- the reference

/// Tokens that `a` and `b` have in common at their ends.
std::size_t common_end(const tokens& a, std::size_t size_of_a, const tokens& b, std::size_t size_of_b) {
    std::size_t n = 0;
    while (n < size_of_a && n < size_of_b && a[size_of_a - 1 - n] == b[size_of_b - 1 - n]) ++n;
    return n;
}

struct slow_match {
    std::size_t length = 0;
    tokens source;        ///< what is copied from
    std::size_t end = 0;  ///< the index behind the match in it
    bool goes_on = true;  ///< the source is the text itself
};

/// The longest end of `text` that is in `source`, behind any of its tokens from `first` to `last`, not included; it may
/// not begin ahead of `first`.
void offer(slow_match& best, const tokens& text, const tokens& source, std::size_t first, std::size_t last,
           bool goes_on) {
    slow_match found;
    for (std::size_t end = first + 1; end <= last; ++end) {
        const std::size_t length = (std::min)(common_end(text, text.size(), source, end), end - first);
        if (length > 0 && length >= found.length) found = {length, source, end, goes_on};
    }
    if (found.length > best.length) best = found;
}

/// What a drafter knows, kept as plain text.
struct slow_drafter {
    std::size_t generation = std::size_t{1} << 20;
    std::vector<tokens> corpus = {};
    tokens previous = {}, current = {};

    void accept(token_id token) {
        if (current.size() >= generation) previous = std::exchange(current, {});
        current.push_back(token);
    }
    slow_match longest(const tokens& drafted) const {
        tokens kept = previous;
        kept.insert(kept.end(), current.begin(), current.end());
        tokens text = kept;
        text.insert(text.end(), drafted.begin(), drafted.end());
        const bool is_end_earlier = !drafted.empty();
        slow_match best;
        if (!current.empty()) offer(best, text, kept, previous.size(), kept.size() - !is_end_earlier, true);
        offer(best, text, kept, 0, previous.size(), true);
        tokens documents;  // one behind the other: only the latest end of all counts
        slow_match of_corpus;
        for (const tokens& document : corpus) {
            slow_match one;
            offer(one, text, document, 0, document.size(), false);
            if (one.length > 0 && one.length >= of_corpus.length) of_corpus = one;
        }
        return of_corpus.length > best.length ? of_corpus : best;
    }
    tokens propose(const tokens& drafted, std::size_t least, std::size_t longest_draft, float per_match) const {
        slow_match match = longest(drafted);
        if (match.length < least) return {};
        std::size_t count = longest_draft;
        while (float(count) > 1.0f + per_match * float(match.length)) --count;
        if (match.goes_on) match.source.insert(match.source.end(), drafted.begin(), drafted.end());
        tokens made;
        for (std::size_t at = match.end; made.size() < count && at < match.source.size(); ++at) {
            made.push_back(match.source[at]);
            if (match.goes_on) match.source.push_back(made.back());
        }
        return made;
    }
};

tokens random_text(integers& random, std::size_t size, std::uint32_t letters) {
    tokens text(size);
    for (token_id& token : text) token = token_id(random.below(letters));
    return text;
}
tokens tokens_of(const draft& d) { return {d.tokens().begin(), d.tokens().end()}; }
/// What a drafter proposes behind some drafted tokens.
tokens proposed(suffix_automaton& drafter, std::size_t most, const tokens& drafted = {}) {
    draft d;
    for (const token_id token : drafted) EXPECT_TRUE(d.push(token));
    const std::size_t added = drafter.propose(d, most);
    const tokens all = tokens_of(d);
    EXPECT_EQ(added + drafted.size(), all.size());
    EXPECT_TRUE(std::equal(drafted.begin(), drafted.end(), all.begin()));
    return {all.begin() + std::ptrdiff_t(drafted.size()), all.end()};
}
void accept(suffix_automaton& drafter, const tokens& text) { drafter.accept(text); }

// ---- lines

TEST(SuffixAutomaton, CopiesWhatFollowedTheLatestEarlierEnd) {
    integers random(1);
    for (int i = 0; i < 300; ++i) {
        const tokens text = random_text(random, random.below(201), 3);
        const std::size_t least = 1 + random.below(3), longest = 1 + random.below(24);
        const float per_match = float(random.below(9)) / 4;
        suffix_automaton drafter{
            .least_match = least, .longest_draft = longest, .per_match = per_match, .adapts = false};
        suffix_automaton whole{.least_match = 1, .longest_draft = 1000, .adapts = false};
        slow_drafter slow;
        for (const token_id token : text) {
            ASSERT_EQ(proposed(drafter, 1000), slow.propose({}, least, longest, per_match));
            const std::size_t length = slow.longest({}).length;
            ASSERT_EQ(proposed(whole, 1000).size(), length > 0 ? 1 + length : 0);
            accept(drafter, {token});
            accept(whole, {token});
            slow.accept(token);
        }
    }
}

TEST(SuffixAutomaton, KnowsTheLengthOfDeeplyNestedMatches) {
    integers random(14);  // so many suffixes occurred before that not all of them hear of their latest end
    for (int i = 0; i < 20; ++i) {
        tokens text;
        suffix_automaton drafter{.least_match = 1, .longest_draft = 1000, .adapts = false};
        slow_drafter slow;
        for (int n = 0; n < 300; ++n) {
            text.push_back(token_id(random.below(30) == 0));
            accept(drafter, {text.back()});
            slow.accept(text.back());
            const std::size_t length = slow.longest({}).length;
            const tokens draft = proposed(drafter, 1000);
            ASSERT_EQ(draft.size(), length > 0 ? length + 1 : 0);
            bool is_copy = draft.empty();
            for (std::size_t end = length; end < text.size() && !is_copy; ++end) {
                tokens source = text;
                for (std::size_t k = end; source.size() < text.size() + draft.size(); ++k) source.push_back(source[k]);
                is_copy = common_end(text, text.size(), text, end) >= length &&
                          std::equal(draft.begin(), draft.end(), source.begin() + std::ptrdiff_t(text.size()));
            }
            ASSERT_TRUE(is_copy);
        }
    }
}

TEST(SuffixAutomaton, GoesOnBehindWhatADraftHasAlready) {
    integers random(2);
    for (int i = 0; i < 100; ++i) {
        const tokens text = random_text(random, random.below(100), 3);
        const tokens drafted = random_text(random, 1 + random.below(5), 4);
        suffix_automaton drafter{.longest_draft = 20, .adapts = false};
        slow_drafter slow;
        accept(drafter, text);
        for (const token_id token : text) slow.accept(token);
        const tokens alone = proposed(drafter, 100);
        ASSERT_EQ(proposed(drafter, 100, drafted), slow.propose(drafted, 2, 20, 1.0f));
        ASSERT_EQ(proposed(drafter, drafted.size() + 1, drafted).size(), slow.propose(drafted, 2, 1, 1.0f).size());
        ASSERT_EQ(proposed(drafter, 100), alone);  // nothing was learnt
    }
}

TEST(SuffixAutomaton, GoesOnWithWhatHasAPeriod) {
    suffix_automaton drafter;
    accept(drafter, {9, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3});
    EXPECT_EQ(proposed(drafter, 100), (tokens{1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1}));
    suffix_automaton of_one{.longest_draft = 5};
    accept(of_one, {7, 7, 7, 7, 7});
    EXPECT_EQ(proposed(of_one, 100), (tokens{7, 7, 7, 7, 7}));
    for (int i = 0; i < 1000; ++i) accept(of_one, {7});
    EXPECT_EQ(proposed(of_one, 3), (tokens{7, 7, 7}));
}

TEST(SuffixAutomaton, AddsNoMoreThanIsAskedFor) {
    suffix_automaton drafter;
    EXPECT_EQ(proposed(drafter, 10), tokens());
    EXPECT_EQ(drafter.bytes(), 0u);
    accept(drafter, {});
    EXPECT_EQ(proposed(drafter, 10), tokens());
    accept(drafter, {1, 2, 3, 4, 5, 6, 1, 2, 3});
    EXPECT_EQ(proposed(drafter, 0), tokens());
    EXPECT_EQ(proposed(drafter, 1), tokens({4}));
    EXPECT_EQ(proposed(drafter, 4), tokens({4, 5, 6, 1}));
    EXPECT_EQ(proposed(drafter, 9), tokens({4, 5, 6, 1}));
    EXPECT_EQ(proposed(drafter, 3, {4, 5, 6}), tokens());
    EXPECT_EQ(proposed(drafter, 2, {4, 5, 6}), tokens());
    EXPECT_EQ(proposed(drafter, 4, {4, 5, 6}), tokens({1}));
    EXPECT_EQ(proposed(drafter, 9, {8}), tokens());
}

TEST(SuffixAutomaton, TakesEveryValueOfAnOption) {
    suffix_automaton drafter;
    accept(drafter, {1, 2, 3, 4, 5, 6, 1, 2, 3});
    drafter.longest_draft = 0;
    EXPECT_EQ(proposed(drafter, 10), tokens());
    drafter.longest_draft = std::numeric_limits<std::size_t>::max();
    EXPECT_EQ(proposed(drafter, 10).size(), 4u);
    for (const float per_match : {-1.0f, 0.0f, std::nanf(""), -std::numeric_limits<float>::infinity()}) {
        drafter.per_match = per_match;
        EXPECT_EQ(proposed(drafter, 10).size(), 1u);
    }
    drafter.per_match = 0.5f;
    EXPECT_EQ(proposed(drafter, 10).size(), 2u);
    drafter.per_match = std::numeric_limits<float>::infinity();
    EXPECT_EQ(proposed(drafter, 10).size(), 10u);
    drafter.least_match = 4;
    EXPECT_EQ(proposed(drafter, 10).size(), 0u);
    drafter.least_match = 0;  // as 1
    accept(drafter, {8});
    EXPECT_EQ(proposed(drafter, 10), tokens());
    accept(drafter, {2});
    EXPECT_EQ(proposed(drafter, 2), tokens({3, 8}));
    drafter.generation = 0;
    accept(drafter, {2});
    drafter.generation = std::numeric_limits<std::size_t>::max();
    accept(drafter, {2, 2});
    EXPECT_EQ(proposed(drafter, 2), tokens({2, 2}));
}

TEST(SuffixAutomaton, TakesEveryIdFrom0AndIgnoresOthers) {
    const token_id last = std::numeric_limits<token_id>::max(), least = std::numeric_limits<token_id>::min();
    suffix_automaton drafter;
    accept(drafter, {0, last, -1, 5, least, 0, -7, last});
    EXPECT_EQ(proposed(drafter, 10), (tokens{5, 0, last}));
    accept(drafter, {-1, -1});
    EXPECT_EQ(proposed(drafter, 10), (tokens{5, 0, last}));
}

TEST(SuffixAutomaton, ForgetsAtReset) {
    integers random(3);
    suffix_automaton drafter, fresh;
    accept(drafter, random_text(random, 5000, 3));
    (void)proposed(drafter, 10);
    const std::size_t held = drafter.bytes();
    drafter.reset();
    EXPECT_LE(drafter.bytes(), held);
    EXPECT_EQ(proposed(drafter, 10), tokens());
    for (int i = 0; i < 300; ++i) {
        const token_id token = token_id(random.below(3));
        accept(drafter, {token});
        accept(fresh, {token});
        ASSERT_EQ(proposed(drafter, 10), proposed(fresh, 10));
    }
    suffix_automaton moved = std::move(drafter);
    EXPECT_EQ(proposed(moved, 10), proposed(fresh, 10));
    drafter = {};
    EXPECT_EQ(proposed(drafter, 10), tokens());
}

// ---- generations

TEST(SuffixAutomaton, KnowsTwoGenerations) {
    integers random(4);
    for (int i = 0; i < 60; ++i) {
        const std::size_t generation = random.below(60), longest = 4 + random.below(8);
        suffix_automaton drafter{.least_match = 1, .longest_draft = longest, .generation = generation, .adapts = false};
        slow_drafter slow{.generation = (std::max)(generation, 2 * longest)};
        for (const token_id token : random_text(random, 300, 3)) {
            accept(drafter, {token});
            slow.accept(token);
            ASSERT_EQ(proposed(drafter, 100), slow.propose({}, 1, longest, 1.0f));
            ASSERT_EQ(proposed(drafter, 100, {token, 1}), slow.propose({token, 1}, 1, longest, 1.0f));
        }
    }
}

TEST(SuffixAutomaton, IsBoundedByItsGenerations) {
    integers random(5);
    suffix_automaton drafter{.generation = 4096};
    std::size_t held = 0;
    for (int i = 0; i < 40; ++i) {
        accept(drafter, random_text(random, 4096, 100));
        if (i == 5) held = drafter.bytes();
    }
    EXPECT_LE(drafter.bytes(), held + held / 4);
    EXPECT_LE(drafter.bytes(), 2u * 4096 * 150);
}

// ---- memory

TEST(SuffixStates, AreFew) {
    integers random(6);
    for (int i = 0; i < 300; ++i) {
        const tokens text = random_text(random, 3 + random.below(300), 1 + random.below(4));
        detail::suffix_states states;
        for (const token_id token : text) ASSERT_TRUE(states.append(token));
        EXPECT_LE(states.states(), 2 * text.size());
        EXPECT_LE(states.transitions(), 3 * text.size());
    }
}

TEST(SuffixAutomaton, LearnsAMillionTokensInLittleMemory) {
    integers random(7);
    tokens text(1'000'000);
    for (std::size_t i = 0; i < text.size(); ++i)  // like text: some words are frequent, and much is repeated
        text[i] = i > 5000 && random.below(8) > 0 ? text[i - 4000] : token_id(random.below(1 + random.below(32'000)));
    suffix_automaton drafter;
    accept(drafter, text);
    EXPECT_LE(drafter.bytes(), 400'000'000u);
    accept(drafter, {text.begin(), text.begin() + 20});
    EXPECT_EQ(proposed(drafter, 10), tokens(text.begin() + 20, text.begin() + 30));
}

// ---- a corpus

suffix_corpus corpus_of(const std::vector<tokens>& documents) {
    suffix_corpus made;
    for (const tokens& one : documents) EXPECT_TRUE(made.add(one));
    return made;
}

TEST(SuffixCorpus, IsCopiedFromWithinDocuments) {
    const suffix_corpus corpus = corpus_of({{1, 2, 3, 4}, {}, {5, 6, 7}, {8, 2, 3, 9, 9, 9}});
    EXPECT_EQ(corpus.documents(), 3u);
    EXPECT_GT(corpus.bytes(), 0u);
    suffix_automaton drafter{.per_match = 4, .corpus = &corpus};
    accept(drafter, {1, 2});
    EXPECT_EQ(proposed(drafter, 10), tokens({3, 4}));  // and no further: the document ends
    accept(drafter, {3});
    EXPECT_EQ(proposed(drafter, 10), tokens({4}));
    accept(drafter, {4, 5});  // across two documents
    EXPECT_EQ(proposed(drafter, 10), tokens());
    accept(drafter, {6});
    EXPECT_EQ(proposed(drafter, 10), tokens({7}));
    accept(drafter, {2, 3});  // as long in the text
    EXPECT_EQ(proposed(drafter, 10), (tokens{4, 5, 6, 2, 3, 4, 5, 6, 2}));
    EXPECT_EQ(proposed(drafter, 10, {8, 2, 3}), (tokens{9, 9, 9}));
    drafter.corpus = nullptr;
    EXPECT_EQ(proposed(drafter, 10, {8, 2, 3}), (tokens{8, 2, 3, 8, 2, 3, 8}));  // the text's end is an earlier one
}

TEST(SuffixCorpus, IsAsTheReferenceHasIt) {
    integers random(8);
    for (int i = 0; i < 60; ++i) {
        slow_drafter slow{.generation = 40};
        for (std::uint32_t d = random.below(6); d > 0; --d)
            slow.corpus.push_back(random_text(random, random.below(30), 3));
        const suffix_corpus corpus = corpus_of(slow.corpus);
        suffix_automaton drafter{
            .least_match = 1, .longest_draft = 9, .generation = 40, .corpus = &corpus, .adapts = false};
        for (const token_id token : random_text(random, 100, 3)) {
            accept(drafter, {token});
            slow.accept(token);
            ASSERT_EQ(proposed(drafter, 100), slow.propose({}, 1, 9, 1.0f));
            ASSERT_EQ(proposed(drafter, 100, {1}), slow.propose({1}, 1, 9, 1.0f));
        }
    }
}

TEST(SuffixCorpus, MayBeSetLate) {
    integers random(9);
    const suffix_corpus corpus = corpus_of({random_text(random, 500, 3)}), other = corpus_of({{1, 1, 2, 1, 1}});
    for (int i = 0; i < 50; ++i) {
        const tokens text = random_text(random, random.below(100), 3);
        suffix_automaton from_the_beginning{.generation = 32, .corpus = &corpus};
        suffix_automaton late{.generation = 32, .corpus = &other};
        accept(from_the_beginning, text);
        accept(late, text);
        (void)proposed(late, 10);
        late.corpus = &corpus;
        ASSERT_EQ(proposed(late, 10), proposed(from_the_beginning, 10));
    }
}

TEST(SuffixCorpus, RefusesIdsBelow0) {
    suffix_corpus corpus;
    EXPECT_TRUE(corpus.add(tokens{}));
    EXPECT_FALSE(corpus.add(tokens{1, 2, -1, 3}));
    EXPECT_EQ(corpus.documents(), 0u);
    suffix_automaton drafter{.corpus = &corpus};  // empty
    accept(drafter, {1, 2});
    EXPECT_EQ(proposed(drafter, 10), tokens());
    EXPECT_TRUE(corpus.add(tokens{1, 2, 3}));
    EXPECT_EQ(proposed(drafter, 10), tokens({3}));
}

TEST(SuffixCorpus, IsReadFromManyThreads) {
    integers random(10);
    const suffix_corpus corpus = corpus_of({random_text(random, 3000, 4), random_text(random, 3000, 4)});
    const auto all_proposed = [&corpus] {
        integers own(11);
        suffix_automaton drafter{.corpus = &corpus};
        tokens all;
        for (int i = 0; i < 2000; ++i) {
            accept(drafter, {token_id(own.below(4))});
            for (const token_id token : proposed(drafter, 10)) all.push_back(token);
        }
        return all;
    };
    const tokens expected = all_proposed();
    tokens found[4];
    std::vector<std::thread> threads;
    for (tokens& one : found) threads.emplace_back([&] { one = all_proposed(); });
    for (std::thread& one : threads) one.join();
    for (const tokens& one : found) EXPECT_EQ(one, expected);
}

// ---- lengths that adapt

TEST(AcceptanceByMatch, EndsDraftsThatFewReach) {
    detail::acceptance_by_match acceptance;
    EXPECT_EQ(acceptance.length(2, 16), 16u);
    EXPECT_EQ(acceptance.length(2, 0), 0u);
    const tokens draft = {1, 2, 3, 4};
    const auto round = [&](std::size_t earlier, std::size_t match, const tokens& text) {
        acceptance.propose(draft, earlier, match);
        for (const token_id token : text) acceptance.accept(token);
    };
    for (int i = 0; i < 18; ++i) round(0, 2, {9, 2, 3, 4});
    EXPECT_EQ(acceptance.length(2, 16), 16u);  // chance 1/19
    for (int i = 0; i < 2; ++i) round(0, 2, {9});
    EXPECT_EQ(acceptance.length(2, 16), 1u);  // 1/21
    EXPECT_EQ(acceptance.length(3, 16), 16u);
    for (int i = 0; i < 50; ++i) round(2, 3, {1, 9, 9, 9});  // nobody came to its tokens
    EXPECT_EQ(acceptance.length(3, 100), 100u);
    for (int i = 0; i < 50; ++i) round(2, 3, {1, 2, 3, 9});
    EXPECT_EQ(acceptance.length(3, 16), 2u);
    for (int i = 0; i < 50; ++i) round(0, 15, {1, 2, 3, 4});
    EXPECT_EQ(acceptance.length(1'000'000, 100), 100u);
    for (int i = 0; i < 50; ++i) round(0, 2, {1, 2, 3, 4});  // it forgets
    EXPECT_EQ(acceptance.length(2, 16), 16u);
    for (int i = 0; i < 50; ++i) round(0, 2, {9});
    acceptance.clear();
    EXPECT_EQ(acceptance.length(2, 16), 16u);
}

/// Follows a text as a verifier would that accepts what is right. Answers how many tokens were proposed.
std::size_t replay(suffix_automaton& drafter, suffix_automaton& by_rule, const tokens& text) {
    std::size_t all = 0;
    for (std::size_t at = 0, count; at < text.size(); at += count) {
        const tokens draft = proposed(drafter, 100), longer = proposed(by_rule, 100);
        EXPECT_LE(draft.size(), longer.size());
        EXPECT_EQ(draft.empty(), longer.empty());
        EXPECT_TRUE(std::equal(draft.begin(), draft.end(), longer.begin()));
        for (count = 0; count < draft.size() && at + count < text.size() && draft[count] == text[at + count];) ++count;
        count = (std::min)(count + 1, text.size() - at);
        const tokens accepted(text.begin() + std::ptrdiff_t(at), text.begin() + std::ptrdiff_t(at + count));
        accept(drafter, accepted);
        accept(by_rule, accepted);
        all += draft.size();
    }
    return all;
}

TEST(SuffixAutomaton, AdaptsTheLengthOfDrafts) {
    integers random(12);
    suffix_automaton drafter{.longest_draft = 8, .per_match = 4};
    suffix_automaton by_rule{.longest_draft = 8, .per_match = 4, .adapts = false};
    suffix_automaton ever_longer{.longest_draft = 8, .per_match = 4, .adapts = false};
    suffix_automaton same{.longest_draft = 8, .per_match = 4, .adapts = false};
    const tokens text = random_text(random, 6000, 40);
    EXPECT_LT(3 * replay(drafter, by_rule, text), replay(ever_longer, same, text));
    tokens with_a_period;
    for (token_id i = 0; i < 1000; ++i) with_a_period.push_back(i % 30);
    replay(drafter, by_rule, with_a_period);
    EXPECT_EQ(proposed(drafter, 100).size(), 8u);
}

// ---- trees

/// Siblings differ, the line comes first, and each other node followed, somewhere in the text, the last tokens ahead of
/// it.
void expect_tree(const draft_tree& t, const tokens& line, const tokens& text, std::size_t least) {
    for (std::size_t i = 0; i < line.size(); ++i) {
        ASSERT_EQ(t.token(std::int32_t(i)), line[i]);
        ASSERT_EQ(t.parent(std::int32_t(i)), std::int32_t(i) - 1);
    }
    tokens source = text;
    source.insert(source.end(), line.begin(), line.end());
    for (auto n = std::int32_t(line.size()); n < std::int32_t(t.size()); ++n) {
        ASSERT_EQ(t.child(t.parent(n), t.token(n)), n);  // the first of that token
        tokens ahead;
        for (std::int32_t p = t.parent(n); p >= 0; p = t.parent(p)) ahead.insert(ahead.begin(), t.token(p));
        ahead.insert(ahead.begin(), text.begin(), text.end());
        std::size_t longest = 0;
        for (std::size_t end = 1; end < source.size(); ++end)
            if (source[end] == t.token(n)) longest = (std::max)(longest, common_end(ahead, ahead.size(), source, end));
        ASSERT_GE(longest, least);
    }
}

TEST(SuffixTrees, BeginWithTheLineAndHoldWhatFollowedElsewhere) {
    integers random(13);
    std::size_t branches = 0;
    for (int i = 0; i < 150; ++i) {
        const tokens text = random_text(random, random.below(120), 3);
        const std::size_t least = 1 + random.below(3), most = random.below(40);
        suffix_automaton drafter{.least_match = least, .longest_draft = 8};
        accept(drafter, text);
        const tokens line = proposed(drafter, most);
        draft_tree t;
        const std::size_t added = drafter.propose(t, most);
        ASSERT_EQ(added, t.size());
        ASSERT_LE(t.size(), most);
        ASSERT_EQ(t.empty(), line.empty());
        expect_tree(t, line, text, least);
        for (std::int32_t n = 0; n < std::int32_t(t.size()); ++n) {
            ASSERT_LE(t.depth(n), 8u);
        }
        branches += t.size() - line.size();
        EXPECT_EQ(drafter.propose(t, t.size()), 0u);
    }
    EXPECT_GT(branches, 1000u);
}

TEST(SuffixTrees, HaveSiblingsByTheirCounts) {
    tokens text;
    token_id other = 100;
    for (const token_id next : {10, 11, 10, 12, 11, 10, 11, 10, 13}) {
        for (const token_id token : {other, token_id(1), token_id(2), next}) text.push_back(token);
        ++other;
    }
    for (const token_id token : {other, token_id(1), token_id(2)}) text.push_back(token);
    suffix_automaton drafter{.longest_draft = 1};
    accept(drafter, text);
    draft_tree t;
    EXPECT_EQ(drafter.propose(t, 100), 4u);
    const tokens expected = {13, 10, 11, 12};  // the latest, and then four times, three times, once
    for (std::int32_t n = 0; n < 4; ++n) {
        EXPECT_EQ(t.token(n), expected[std::size_t(n)]);
        EXPECT_EQ(t.parent(n), draft_tree::root);
    }
    t.clear();  // nodes that are there are not added again
    t.push(draft_tree::root, 11);
    t.push(draft_tree::root, 13);
    EXPECT_EQ(drafter.propose(t, 3), 1u);
    EXPECT_EQ(t.token(2), 10);
    EXPECT_EQ(drafter.propose(t, 100), 1u);
    EXPECT_EQ(t.token(3), 12);
}

TEST(SuffixTrees, ComeFromACorpusToo) {
    const suffix_corpus corpus = corpus_of({{1, 2, 3}, {1, 2, 4, 5}, {1, 2, 3, 6}, {1, 2}});
    suffix_automaton drafter{.corpus = &corpus};
    accept(drafter, {1, 2});
    draft_tree t;
    EXPECT_EQ(proposed(drafter, 10), tokens());  // its latest end is that of a document
    EXPECT_EQ(drafter.propose(t, 10), 4u);
    EXPECT_EQ(t.token(0), 3);
    EXPECT_EQ(t.child(t.child(draft_tree::root, 3), 6) >= 0, true);
    EXPECT_EQ(t.child(t.child(draft_tree::root, 4), 5) >= 0, true);
}

TEST(SuffixTrees, AreLearntFromByTheirLine) {
    suffix_automaton drafter{.longest_draft = 8, .per_match = 8};
    draft_tree t;
    for (token_id i = 0; i < 40; ++i) {
        accept(drafter, {1, 2, token_id(100 + i)});
        accept(drafter, {1, 2});
        t.clear();
        drafter.propose(t, 8);
        accept(drafter, {token_id(200 + i)});
    }
    accept(drafter, {1, 2});
    EXPECT_EQ(proposed(drafter, 100).size(), 1u);
}

}  // namespace
}  // namespace riffle_tests::suffix
