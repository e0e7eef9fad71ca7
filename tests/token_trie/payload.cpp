// The payload of a token trie: what is read, and what is refused and where.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/token_trie.hpp>

namespace riffle_tests::token_trie_payload {
namespace {

using namespace riffle;

/// A payload of one descriptor.
std::string of_leaves(const std::string& leaves, const std::string& path = "action") {
    return R"({"modelId":"m","descriptors":[{"path":")" + path + R"(","leaves":[)" + leaves + "]}]}";
}
std::string problem_of(const std::string& payload, std::int32_t size = 100, const token_trie_options& options = {}) {
    const parsed<token_trie> read = parse_token_trie(payload, size, options);
    EXPECT_FALSE(read.ok()) << payload;
    return read.problem().message();
}

TEST(TokenTriePayload, IsRead) {
    const parsed<token_trie> read = parse_token_trie(
        R"({"modelId": "eliza-1-4b", "descriptors": [
            {"path": "parameters.agentType", "leaves": [{"name": "REPLY", "tokens": [1, 2]}]},
            {"path": "contexts[]", "leaves": [{"name": "b", "tokens": [9]}, {"name": "a", "tokens": [7, 8]}]}]})",
        100);
    ASSERT_TRUE(read.ok()) << read.problem().message();
    EXPECT_TRUE(read.warnings().empty());
    EXPECT_EQ(read->model_id(), "eliza-1-4b");
    EXPECT_EQ(read->vocabulary_size(), 100);
    ASSERT_EQ(read->size(), 2u);
    EXPECT_EQ(read->path(0), "parameters.agentType");  // verbatim
    EXPECT_EQ(read->path(1), "contexts[]");
    EXPECT_EQ(read->path(2), "");
    EXPECT_EQ(read->find("contexts[]"), 1);
    EXPECT_EQ(read->find("contexts"), -1);
    ASSERT_EQ(read->leaf_count(1), 2u);
    EXPECT_EQ(read->leaf_name(1, 0), "a");  // in the order of the names
    EXPECT_EQ(read->leaf_name(1, 1), "b");
    EXPECT_EQ(read->leaf_name(1, 2), "");
    EXPECT_EQ(read->leaf_name(2, 0), "");
}

TEST(TokenTriePayload, MayHaveOtherNamesAndAnyOrder) {
    const parsed<token_trie> read = parse_token_trie(
        R"({"descriptors":[{"leaves":[{"score":0.5,"tokens":[1],"name":"x","more":{"name":7,"tokens":"?"}}],
            "note":[{"leaves":[]},null,true],"path":"p"}],"modelId":"m","z":-1e3})",
        100);
    ASSERT_TRUE(read.ok()) << read.problem().message();
    EXPECT_EQ(read->leaf_name(0, 0), "x");
}

TEST(TokenTriePayload, LeavesOutLeavesWithoutTokens) {
    const parsed<token_trie> read =
        parse_token_trie(of_leaves(R"({"name":"EMPTY","tokens":[]},{"name":"REPLY","tokens":[12,34]})"), 100);
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(read->leaf_count(0), 1u);
    ASSERT_EQ(read.warnings().size(), 1u);
    EXPECT_EQ(read.warnings()[0].message(), "in /descriptors/0/leaves/0: this leaf has no tokens, so it is left out");
    std::string many = R"({"name":"REPLY","tokens":[12]})";
    for (int i = 0; i < 1000; ++i) many += R"(,{"name":"EMPTY","tokens":[]})";
    const parsed<token_trie> of_many = parse_token_trie(of_leaves(many), 100);
    ASSERT_EQ(of_many.warnings().size(), 17u);
    EXPECT_EQ(of_many.warnings()[16].message(), "984 more leaves have no tokens");
}

