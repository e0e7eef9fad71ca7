// What a trie leaves legal, and where tokens lead in it. The tests that elizaOS/eliza has for its builder of tries
// (packages/ui/src/services/local-inference/token-tree.test.ts) and plans for a sampler (native/docs/
// TOKEN_TRIE_SAMPLER.md) are here as facts of our own; so is what those leave open.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/llama_exact.hpp>
#include <riffle/riffle.hpp>
#include <riffle/token_trie.hpp>

#include "token_trie/slow_trie.hpp"

namespace riffle_tests::token_trie_matcher {
namespace {

using namespace riffle;

token_trie trie_of(const std::vector<slow_leaf>& leaves, std::int32_t vocabulary_size = 1000) {
    const parsed<token_trie> read = parse_token_trie(slow_trie(leaves).payload(), vocabulary_size);
    EXPECT_TRUE(read.ok()) << read.problem().message();
    return *read;
}
const std::vector<slow_leaf> reply_and_thread{{"REPLY", {1, 2}}, {"REPLY_THREAD", {1, 2, 3}}};

std::vector<token_id> legal_of(const trie_matcher& m) {
    const legal_tokens legal = m.legal();
    EXPECT_FALSE(legal.are_all);
    return {legal.ids.begin(), legal.ids.end()};
}
using ids = std::vector<token_id>;

// ---- facts of the builder of tries

TEST(TokenTrie, OfNothingConstrainsNothing) {
    EXPECT_EQ(token_trie().size(), 0u);
    EXPECT_EQ(token_trie().node_count(), 0u);
    trie_matcher m;
    EXPECT_EQ(m.status(), trie_status::inactive);
    EXPECT_TRUE(m.legal().are_all);
    EXPECT_TRUE(m.allows(5));
    EXPECT_FALSE(m.accept(5).refused);
    EXPECT_EQ(m.leaf(), -1);
    EXPECT_TRUE(m.forced_run().empty());
    EXPECT_FALSE(m.select(0).ok());
    EXPECT_FALSE(m.select(-1).ok());
    EXPECT_FALSE(m.select(std::size_t{0}).ok());
    EXPECT_FALSE(m.select("action").ok());
    EXPECT_TRUE(m.rollback(m.mark()).ok());
    EXPECT_TRUE(m.set_exits(ids{1, 2}).ok());
    m.reset();
    m.clear();
}

TEST(TokenTrie, SharesBeginnings) {
    const token_trie trie = trie_of({{"OWNER_REMINDERS", {10, 20, 30}}, {"OWNER_ACTIONS", {10, 20, 40}}});
    EXPECT_EQ(trie.node_count(), 5u);  // the root among them
    trie_matcher m(trie);
    EXPECT_EQ(legal_of(m), ids({10}));
    EXPECT_EQ(m.forced_run(), ids({10, 20}));
    m.accept(10);
    EXPECT_EQ(legal_of(m), ids({20}));
    m.accept(20);
    EXPECT_EQ(legal_of(m), ids({30, 40}));
    EXPECT_FALSE(m.is_complete());
    EXPECT_TRUE(m.forced_run().empty());
    trie_matcher other = m;
    m.accept(30);
    other.accept(40);
    EXPECT_EQ(m.status(), trie_status::done);
    EXPECT_EQ(m.leaf_name(), "OWNER_REMINDERS");
    EXPECT_EQ(other.leaf_name(), "OWNER_ACTIONS");
    EXPECT_EQ(m.leaf(), 1);
    EXPECT_EQ(other.leaf(), 0);
}

TEST(TokenTrie, OfTwoNamesWithOneTokenListHasTheSmallest) {
    const token_trie trie = trie_of({{"ZULU", {7, 8}}, {"ALPHA", {7, 8}}, {"MIKE", {7, 8}}, {"MIKE", {7, 8}}});
    trie_matcher m(trie);
    m.accept(7);
    m.accept(8);
    EXPECT_EQ(m.leaf_name(), "ALPHA");
    EXPECT_EQ(trie.leaf_count(0), 3u);
    EXPECT_EQ(trie.aliases(0, 0), (std::vector<std::size_t>{1, 2}));
    EXPECT_TRUE(trie.aliases(0, 1).empty());
    EXPECT_TRUE(trie.aliases(7, 0).empty());
}

TEST(TokenTrie, KeepsTwoTokenListsOfOneName) {
    const token_trie trie = trie_of({{"STOP", {7, 8}}, {"STOP", {9}}, {"ASK", {7, 7}}});
    EXPECT_EQ(trie.leaf_count(0), 2u);
    for (const ids& way : {ids{7, 8}, ids{9}}) {
        trie_matcher m(trie);
        for (const token_id token : way) EXPECT_FALSE(m.accept(token).refused);
        EXPECT_EQ(m.leaf(), 1);
        EXPECT_EQ(m.leaf_name(), "STOP");
    }
}

TEST(TokenTrie, RefusesWhatLeadsNowhere) {
    trie_matcher m(trie_of({{"X", {99}}}));
    const std::uint64_t before = m.mark();
    const step refused = m.accept(100);
    EXPECT_TRUE(refused.refused);
    EXPECT_STREQ(refused.state.message().c_str(), "trie_matcher: token = 100 does not go on with any value");
    EXPECT_EQ(m.mark(), before);
    EXPECT_FALSE(m.allows(-1));
    EXPECT_TRUE(m.accept(-1).refused);
    EXPECT_TRUE(m.accept(std::numeric_limits<token_id>::max()).refused);
    EXPECT_FALSE(m.accept(99).refused);
    EXPECT_EQ(m.status(), trie_status::done);
}

TEST(TokenTrie, IsOfATurn) {
    const std::vector<slow_leaf> first{{"REPLY", {1, 2}}, {"STOP", {9}}};
    std::vector<slow_leaf> second = first;
    second.push_back({"OWNER_REMINDERS", {3, 4, 5}});
    second.push_back({"OWNER_ACTIONS", {3, 4, 6}});
    EXPECT_EQ(legal_of(trie_matcher(trie_of(first))), ids({1, 9}));
    const token_trie trie = trie_of(second);
    trie_matcher m(trie);
    EXPECT_EQ(legal_of(m), ids({1, 3, 9}));
    m.accept(3);
    m.accept(4);
    EXPECT_EQ(legal_of(m), ids({5, 6}));
    std::vector<std::string> names;
    for (std::size_t i = 0; i < trie.leaf_count(0); ++i)
        names.emplace_back(trie.leaf_name(0, i).data(), trie.leaf_name(0, i).size());
    EXPECT_EQ(names, (std::vector<std::string>{"OWNER_ACTIONS", "OWNER_REMINDERS", "REPLY", "STOP"}));
}

TEST(TokenTrie, GrowsWithItsTokens) {
    EXPECT_GT(trie_of({{"A", {1, 2, 3, 4, 5}}, {"B", {6, 7, 8, 9, 10}}}).node_bytes(), trie_of({{"X", {1}}}).node_bytes());
}

// ---- facts of the sampler that was planned

TEST(TokenTrie, MasksAtOnce) {
    const parsed<token_trie> trie = parse_token_trie(R"({"modelId": "test", "descriptors": [{"path": "action",
        "leaves": [{"name": "THINK", "tokens": [100, 101]}, {"name": "EXECUTE", "tokens": [200]}]}]})",
                                                     1000);
    ASSERT_TRUE(trie.ok());
    auto c = chain<llama_exact>(constrain{trie_matcher(*trie)}, greedy{});
    token_data tokens[] = {{100, 5.0f, 0.0f}, {200, 4.0f, 0.0f}, {999, 6.0f, 0.0f}};
    candidates all{tokens, 3, -1, false};
    ASSERT_TRUE(c.apply(all).ok());
    ASSERT_EQ(all.size, 3u);
    EXPECT_EQ(all[0].logit, 5.0f);
    EXPECT_EQ(all[1].logit, 4.0f);
    EXPECT_EQ(all[2].logit, -std::numeric_limits<float>::infinity());
    EXPECT_EQ(all.selected, 0);
}

