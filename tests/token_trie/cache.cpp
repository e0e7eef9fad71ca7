// Tries that are kept for payloads that come again.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/riffle.hpp>
#include <riffle/token_trie.hpp>

namespace riffle_tests::token_trie_cache_of_payloads {
namespace {

using namespace riffle;

std::string payload(int number, const std::string& model = "m") {
    return R"({"modelId":")" + model + R"(","descriptors":[{"path":"action","leaves":[{"name":"a","tokens":[)" +
           std::to_string(number) + R"(]},{"name":"b","tokens":[1,2]}]}]})";
}

TEST(TokenTrieCache, GivesTheTrieThatItHas) {
    token_trie_cache cache(1000);
    const parsed<token_trie> first = cache.parse(payload(7)), again = cache.parse(payload(7));
    ASSERT_TRUE(first.ok());
    EXPECT_TRUE(*first == *again);
    EXPECT_EQ(cache.size(), 1u);
    EXPECT_EQ(cache.hits(), 1u);
    const parsed<token_trie> other = cache.parse(payload(8));
    EXPECT_FALSE(*first == *other);
    const parsed<token_trie> of_another_model = cache.parse(payload(7, "n"));
    EXPECT_FALSE(*first == *of_another_model);
    EXPECT_EQ(of_another_model->model_id(), "n");
    EXPECT_EQ(cache.hits(), 1u);
}

TEST(TokenTrieCache, SharesWhatMeansTheSame) {
    token_trie_cache cache(1000);
    const parsed<token_trie> one = cache.parse(payload(7));
    const parsed<token_trie> in_another_order = cache.parse(
        R"( {"descriptors":[{"leaves":[{"tokens":[1,2],"name":"b"},{"name":"x","tokens":[]},
            {"name":"a","tokens":[7]}],"path":"action"}],"modelId":"m"} )");
    ASSERT_TRUE(in_another_order.ok());
    EXPECT_TRUE(*one == *in_another_order);
    EXPECT_EQ(in_another_order.warnings().size(), 1u);  // its own
    EXPECT_EQ(cache.size(), 2u);
    const std::vector<token_id> seven{7}, both{1, 2};
    const token_leaf leaves[] = {{"a", seven}, {"b", both}};
    EXPECT_FALSE(*one == *make_token_trie("action", leaves, 1000));
}

TEST(TokenTrieCache, KeepsNoProblems) {
    token_trie_cache cache(1000);
    for (int i = 0; i < 2; ++i) {
        EXPECT_FALSE(cache.parse("{").ok());
        EXPECT_TRUE(has_no_leaves(cache.parse(R"({"modelId":"m","descriptors":[]})").problem()));
        EXPECT_EQ(cache.parse(payload(1000)).problem().where, "/descriptors/0/leaves/0/tokens/0");
    }
    EXPECT_EQ(cache.size(), 0u);
    EXPECT_EQ(cache.bytes(), 0u);
    EXPECT_EQ(cache.hits(), 0u);
}

TEST(TokenTrieCache, DropsWhatWasUsedLeastRecently) {
    token_trie_cache cache(1000, {}, {.entries = 3});
    std::vector<token_trie> kept;
    for (int i = 0; i < 3; ++i) kept.push_back(*cache.parse(payload(i)));
    EXPECT_TRUE(*cache.parse(payload(0)) == kept[0]);
    (void)cache.parse(payload(3));  // 1 goes
    EXPECT_EQ(cache.size(), 3u);
    EXPECT_TRUE(*cache.parse(payload(0)) == kept[0]);
    EXPECT_TRUE(*cache.parse(payload(2)) == kept[2]);
    EXPECT_FALSE(*cache.parse(payload(1)) == kept[1]);
    trie_matcher m(kept[1]);  // and is still there for who has it
    EXPECT_FALSE(m.accept(1).refused);
    cache.clear();
    EXPECT_EQ(cache.size(), 0u);
    EXPECT_EQ(cache.bytes(), 0u);
    EXPECT_FALSE(*cache.parse(payload(0)) == kept[0]);
}

TEST(TokenTrieCache, HasALimitOfBytes) {
    const std::size_t one = [] {
        token_trie_cache cache(1000);
        (void)cache.parse(payload(100));
        return cache.bytes();
    }();
    EXPECT_GT(one, payload(100).size());
    token_trie_cache cache(1000, {}, {.bytes = 2 * one + one / 2});
    for (int i = 100; i < 110; ++i) {
        EXPECT_TRUE(cache.parse(payload(i)).ok());
        EXPECT_LE(cache.bytes(), 2 * one + one / 2);
    }
    EXPECT_EQ(cache.size(), 2u);
    for (const token_trie_cache_options& none : {token_trie_cache_options{.entries = 0}, {.bytes = one - 1}}) {
        token_trie_cache small(1000, {}, none);
        EXPECT_TRUE(small.parse(payload(100)).ok());
        EXPECT_EQ(small.size(), 0u);
    }
}

TEST(TokenTrieCache, KnowsTheVocabularyAndTheModel) {
    std::optional<vocabulary> words(std::in_place);
    for (int i = 0; i < 10; ++i) words->add("w", i == 5 ? token_role::control : token_role::text);
    const std::string model = "m";
    std::optional<std::string> name(model);
    token_trie_cache cache(*words, {.model_id = *name}), special(*words, {.allow_special = true});
    words.reset();
    name.reset();
    EXPECT_TRUE(cache.parse(payload(4)).ok());
    EXPECT_FALSE(cache.parse(payload(5)).ok());
    EXPECT_TRUE(special.parse(payload(5)).ok());
    EXPECT_FALSE(cache.parse(payload(10)).ok());
    EXPECT_EQ(cache.parse(payload(4, "n")).problem().where, "/modelId");
}

}  // namespace
}  // namespace riffle_tests::token_trie_cache_of_payloads