TEST(TokenTriePayload, OfNoLeavesIsAProblemOfItsOwn) {
    for (const std::string& empty : {std::string(R"({"modelId":"test","descriptors":[]})"), of_leaves(""),
                                     of_leaves(R"({"name":"x","tokens":[]})")}) {
        const parsed<token_trie> read = parse_token_trie(empty, 100);
        EXPECT_FALSE(read.ok());
        EXPECT_TRUE(has_no_leaves(read.problem())) << read.problem().message();
        EXPECT_EQ(read.problem().where, "/descriptors");
    }
    EXPECT_FALSE(has_no_leaves(parse_token_trie("{", 100).problem()));
}

TEST(TokenTriePayload, ThatIsWrongHasAPlaceAndASentence) {
    const std::pair<std::string, std::string> wrong[] = {
        {"", "1:1: this is not JSON"},
        {"{", "1:2: this is not JSON"},
        {R"({"modelId":"m")"
         "\n,}",
         "2:2: this is not JSON"},
        {"[]", "a payload is an object"},
        {"7", "a payload is an object"},
        {"null", "a payload is an object"},
        {R"({"descriptors":[]})", "this object has no modelId"},
        {R"({"modelId":"m"})", "this object has no descriptors"},
        {R"({"modelId":7,"descriptors":[]})", "in /modelId: this has to be a string"},
        {R"({"modelId":null,"descriptors":[]})", "in /modelId: this has to be a string"},
        {R"({"modelId":[],"descriptors":[]})", "in /modelId: this has to be a string"},
        {R"({"modelId":"m","descriptors":{}})", "in /descriptors: this has to be an array"},
        {R"({"modelId":"m","descriptors":"no"})", "in /descriptors: this has to be an array"},
        {R"({"modelId":"m","descriptors":[7]})", "in /descriptors/0: a descriptor is an object"},
        {R"({"modelId":"m","descriptors":[{"leaves":[]}]})", "in /descriptors/0: this object has no path"},
        {R"({"modelId":"m","descriptors":[{"path":"p"}]})", "in /descriptors/0: this object has no leaves"},
        {R"({"modelId":"m","descriptors":[{"path":1,"leaves":[]}]})",
         "in /descriptors/0/path: this has to be a string"},
        {of_leaves("true"), "in /descriptors/0/leaves/0: a leaf is an object"},
        {of_leaves(R"({"name":"a","tokens":[1]},{"name":"b"})"),
         "in /descriptors/0/leaves/1: this object has no tokens"},
        {of_leaves(R"({"tokens":[1]})"), "in /descriptors/0/leaves/0: this object has no name"},
        {of_leaves(R"({"name":{},"tokens":[1]})"), "in /descriptors/0/leaves/0/name: this has to be a string"},
        {of_leaves(R"({"name":"a","tokens":"1"})"), "in /descriptors/0/leaves/0/tokens: this has to be an array"},
        {of_leaves(R"({"name":"a","tokens":[1,[2]]})"), "in /descriptors/0/leaves/0/tokens/1: a token is an integer"},
        {of_leaves(R"({"name":"a","tokens":[1,2.5]})"), "in /descriptors/0/leaves/0/tokens/1: a token is an integer"},
        {of_leaves(R"({"name":"a","tokens":[1e99]})"), "in /descriptors/0/leaves/0/tokens/0: a token is an integer"},
        {of_leaves(R"({"name":"a","tokens":[null]})"), "in /descriptors/0/leaves/0/tokens/0: a token is an integer"},
        {of_leaves(R"({"name":"a","tokens":[-1]})"),
         "in /descriptors/0/leaves/0/tokens/0: the vocabulary has no such token"},
        {of_leaves(R"({"name":"a","tokens":[1,2,100]})"),
         "in /descriptors/0/leaves/0/tokens/2: the vocabulary has no such token"},
        {of_leaves(R"({"name":"a","tokens":[18446744073709551615]})"),
         "in /descriptors/0/leaves/0/tokens/0: the vocabulary has no such token"},
        {R"({"modelId":"m","modelId":"m","descriptors":[]})", "a name stands twice in this object"},
        {of_leaves(R"({"name":"a","tokens":[1],"name":"b"})"),
         "in /descriptors/0/leaves/0: a name stands twice in this object"},
        {R"({"modelId":"m","descriptors":[],"x":{"y":1,"y":2}})", "in /x: a name stands twice in this object"},
        {R"({"x/y~":{"a":1,"a":2}})", "in /x~1y~0: a name stands twice in this object"},
        {R"({"modelId":"m","descriptors":[],"x":[[[[[[[[]]]]]]]]})",
         "in /x: values are nested more deeply than the limit allows"},
    };
    for (const auto& [payload, message] : wrong) {
        EXPECT_EQ(problem_of(payload), message) << payload;
    }
    EXPECT_NE(problem_of(of_leaves(R"({"name":"a","tokens":[1e999]})")).find("out of range"),
              std::string::npos);
    EXPECT_NE(problem_of(std::string("{\0}", 3)).find("not JSON"), std::string::npos);
    EXPECT_NE(problem_of(of_leaves("{\"name\":\"\xff\",\"tokens\":[1]}")).find("not JSON"), std::string::npos);
}