TEST(TokenTrie, WalksToAValueAndPassesAllTokensThen) {
    trie_matcher m(trie_of({{"THINK", {100, 101}}}));
    EXPECT_EQ(legal_of(m), ids({100}));
    m.accept(100);
    EXPECT_EQ(legal_of(m), ids({101}));
    m.accept(101);
    EXPECT_EQ(m.status(), trie_status::done);
    EXPECT_TRUE(m.legal().are_all);
    EXPECT_TRUE(m.consumed());
    EXPECT_FALSE(m.accept(7).refused);
    EXPECT_FALSE(m.consumed());
    EXPECT_EQ(m.leaf_name(), "THINK");  // still
    m.reset();
    EXPECT_EQ(legal_of(m), ids({100}));
    EXPECT_EQ(m.leaf(), -1);
}

// ---- a value that begins a longer one

TEST(TokenTrie, ReachesAValueThatALongerOneBeginsWith) {
    const token_trie trie = trie_of(reply_and_thread);
    trie_matcher shorter(trie), longer(trie);
    for (trie_matcher* m : {&shorter, &longer}) {
        EXPECT_EQ(m->forced_run(), ids({1, 2}));  // and no further
        m->accept(1);
        m->accept(2);
        EXPECT_EQ(m->status(), trie_status::active);
        EXPECT_TRUE(m->is_complete());
        EXPECT_EQ(m->leaf(), -1);
        EXPECT_TRUE(m->legal().are_all);
        EXPECT_TRUE(m->forced_run().empty());
    }
    EXPECT_FALSE(longer.accept(3).refused);
    EXPECT_EQ(longer.leaf_name(), "REPLY_THREAD");
    EXPECT_TRUE(longer.consumed());
    EXPECT_FALSE(shorter.accept(50).refused);
    EXPECT_EQ(shorter.leaf_name(), "REPLY");
    EXPECT_FALSE(shorter.consumed());  // it belongs to what follows
    EXPECT_TRUE(shorter.legal().are_all);
}

