// Drafters that look for the last tokens in what came before, beside slow ways to say the same.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/speculative/drafts/draft.hpp>
#include <riffle/speculative/drafters/hashed_numbers.hpp>
#include <riffle/speculative/drafters/ngram_cache.hpp>
#include <riffle/speculative/drafters/ngram_map.hpp>
#include <riffle/speculative/drafters/prompt_lookup.hpp>

#include "integers.hpp"

namespace riffle_tests::ngram_drafters {
namespace {

using namespace riffle;
using tokens = std::vector<token_id>;

constexpr std::size_t any = (std::numeric_limits<std::size_t>::max)();

tokens joined(tokens a, const tokens& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}
tokens last(const tokens& of, std::size_t n) { return {of.end() - std::ptrdiff_t(n), of.end()}; }
tokens of(const draft& d) { return {d.tokens().begin(), d.tokens().end()}; }
draft draft_of(const tokens& some) {
    draft d;
    for (const token_id token : some) EXPECT_TRUE(d.push(token));
    return d;
}
/// What a drafter that read a text proposes behind it, or behind a draft.
template <class Drafter>
tokens proposed(Drafter drafter, const tokens& text, std::size_t most = any, const tokens& so_far = {}) {
    drafter.accept(text);
    draft d = draft_of(so_far);
    const std::size_t added = drafter.propose(d, most);
    EXPECT_EQ(added, d.size() - so_far.size());
    EXPECT_EQ(tokens(d.tokens().begin(), d.tokens().begin() + std::ptrdiff_t(so_far.size())), so_far);
    return last(of(d), added);
}

/// What followed the latest occurrence of the last n tokens in the text, and what a draft of it becomes.
tokens slow_copy(const tokens& text, std::size_t n, std::size_t length, std::size_t most, const tokens& so_far) {
    n = (std::max)(n, std::size_t{1});
    const tokens whole = joined(text, so_far);
    tokens made = so_far;
    for (std::size_t behind = text.size(); n <= whole.size() && behind-- > n;)
        if (std::equal(whole.end() - std::ptrdiff_t(n), whole.end(), text.begin() + std::ptrdiff_t(behind - n))) {
            for (std::size_t i = behind; i < text.size() && i - behind < length && made.size() < most; ++i)
                made.push_back(text[i]);
            break;
        }
    return made;
}

/// n-grams as vectors, and what followed each how often.
struct slow_cache {
    std::map<tokens, std::map<token_id, std::uint32_t>> counts;
    std::size_t pairs = 0;
    tokens text;