TEST(TokenTriePayload, IsRefusedBeyondItsLimits) {
    const std::string good = of_leaves(R"({"name":"a","tokens":[1]})");
    EXPECT_TRUE(parse_token_trie(good, 100, {.text_bytes = good.size(), .depth = 6}).ok());
    EXPECT_EQ(problem_of(good, 100, {.text_bytes = good.size() - 1}), "the payload is longer than the limit allows");
    EXPECT_NE(problem_of(good, 100, {.depth = 5}).find("nested more deeply"), std::string::npos);
    EXPECT_NE(problem_of(good, 1).find("no such token"), std::string::npos);
    EXPECT_NE(problem_of(good, 0).find("no such token"), std::string::npos);
    EXPECT_NE(problem_of(good, -5).find("no such token"), std::string::npos);
    const std::string deep(100'000, '[');
    EXPECT_FALSE(parse_token_trie(deep, 100).ok());
    EXPECT_FALSE(parse_token_trie(R"({"x":)" + deep, 100).ok());
}

TEST(TokenTriePayload, IsForAModel) {
    const std::string good = of_leaves(R"({"name":"a","tokens":[1]})");
    EXPECT_TRUE(parse_token_trie(good, 100, {.model_id = "m"}).ok());
    EXPECT_EQ(problem_of(good, 100, {.model_id = "eliza-1-4b"}),
              "in /modelId: the payload is for another model, \"m\"");
}

vocabulary four_words() {
    vocabulary words;
    words.add("RE");
    words.add("PLY");
    words.add("</s>", token_role::end_of_generation | token_role::control);
    words.add("<call>", token_role::control);
    return words;
}

TEST(TokenTriePayload, HasNoSpecialTokensUnlessTheyAreAllowed) {
    const vocabulary words = four_words();
    for (const char* special : {"2", "3"}) {
        const std::string payload = of_leaves(std::string(R"({"name":"a","tokens":[0,)") + special + "]}");
        const parsed<token_trie> read = parse_token_trie(payload, words);
        EXPECT_FALSE(read.ok());
        EXPECT_EQ(read.problem().message(),
                  "in /descriptors/0/leaves/0/tokens/1: a control token, or one that ends generation, is no part of a "
                  "value");
        EXPECT_TRUE(parse_token_trie(payload, words, {.allow_special = true}).ok());
        EXPECT_TRUE(parse_token_trie(payload, 4).ok());  // nobody says what they are
    }
    EXPECT_FALSE(parse_token_trie(of_leaves(R"({"name":"a","tokens":[4]})"), words, {.allow_special = true}).ok());
}

TEST(TokenTriePayload, IsVerifiedAgainstAVocabulary) {
    const vocabulary words = four_words();
    const parsed<token_trie> read = parse_token_trie(
        of_leaves(R"({"name":"REPLY","tokens":[0,1]},{"name":"REPLAY","tokens":[0,1]},{"name":"PLY","tokens":[1]},
                     {"name":"STOP","tokens":[1,0]})"),
        100);
    ASSERT_TRUE(read.ok());
    const std::vector<parse_problem> wrong = read->verify(words);
    ASSERT_EQ(wrong.size(), 2u);
    std::vector<std::string> messages{wrong[0].message(), wrong[1].message()};
    std::sort(messages.begin(), messages.end());
    EXPECT_EQ(messages[0], "in action: REPLAY: its tokens spell \"REPLY\"");
    EXPECT_EQ(messages[1], "in action: STOP: its tokens spell \"PLYRE\"");
    vocabulary blank;
    blank.add(" RE");
    blank.add("PLY");
    EXPECT_TRUE(parse_token_trie(of_leaves(R"({"name":"REPLY","tokens":[0,1]})"), blank)->verify(blank).empty());
    EXPECT_EQ(parse_token_trie(of_leaves(R"({"name":"PLYRE","tokens":[1,0]})"), blank)->verify(blank).size(), 1u);
}

TEST(TokenTriePayload, IsVerifiedInTimeThatGrowsWithItsLeaves) {  // quadratic, it would take minutes
    vocabulary words;
    for (int i = 0; i < 100; ++i) words.add("letters" + std::to_string(i));
    std::vector<token_id> spelling(400000);
    std::string name;
    for (std::size_t i = 0; i < spelling.size(); ++i) {
        spelling[i] = token_id(i * 31 % 100);
        const text piece = words.piece(spelling[i]);
        name.append(piece.data(), piece.size());
    }
    std::vector<token_leaf> leaves{{text(name), spelling}};
    std::vector<std::string> names(20000);
    for (std::size_t i = 0; i < names.size(); ++i)
        leaves.push_back({text(names[i] = "n" + std::to_string(i)), std::span(spelling).subspan(i / 2, 2)});
    const parsed<token_trie> made = make_token_trie("action", leaves, words);
    ASSERT_TRUE(made.ok());
    EXPECT_EQ(made->verify(words).size(), names.size());
}

TEST(TokenTriePayload, MakesWhatLeavesMakeWithoutOne) {
    const std::vector<token_id> reply{1, 2}, thread{1, 2, 3}, none{};
    const token_leaf leaves[] = {{"REPLY", reply}, {"REPLY_THREAD", thread}, {"NONE", none}};
    const parsed<token_trie> made = make_token_trie("action", leaves, 100);
    ASSERT_TRUE(made.ok());
    EXPECT_EQ(made->size(), 1u);
    EXPECT_EQ(made->path(0), "action");
    EXPECT_EQ(made->leaf_count(0), 2u);
    ASSERT_EQ(made.warnings().size(), 1u);
    EXPECT_EQ(made.warnings()[0].where, "NONE");
    EXPECT_EQ(made->model_id(), "");
    EXPECT_EQ(make_token_trie("action", leaves, 3).problem().message(),
              "in REPLY_THREAD: the vocabulary has no such token");
    EXPECT_TRUE(has_no_leaves(make_token_trie("action", {leaves + 2, 1}, 100).problem()));
    const vocabulary words = four_words();
    EXPECT_FALSE(make_token_trie("action", {leaves, 1}, words).ok());
    EXPECT_TRUE(make_token_trie("action", {leaves, 1}, words, {.allow_special = true}).ok());
}

TEST(TokenTriePayload, OfTwelveBytesANode) {
    std::string leaves;
    for (int i = 0; i < 300; ++i)
        leaves += (i ? "," : "") + std::string(R"({"name":"n)") + std::to_string(i) + R"(","tokens":[)" +
                  std::to_string(i % 7) + ',' + std::to_string(i % 40) + ',' + std::to_string(i) + "]}";
    const parsed<token_trie> read = parse_token_trie(of_leaves(leaves), 1000);
    ASSERT_TRUE(read.ok());
    EXPECT_GT(read->node_count(), 300u);
    EXPECT_LE(read->node_bytes(), 12 * (read->node_count() + read->size()));
    EXPECT_LE(read->node_bytes(), 16 * read->node_count());
}

}  // namespace
}  // namespace riffle_tests::token_trie_payload