TEST(TokenTrie, IsLedByTheGreatestLogitThere) {  // as token-tree.ts says
    auto c = constrain{trie_matcher(trie_of(reply_and_thread, 100))} | greedy{};
    for (const token_id greatest : {3, 60}) {
        c.reset();
        get<constrain<trie_matcher>>(c).matcher.reset();
        std::vector<float> row(100, 0.0f);
        row[std::size_t(greatest)] = 5.0f;
        EXPECT_EQ(c.sample(row), 1);
        EXPECT_EQ(c.sample(row), 2);
        EXPECT_EQ(c.sample(row), greatest);
        EXPECT_EQ(get<constrain<trie_matcher>>(c).matcher.leaf_name(), greatest == 3 ? "REPLY_THREAD" : "REPLY");
    }
}

TEST(TokenTrie, HasExits) {
    trie_matcher m(trie_of(reply_and_thread));
    ASSERT_TRUE(m.set_exits(ids{40, 3, 41, 40, -7}).ok());
    EXPECT_EQ(legal_of(m), ids({1}));
    m.accept(1);
    EXPECT_FALSE(m.allows(40));
    m.accept(2);
    EXPECT_EQ(legal_of(m), ids({3, 40, 41}));
    EXPECT_TRUE(m.accept(50).refused);
    EXPECT_EQ(m.status(), trie_status::active);
    trie_matcher other = m;
    EXPECT_FALSE(m.accept(41).refused);
    EXPECT_EQ(m.leaf_name(), "REPLY");
    EXPECT_FALSE(other.accept(3).refused);  // a longer value goes before an exit
    EXPECT_EQ(other.leaf_name(), "REPLY_THREAD");
    m.reset();
    ASSERT_TRUE(m.set_exits({}).ok());
    m.accept(1);
    m.accept(2);
    EXPECT_TRUE(m.legal().are_all);
    EXPECT_TRUE(m.set_exits(ids{-1, -2}).ok());  // a model that has no such token: as none
    EXPECT_TRUE(m.legal().are_all);
    EXPECT_TRUE(m.allows(50));
}