    void accept(const tokens& more, const ngram_cache& with) {
        for (const token_id token : more) {
            if (token < 0) continue;
            for (std::size_t n = shortest(with); n <= longest(with) && n <= text.size(); ++n) count(token, n, with);
            text.push_back(token);
        }
    }
    void count(token_id token, std::size_t n, const ngram_cache& with) {
        const auto found = counts.find(last(text, n));
        const bool is_known = found != counts.end() && found->second.count(token) > 0;
        if (!is_known && pairs >= with.most_entries) return;
        pairs += !is_known;
        ++counts[last(text, n)][token];
    }
    tokens propose(const tokens& so_far, std::size_t most, const ngram_cache& with) const {
        tokens whole = joined(text, so_far), made = so_far;
        while (made.size() < most && made.size() - so_far.size() < with.length) {
            const token_id next = best(whole, with);
            if (next < 0) break;
            whole.push_back(next);
            made.push_back(next);
        }
        return made;
    }
    token_id best(const tokens& whole, const ngram_cache& with) const {
        for (std::size_t n = (std::min)(longest(with), whole.size()); n >= shortest(with); --n) {
            const auto found = counts.find(last(whole, n));
            if (found == counts.end()) continue;
            token_id most_frequent = -1;
            std::uint32_t most = 0, all = 0;
            for (const auto& [token, count] : found->second) {
                all += count;
                if (count > most) most_frequent = token;
                most = (std::max)(most, count);
            }
            const float share = (std::min)(with.least_share, 1.0f);
            if (most >= with.least_count && !(double(most) < double(share) * all)) return most_frequent;
        }
        return -1;
    }
    static std::size_t shortest(const ngram_cache& with) {
        return (std::min)((std::max)(with.shortest, std::size_t{1}), std::size_t{4});
    }
    static std::size_t longest(const ngram_cache& with) {
        return (std::min)((std::max)(with.longest, shortest(with)), std::size_t{4});
    }
};

/// Some tokens over so many letters, a few of them below 0.
tokens random_tokens(integers& random, std::uint32_t most, std::uint32_t letters, bool with_refused) {
    tokens made(random.below(most + 1));
    for (token_id& token : made)
        token =
            with_refused && random.below(20) == 0 ? -1 - token_id(random.below(3)) : token_id(random.below(letters));
    return made;
}
void append_valid(tokens& to, const tokens& some) {
    for (const token_id token : some)
        if (token >= 0) to.push_back(token);
}
std::size_t random_limit(integers& random) { return random.below(8) == 0 ? any : random.below(12); }

/// Texts that grow and begin anew, options that change on the way, drafts that have tokens already.
template <class Drafter, class SetLength>
void expect_copies(std::uint64_t seed, SetLength set_length) {
    integers random(seed);
    for (int round = 0; round < 150; ++round) {
        const std::uint32_t letters = 3 + random.below(3);
        Drafter drafter;
        std::size_t n = random.below(6);
        set_length(drafter, n);
        tokens text;
        for (int step = 0; step < 40; ++step) {
            if (random.below(8) == 0) set_length(drafter, n = random.below(20) == 0 ? any : random.below(6));
            drafter.length = random_limit(random);
            if (random.below(60) == 0) {
                drafter.reset();
                text.clear();
            }
            const tokens more = random_tokens(random, 9, letters, true);
            drafter.accept(more);
            append_valid(text, more);
            const tokens so_far = random_tokens(random, random.below(3) == 0 ? 6 : 0, letters, false);
            const std::size_t most = random_limit(random);
            const tokens expected = so_far.size() >= most ? so_far : slow_copy(text, n, drafter.length, most, so_far);
            draft d = draft_of(so_far);
            ASSERT_EQ(drafter.propose(d, most), expected.size() - so_far.size());
            ASSERT_EQ(of(d), expected) << "round " << round << ", step " << step;
        }
    }
}

TEST(PromptLookup, CopiesAsASlowSearchDoes) {
    expect_copies<prompt_lookup>(1, [](prompt_lookup& drafter, std::size_t n) { drafter.n = n; });
}
TEST(NgramMap, CopiesAsASlowSearchDoes) {
    expect_copies<ngram_map>(2, [](ngram_map& drafter, std::size_t n) { drafter.key = n; });
}

TEST(PromptLookup, CountsAnOccurrenceAtTheVeryBeginning) {  // which llama.cpp's ngram-simple ignores
    EXPECT_EQ(proposed(prompt_lookup{.n = 3}, {1, 2, 3, 4, 1, 2, 3}), (tokens{4, 1, 2, 3}));
    EXPECT_EQ(proposed(ngram_map{.key = 3}, {1, 2, 3, 4, 1, 2, 3}), (tokens{4, 1, 2, 3}));
}
TEST(PromptLookup, CopiesLessThanItsLengthWhereLessFollows) {  // where ngram-simple wants n + length + 1 tokens
    EXPECT_EQ(proposed(prompt_lookup{.n = 1, .length = 8}, {5, 5}), (tokens{5}));
    EXPECT_EQ(proposed(prompt_lookup{.n = 2, .length = 48}, {9, 1, 2, 3, 1, 2}), (tokens{3, 1, 2}));
    EXPECT_EQ(proposed(ngram_map{.key = 2, .length = 48}, {9, 1, 2, 3, 1, 2}), (tokens{3, 1, 2}));
}
TEST(PromptLookup, TakesTheLatestOccurrenceAlsoOneThatReachesIntoTheEnd) {
    EXPECT_EQ(proposed(prompt_lookup{.n = 2, .length = 1}, {1, 2, 3, 1, 2, 4, 1, 2}), (tokens{4}));
    EXPECT_EQ(proposed(prompt_lookup{.n = 3}, {7, 7, 7, 7}), (tokens{7}));
}
TEST(PromptLookup, ProposesNothingWhereNothingOccurredEarlier) {
    EXPECT_EQ(proposed(prompt_lookup{}, {}), tokens());
    EXPECT_EQ(proposed(prompt_lookup{}, {1, 2, 3}), tokens());
    EXPECT_EQ(proposed(prompt_lookup{}, {1, 2, 3, 0, 2, 3}), tokens());
    EXPECT_EQ(proposed(prompt_lookup{.n = 0}, {1, 2, 1}), (tokens{2, 1}));
    EXPECT_EQ(proposed(prompt_lookup{.n = any}, {1, 2, 1}), tokens());
}
TEST(PromptLookup, IsLinearInATextThatRepeatsItself) {
    tokens text(200000, 1);
    text[0] = 2;
    prompt_lookup drafter{.n = 50000};
    drafter.accept(text);
    draft d = draft_of({2});
    EXPECT_EQ(drafter.propose(d, any), 0u);  // quadratic: 10^10 comparisons
    drafter.n = 199998;
    d.clear();
    EXPECT_EQ(drafter.propose(d, any), 1u);
}
TEST(PromptLookup, GoesOnBehindADraftWithoutLearningIt) {
    const tokens text = {1, 2, 3, 4, 5, 1};
    EXPECT_EQ(proposed(prompt_lookup{.n = 2}, text, any, {2}), (tokens{3, 4, 5, 1}));
    EXPECT_EQ(proposed(prompt_lookup{.n = 2}, text, 3, {2}), (tokens{3, 4}));
    EXPECT_EQ(proposed(prompt_lookup{.n = 1}, text, 1, {2}), tokens());
    EXPECT_EQ(proposed(prompt_lookup{.n = 1}, text, any, {8, 9, 8}), tokens());  // 9 came in the draft alone
}

TEST(NgramMap, AlwaysLeadsToTheLatestOccurrence) {  // ngram-map-k keeps the first
    tokens text;
    ngram_map drafter{.key = 2, .length = 1};
    for (token_id t = 10; t < 200; ++t) {
        const tokens more = {1, 2, t, 1, 2};
        drafter.accept(more);
        draft d;
        ASSERT_EQ(drafter.propose(d, 1), 1u);
        ASSERT_EQ(d[0], t);
    }
}
TEST(NgramMap, NeverGivesAKeyUp) {  // which ngram-map-k does where nothing of a draft was accepted
    ngram_map drafter{.key = 1, .length = 2};
    drafter.accept(tokens{1, 2, 3, 1});
    for (int i = 0; i < 100; ++i) {
        draft d;
        ASSERT_EQ(drafter.propose(d, any), 2u);
        ASSERT_NE(d[0], 50);
        drafter.accept(tokens{50, token_id(100 + i), 1});  // none of them
        d.clear();
        drafter.propose(d, any);
        ASSERT_EQ(of(d), (tokens{50, token_id(100 + i)}));
        drafter.accept(tokens{2, 3, 1});
    }
}
TEST(NgramMap, CopiesNothingFromWhereOnlyAHashAgrees) {  // ngram-mod compares no keys
    tokens text(100000);
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = token_id(2 * i);
    ngram_map drafter{.key = 2};
    drafter.accept(text);
    for (token_id t = 0; t < 100000; ++t) {
        draft d = draft_of({2 * t, 2 * t + 4});
        ASSERT_EQ(drafter.propose(d, any), 0u) << t;
    }
}
TEST(NgramMap, IsBuiltAnewWhereTheKeyChanges) {
    ngram_map drafter{.key = 3};
    const tokens text = {1, 2, 9, 2, 8, 7, 2};
    drafter.accept(text);
    draft d;
    EXPECT_EQ(drafter.propose(d, any), 0u);
    drafter.key = 1;
    EXPECT_EQ(drafter.propose(d, any), 3u);
    EXPECT_EQ(of(d), (tokens{8, 7, 2}));
    drafter.key = 0;
    d.clear();
    EXPECT_EQ(drafter.propose(d, 1), 1u);
    drafter.key = any;
    d.clear();
    EXPECT_EQ(drafter.propose(d, any), 0u);
}

TEST(NgramCache, DraftsAsASlowCountDoes) {
    integers random(3);
    const float shares[] = {0.0f, 0.3f, 0.5f, 0.75f, 1.0f, -1.0f, 7.0f};
    for (int round = 0; round < 150; ++round) {
        const std::uint32_t letters = 3 + random.below(3);
        ngram_cache drafter{.shortest = random.below(6), .longest = random.below(6)};
        slow_cache slow;
        if (random.below(3) == 0) drafter.most_entries = random.below(60);
        for (int step = 0; step < 30; ++step) {
            if (random.below(10) == 0) drafter.shortest = random.below(20) == 0 ? any : random.below(6);
            if (random.below(10) == 0) drafter.longest = random.below(20) == 0 ? any : random.below(6);
            drafter.length = random_limit(random);
            drafter.least_count = random.below(4);
            drafter.least_share = shares[random.below(7)];
            if (random.below(50) == 0) {
                drafter.reset();
                slow = {};
            } else if (random.below(30) == 0) {
                drafter.next_text();
                slow.text.clear();
            }
            const tokens more = random_tokens(random, 9, letters, true);
            drafter.accept(more);
            slow.accept(more, drafter);
            ASSERT_EQ(drafter.entries(), slow.pairs);
            const tokens so_far = random_tokens(random, random.below(3) == 0 ? 6 : 0, letters, false);
            const std::size_t most = drafter.length == any ? random.below(12) : random_limit(random);
            draft d = draft_of(so_far);
            drafter.propose(d, most);
            ASSERT_EQ(of(d), slow.propose(so_far, most, drafter)) << "round " << round << ", step " << step;
        }
    }
}
TEST(NgramCache, KnowsTheOrderOfTokens) {  // llama.cpp's hash does not, and equal tokens cancel in it
    ngram_cache drafter{.shortest = 2, .longest = 2, .length = 1};
    const std::pair<tokens, token_id> cases[] = {{{1, 2}, 10}, {{2, 1}, 11}, {{5, 5}, 12}, {{7, 7}, 13}};
    for (const auto& [text, follower] : cases) {
        drafter.next_text();
        drafter.accept(joined(text, {follower}));
    }
    for (const auto& [text, follower] : cases) {
        drafter.next_text();
        drafter.accept(text);
        draft d;
        ASSERT_EQ(drafter.propose(d, 1), 1u);
        EXPECT_EQ(d[0], follower);
    }
}
TEST(NgramCache, GoesFromTheLongestNgramToShorterOnes) {
    const tokens text = {1, 2, 3, 9, 2, 3, 8, 2, 3, 8, 1, 2, 3};  // behind 1 2 3: 9 once; behind 2 3: 8 twice, 9 once
    EXPECT_EQ(proposed(ngram_cache{.length = 1}, text), (tokens{9}));
    EXPECT_EQ(proposed(ngram_cache{.length = 1, .least_count = 2}, text), (tokens{8}));
    EXPECT_EQ(proposed(ngram_cache{.longest = 2, .length = 1}, text), (tokens{8}));
    EXPECT_EQ(proposed(ngram_cache{.longest = 2, .length = 1, .least_share = 0.7f}, text), tokens());
    EXPECT_EQ(proposed(ngram_cache{.length = 1, .least_count = 3}, text), tokens());
}
TEST(NgramCache, TakesTheLeastIdOfEquallyFrequentFollowers) {
    EXPECT_EQ(proposed(ngram_cache{.longest = 1, .length = 1}, {1, 6, 1, 5, 1}), (tokens{5}));
    EXPECT_EQ(proposed(ngram_cache{.longest = 1, .length = 1}, {1, 5, 1, 6, 1}), (tokens{5}));
}
TEST(NgramCache, CountsAShareThatIsNoNumberAsNone) {
    const tokens text = {1, 5, 1, 6, 1, 7, 1};
    constexpr float no_number = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(proposed(ngram_cache{.longest = 1, .length = 1}, text), tokens());
    EXPECT_EQ(proposed(ngram_cache{.longest = 1, .length = 1, .least_share = no_number}, text), (tokens{5}));
}
TEST(NgramCache, StopsLearningWhereItIsFullButCountsOn) {
    ngram_cache drafter{.longest = 1, .length = 1, .most_entries = 3};
    drafter.accept(tokens{1, 2, 1, 3});
    EXPECT_EQ(drafter.entries(), 3u);
    const std::size_t bytes = drafter.bytes();
    for (token_id t = 10; t < 10000; ++t) drafter.accept(tokens{t});
    EXPECT_EQ(drafter.entries(), 3u);
    EXPECT_EQ(drafter.bytes(), bytes);
    drafter.accept(tokens{1, 3, 1});
    draft d;
    drafter.propose(d, any);
    EXPECT_EQ(of(d), (tokens{3}));
}
TEST(NgramCache, FindsFollowersOfAnNgramThatHasMany) {
    ngram_cache drafter{.longest = 1, .length = 1, .least_share = 0};
    for (int again = 0; again < 2; ++again)
        for (token_id t = 1; t < 50000; ++t) drafter.accept(tokens{0, t});
    drafter.accept(tokens{0, 777, 0});
    draft d;
    drafter.propose(d, any);
    EXPECT_EQ(of(d), (tokens{777}));
}

template <class Drafter>
void expect_moves(Drafter drafter) {
    drafter.accept(tokens{1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4});
    draft expected, found;
    drafter.propose(expected, any);
    EXPECT_GT(expected.size(), 0u);
    EXPECT_GT(drafter.bytes(), 0u);
    Drafter moved = std::move(drafter);
    moved.propose(found, any);
    EXPECT_EQ(of(found), of(expected));
    const std::size_t bytes = moved.bytes();
    moved.reset();
    EXPECT_EQ(moved.bytes(), bytes);
    found.clear();
    EXPECT_EQ(moved.propose(found, any), 0u);
}
TEST(NgramDrafters, MoveAndBeginAnew) {
    expect_moves(prompt_lookup{});
    expect_moves(ngram_map{});
    expect_moves(ngram_cache{});
}

/// Two tokens that a table of 64 slots cannot tell apart by their hashes.
template <class HashOf>
std::pair<token_id, token_id> colliding_tokens(HashOf hash_of) {
    constexpr std::uint64_t tokens_tried = 1u << 21;
    std::vector<std::uint64_t> tried;  // tag and place, and the token below them
    for (std::uint64_t t = 0; t < tokens_tried; ++t) {
        const std::uint64_t hash = hash_of(std::uint32_t(t));
        tried.push_back(((hash >> 32) << 6 | (hash & 63)) * tokens_tried + t);
    }
    std::sort(tried.begin(), tried.end());
    for (std::size_t i = 1; i < tried.size(); ++i)
        if (tried[i] / tokens_tried == tried[i - 1] / tokens_tried)
            return {token_id(tried[i - 1] % tokens_tried), token_id(tried[i] % tokens_tried)};
    ADD_FAILURE() << "no tokens collide";
    return {};
}
TEST(HashedNumbers, MayHaveEqualHashesWhereTheMapStillKnowsItsKeys) {
    const auto [a, b] = colliding_tokens([](std::uint32_t token) {
        detail::sequence_hash hash(0);
        hash.add(token);
        return hash.value();
    });
    EXPECT_EQ(proposed(ngram_map{.key = 1}, {a, 5}, any, {a}), (tokens{5}));
    EXPECT_EQ(proposed(ngram_map{.key = 1}, {a, 5}, any, {b}), tokens());
    EXPECT_EQ(proposed(ngram_map{.key = 1, .length = 1}, {a, 5, b, 6}, any, {a}), (tokens{5}));
    EXPECT_EQ(proposed(ngram_map{.key = 1, .length = 1}, {a, 5, b, 6}, any, {b}), (tokens{6}));
}
TEST(HashedNumbers, MayHaveEqualHashesWhereTheCacheStillKnowsItsNgrams) {
    const auto [a, b] = colliding_tokens([](std::uint32_t token) {
        detail::sequence_hash hash(0);
        for (const std::uint32_t one : {token, 0xFFFFFFFFu, 0xFFFFFFFFu, 0xFFFFFFFFu}) hash.add(one);
        return hash.value();
    });
    EXPECT_EQ(proposed(ngram_cache{.longest = 1, .length = 1}, {a, 5}, any, {a}), (tokens{5}));
    EXPECT_EQ(proposed(ngram_cache{.longest = 1, .length = 1}, {a, 5}, any, {b}), tokens());
}
TEST(HashedNumbers, MayHaveEqualHashesWhereTheCacheStillKnowsItsFollowers) {
    const auto [a, b] = colliding_tokens([](std::uint32_t token) {
        detail::sequence_hash hash(0);
        hash.add(0);  // the first n-gram
        hash.add(token);
        return hash.value();
    });
    ngram_cache drafter{.shortest = 2, .longest = 2};
    drafter.accept(tokens{1, 1, a});
    drafter.next_text();
    drafter.accept(tokens{1, 1, b});
    EXPECT_EQ(drafter.entries(), 2u);
}
TEST(HashedNumbers, TakesTheNextFunctionWhereAllShareTheirPlaces) {
    const auto hash_of = [](std::uint32_t number, std::uint32_t function) -> std::uint64_t {
        return function < 3 ? 5 : number;
    };
    detail::hashed_numbers numbers;
    for (std::uint32_t n = 0; n < 20000; ++n) {  // 2 * 10^8 places under one function
        ASSERT_TRUE(numbers.make_room(hash_of));
        numbers.add(hash_of(n, numbers.function()), n);
    }
    EXPECT_EQ(numbers.function(), 3u);
    for (std::uint32_t n = 0; n < 20001; ++n) {
        const std::uint32_t* const found =
            numbers.find(hash_of(n, numbers.function()), [&](std::uint32_t one) { return one == n; });
        ASSERT_EQ(found ? *found : detail::hashed_numbers::none, n < 20000 ? n : detail::hashed_numbers::none);
    }
    numbers.clear();
    EXPECT_EQ(numbers.find(0, [](std::uint32_t) { return true; }), nullptr);
}
TEST(HashedNumbers, SpreadsTokensThatHaveTheirLowBitsInCommon) {
    std::vector<std::uint64_t> places;
    for (std::uint32_t t = 0; t < 4096; ++t) {
        detail::sequence_hash hash(0);
        hash.add(t << 16);
        places.push_back(hash.value() & 0xFFFF);
    }
    std::sort(places.begin(), places.end());
    EXPECT_GT(std::unique(places.begin(), places.end()) - places.begin(), 3800);  // at random: 3971
}
TEST(HashedNumbers, TellsThingsApartByTheNextFunctionThatShareAPlaceUnderOne) {
    const auto place = [](std::uint32_t token, std::uint32_t function) {
        detail::sequence_hash hash(function);
        hash.add(token);
        return hash.value() & 0xFFF;
    };
    std::vector<std::uint64_t> places;
    for (std::uint32_t t = 0; t < 1u << 20; ++t)
        if (place(t, 0) == 0) places.push_back(place(t, 1));
    const std::size_t size = places.size();
    EXPECT_GT(size, 200u);  // at random: 256
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    EXPECT_GT(places.size(), size * 9 / 10);  // at random: 97 in 100
}

}  // namespace
}  // namespace riffle_tests::ngram_drafters