TEST(TokenTrie, RefusesMoreExitsThanItHasRoomFor) {
    std::vector<slow_leaf> leaves;
    for (int i = 0; i < 100; ++i) {
        leaves.push_back({"s" + std::to_string(i), {i}});
        leaves.push_back({"l" + std::to_string(i), {i, 1}});
    }
    trie_matcher m(trie_of(leaves, 100000));
    ids all(90000);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = token_id(i);
    EXPECT_FALSE(m.set_exits(all).ok());  // 100 lists of 90,000
    m.accept(3);
    EXPECT_TRUE(m.legal().are_all);
    all.resize(30000);
    EXPECT_TRUE(m.set_exits(all).ok());
    EXPECT_EQ(legal_of(m).size(), 30000u);
}

// ---- descriptors

token_trie two_descriptors() {
    return *parse_token_trie(R"({"modelId":"m","descriptors":[
        {"path":"action","leaves":[{"name":"REPLY","tokens":[1]}]}, {"path":"none","leaves":[]},
        {"path":"contexts[]","leaves":[{"name":"a","tokens":[5,6]},{"name":"b","tokens":[7]}]}]})",
                             100);
}

TEST(TokenTrie, OfSeveralDescriptorsWaitsUntilOneIsSelected) {
    trie_matcher m(two_descriptors());
    EXPECT_EQ(m.status(), trie_status::inactive);
    EXPECT_EQ(m.descriptor(), -1);
    EXPECT_TRUE(m.legal().are_all);
    m.accept(50);
    ASSERT_TRUE(m.select("contexts[]").ok());
    EXPECT_EQ(m.descriptor(), 2);
    for (int element = 0; element < 3; ++element) {  // armed again by each select, and by nothing else
        EXPECT_EQ(legal_of(m), ids({5, 7}));
        m.accept(5);
        m.accept(6);
        EXPECT_EQ(m.status(), trie_status::done);
        EXPECT_EQ(m.leaf_name(), "a");
        EXPECT_TRUE(m.legal().are_all);
        ASSERT_TRUE(m.select(2).ok());
    }
    EXPECT_STREQ(m.select("action[]").message().c_str(), "trie_matcher: descriptor = -1 is none: no such path");
    EXPECT_STREQ(m.select(7).message().c_str(), "trie_matcher: descriptor = 7 is not there, or empty");
    EXPECT_STREQ(m.select("none").message().c_str(), "trie_matcher: descriptor = 1 is not there, or empty");
    EXPECT_EQ(m.descriptor(), 2);  // as before
    m.clear();
    EXPECT_EQ(m.status(), trie_status::inactive);
    m.reset();
    EXPECT_EQ(m.status(), trie_status::inactive);
}

// ---- ends

TEST(TokenTrie, ExpiresWhereNoValueComesInTime) {
    const token_trie trie = trie_of({{"LONG", {1, 2, 3, 4, 5}}});
    trie_matcher m(trie, {.most_tokens = 2});
    m.accept(1);
    m.accept(2);
    EXPECT_EQ(m.status(), trie_status::active);
    m.accept(3);
    EXPECT_EQ(m.status(), trie_status::expired);
    EXPECT_TRUE(m.legal().are_all);
    EXPECT_EQ(m.leaf(), -1);
    EXPECT_FALSE(m.accept(77).refused);
    EXPECT_EQ(m.status(), trie_status::expired);
    m.reset();
    EXPECT_EQ(m.status(), trie_status::active);
    trie_matcher either(trie_of({{"SHORT", {1, 2, 3}}, {"LONG", {1, 2, 3, 4}}}), {.most_tokens = 2});
    for (const token_id token : {1, 2, 3}) either.accept(token);
    EXPECT_EQ(either.leaf_name(), "SHORT");  // which is there
}

TEST(TokenTrie, ForcesNothingBeyondItsTime) {
    ids long_one(70000);
    for (std::size_t i = 0; i < long_one.size(); ++i) long_one[i] = token_id(i % 900);
    const token_trie trie = trie_of({{"L", long_one}});
    for (const int most : {1, 500, 65534, 65535, 0}) {
        trie_matcher m(trie, {.most_tokens = std::uint16_t(most)});
        const ids run = m.forced_run(long_one.size());
        EXPECT_EQ(run.size(), most == 0 ? long_one.size() : std::size_t(most) + (most < 65535));
        for (const token_id token : run) {
            EXPECT_EQ(m.legal().count, 1u);
            m.accept(token);
        }
        EXPECT_EQ(m.status(), most == 0 ? trie_status::done : trie_status::expired);
    }
}

TEST(TokenTrie, LetsForeignTokensThroughWhereAsked) {
    trie_matcher m(trie_of({{"X", {9, 10}}}), {.on_foreign_token = foreign_token::release});
    EXPECT_EQ(legal_of(m), ids({9}));  // it still masks
    EXPECT_TRUE(m.allows(50));
    EXPECT_FALSE(m.accept(50).refused);
    EXPECT_EQ(m.status(), trie_status::violated);
    EXPECT_TRUE(m.legal().are_all);
    EXPECT_EQ(m.leaf(), -1);
}

TEST(TokenTrie, MayEndTheText) {
    trie_matcher m(trie_of(reply_and_thread), {.ends_text = true});
    EXPECT_FALSE(m.accept(1).finished);
    EXPECT_FALSE(m.accept(2).finished);
    trie_matcher other = m;
    EXPECT_TRUE(m.accept(3).finished);
    EXPECT_TRUE(other.accept(60).finished);
}

TEST(TokenTrie, LeavesNothingWhereNoLogitIsThere) {
    auto c = constrain{trie_matcher(trie_of({{"X", {3}}, {"Y", {4}}}, 10))} | temperature{0.0f} | dist{};
    std::vector<float> row(10, 1.0f);
    row[3] = std::numeric_limits<float>::quiet_NaN();
    row[4] = -std::numeric_limits<float>::infinity();
    EXPECT_EQ(c.sample(row), null_token);
    EXPECT_TRUE(c.last_status() == status_code::no_legal_token);
    row[4] = -5.0f;
    EXPECT_EQ(c.peek(row), 4);  // a NaN counts as -inf
    row[3] = -5.0f;
    EXPECT_EQ(c.peek(row), 3);  // of ties the lowest id
    get<constrain<trie_matcher>>(c).matcher.clear();
    EXPECT_EQ(c.peek(row), 0);
}

TEST(TokenTrie, PassesAPromptBy) {
    auto c = constrain{trie_matcher(trie_of({{"X", {3}}}, 10))} | greedy{};
    c.prompt(ids{7, 8, 9});
    EXPECT_EQ(get<constrain<trie_matcher>>(c).matcher.status(), trie_status::active);
    EXPECT_EQ(c.sample(std::vector<float>(10, 0.0f)), 3);
}

// ---- counters

TEST(TokenTrie, CountsWhatItSaves) {
    trie_matcher m(trie_of({{"A", {1, 2, 3}}, {"B", {1, 2, 4}}, {"C", {1, 2, 5, 6}}}, 100));
    for (const token_id token : {1, 2, 5, 6, 50}) m.accept(token);
    const trie_counters& counted = m.counters();
    EXPECT_EQ(counted.visited, 4u);
    EXPECT_EQ(counted.forced, 3u);  // 1, 2, 6
    EXPECT_NEAR(counted.skip_ratio_mean(), (3 * 0.99 + 0.97) / 4, 1e-12);
    EXPECT_NEAR(counted.skip_ratio_deviation(), std::sqrt(3.0 / 16) * 0.02, 1e-9);
    trie_matcher short_or_long(trie_of(reply_and_thread, 100));
    for (const token_id token : {1, 2, 3}) short_or_long.accept(token);
    EXPECT_EQ(short_or_long.counters().visited, 3u);
    EXPECT_EQ(short_or_long.counters().forced, 2u);
    EXPECT_NEAR(short_or_long.counters().skip_ratio_mean(), 2 * 0.99 / 3, 1e-12);  // with the third any other could come
    EXPECT_EQ(trie_counters().skip_ratio_mean(), 0.0);
    EXPECT_EQ(trie_counters().skip_ratio_deviation(), 0.0);
}

// ---- against the list of leaves, at random

std::vector<slow_leaf> random_leaves(std::mt19937& random) {
    std::vector<slow_leaf> leaves(1 + random() % 12);
    for (slow_leaf& leaf : leaves) {
        leaf.name = std::string(1, char('a' + random() % 8));
        leaf.tokens.resize(1 + random() % 4);
        for (token_id& token : leaf.tokens) token = token_id(random() % 4);
    }
    return leaves;
}

TEST(TokenTrie, IsWhatItsLeavesSay) {
    std::mt19937 random(36);
    for (int round = 0; round < 2000; ++round) {
        const slow_trie slow(random_leaves(random));
        const token_trie trie = trie_of(slow.leaves(), 5);
        trie_matcher m(trie);
        ids so_far;
        std::vector<std::uint64_t> marks{m.mark()};
        while (m.status() == trie_status::active) {
            const std::set<token_id> going_on = slow.going_on(so_far);
            const auto leaf = slow.leaf(so_far);
            EXPECT_EQ(m.is_complete(), leaf.has_value());
            EXPECT_EQ(m.legal().are_all, leaf.has_value());
            if (!leaf) {
                EXPECT_EQ(legal_of(m), ids(going_on.begin(), going_on.end()));
            }
            for (token_id token = -1; token < 6; ++token)
                EXPECT_EQ(m.allows(token), token >= 0 && (leaf.has_value() || going_on.count(token) != 0));
            const auto run = m.forced_run();
            if (!run.empty()) {
                EXPECT_EQ(going_on, std::set<token_id>{run[0]});
            }
            const auto token = token_id(random() % 5);
            const step taken = m.accept(token);
            if (going_on.count(token) == 0) {
                EXPECT_EQ(taken.refused, !leaf.has_value());
                if (!leaf) continue;
                EXPECT_EQ(m.leaf_name(), text(*leaf));
            } else {
                so_far.push_back(token);
                if (slow.going_on(so_far).empty()) {
                    EXPECT_EQ(m.leaf_name(), text(*slow.leaf(so_far)));
                }
            }
            marks.push_back(m.mark());
        }
        // Back to each place, and forth from there.
        for (std::size_t i = marks.size(); i-- > 0;) {
            ASSERT_TRUE(m.rollback(marks[i]).ok());
            EXPECT_EQ(m.mark(), marks[i]);
        }
        trie_matcher again(trie);
        EXPECT_EQ(again.mark(), m.mark());
    }
}

TEST(TokenTrie, GoesBackToNoMarkOfALargerTrie) {
    trie_matcher small(trie_of({{"a", {1}}})), large(trie_of({{"a", {1, 2, 3}}, {"b", {4, 5}}}));
    large.accept(4);
    EXPECT_TRUE(small.rollback(large.mark()) == status_code::mark_unknown);
    EXPECT_EQ(legal_of(small), ids({1}));
    trie_matcher of_three(two_descriptors());
    for (std::uint64_t node = 0; node < 16; ++node)
        for (std::uint64_t descriptor = 1; descriptor < 4; ++descriptor) {
            const std::uint64_t mark = node | descriptor << 24 | std::uint64_t(trie_status::active) << 44;
            if (!of_three.rollback(mark).ok()) continue;
            for (const token_id token : of_three.legal().ids) EXPECT_GE(token, 0);
        }
}

TEST(TokenTrie, GoesBackToNoForeignMark) {
    trie_matcher m(two_descriptors());
    std::mt19937_64 random(3);
    for (int i = 0; i < 20000; ++i) {
        std::uint64_t mark = random();
        if (i % 2) mark &= 0x00007FF00000FFu;
        const std::uint64_t before = m.mark();
        if (m.rollback(mark).ok()) {
            EXPECT_EQ(m.mark(), mark);
            (void)m.legal();
            (void)m.accept(token_id(i % 9));
            (void)m.leaf_name();
        } else {
            EXPECT_EQ(m.mark(), before);
        }
    }
}

// ---- beside a grammar of the names

/// All ways to spell a text in a vocabulary's tokens.
void spell(const vocabulary& words, text rest, ids& so_far, const std::string& name, std::vector<slow_leaf>& into) {
    if (rest.empty()) {
        into.push_back({name, so_far});
        return;
    }
    for (token_id id = 0; std::size_t(id) < words.size(); ++id) {
        if (words.piece(id).empty() || !rest.starts_with(words.piece(id))) continue;
        so_far.push_back(id);
        spell(words, rest.part(words.piece(id).size()), so_far, name, into);
        so_far.pop_back();
    }
}

TEST(TokenTrie, OfAllTokenisationsIsTheGrammarOfItsNames) {
    vocabulary words;
    for (const char* piece : {"R", "E", "P", "L", "Y", "_", "A", "RE", "PLY", "REPLY", "_A", "EP", "LY_", "S", "REPLYS"})
        words.add(piece);
    words.add("</s>", token_role::end_of_generation | token_role::control);
    const vocabulary_trie bytes(words);
    const std::vector<std::string> names{"REPLY", "REPLY_A", "PLEA", "PLY"};
    std::vector<slow_leaf> all_ways, one_way;
    for (const std::string& name : names) {
        ids so_far;
        spell(words, name, so_far, name, all_ways);
        one_way.push_back({name, words.tokenise(name)});
    }
    const token_trie all = trie_of(all_ways, token_id(words.size())), one = trie_of(one_way, token_id(words.size()));
    std::mt19937 random(1);
    for (int round = 0; round < 300; ++round) {
        grammar_matcher by_bytes(choice(names), bytes);
        trie_matcher of_all(all), of_one(one);
        while (of_all.status() == trie_status::active) {
            ids in_grammar;
            for (token_id id = 0; std::size_t(id) + 1 < words.size(); ++id)
                if (by_bytes.allows(id)) in_grammar.push_back(id);
            if (!of_all.is_complete()) {
                EXPECT_EQ(legal_of(of_all), in_grammar);
            }
            EXPECT_EQ(of_all.is_complete(), by_bytes.is_complete());
            if (of_one.status() == trie_status::active && !of_one.is_complete())
                for (const token_id id : legal_of(of_one)) {
                    EXPECT_TRUE(by_bytes.allows(id));
                }
            if (in_grammar.empty()) break;
            const token_id token = in_grammar[random() % in_grammar.size()];
            EXPECT_FALSE(by_bytes.accept(token).refused);
            EXPECT_FALSE(of_all.accept(token).refused);
            if (of_one.accept(token).refused) of_one.clear();
        }
    }
}

}  // namespace
}  // namespace riffle_tests::token_trie_matcher
