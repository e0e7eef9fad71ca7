// JSON schemas from settings: the stage stands first, and what cannot be made of them is said.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/json_schema.hpp>
#include <riffle/riffle.hpp>
#include <riffle/settings.hpp>

namespace riffle_tests::json_schema_settings {
namespace {

using namespace riffle;

const vocabulary& bytes() {
    static const vocabulary all = [] {
        vocabulary v;
        for (int b = 0; b < 256; ++b) v.add(std::string(1, char(b)), token_role::text);
        v.add("</s>", token_role::control | token_role::end_of_generation);
        return v;
    }();
    return all;
}
/// What a chain writes where all tokens are equally likely.
std::string written(dynamic_chain& c) {
    std::string all;
    const std::vector<float> logits(257, 0.0f);
    for (token_id token; (token = c.sample(logits)) != 256 && token != null_token && all.size() < 1000;) {
        all += char(token);
        c.accept(token);
    }
    return all;
}

TEST(JsonSchemaSettings, MakeTheFirstStage) {
    chain_settings s;
    ASSERT_TRUE(s.read(R"(top_k=40; json_schema={"const": {"a": ["\u003B", 1]}} ;temp=0.7)")) << s.problem();
    dynamic_chain c;
    constrain_by_schema by_schema(json_schema_options{.whitespace = json_whitespace::compact});
    ASSERT_TRUE(s.build(c, &bytes(), by_schema)) << by_schema.problem().message();
    EXPECT_STREQ(c.view().name(0), "constrain");
    EXPECT_STREQ(c.view().name(1), "top_k");
    EXPECT_EQ(written(c), R"({"a":[";",1]})");
    constrain_by_schema by_trie{vocabulary_trie(bytes()), {.whitespace = json_whitespace::single_space}};
    dynamic_chain of_trie;
    ASSERT_TRUE(s.build(of_trie, nullptr, by_trie));
    EXPECT_EQ(written(of_trie), R"({"a": [";", 1]})");
}
TEST(JsonSchemaSettings, StillReadGrammars) {
    chain_settings s;
    ASSERT_TRUE(s.read("grammar=root ::= \"ab\""));
    constrain_by_schema by_schema;
    dynamic_chain c;
    ASSERT_TRUE(s.build(c, &bytes(), by_schema));
    EXPECT_EQ(written(c), "ab");
}
TEST(JsonSchemaSettings, SayWhatCannotBeMade) {
    chain_settings s;
    s.json_schema = R"({"type": "strin"})";
    dynamic_chain c;
    constrain_by_schema by_schema;
    EXPECT_STREQ(s.build(c, &bytes(), by_schema).message().c_str(), "settings: json_schema = 17 bytes long, cannot be compiled");
    EXPECT_EQ(by_schema.problem().where, "/type");
    EXPECT_STREQ(s.build(c, nullptr, by_schema).message().c_str(), "settings: json_schema = 0 needs a vocabulary");
    for (const status& without : {s.build(c, &bytes()), s.build(c, &bytes(), constrain_by_text())})
        EXPECT_STREQ(without.message().c_str(),
                     "settings: json_schema = 17 bytes long, and build was given nothing to read it with (constrain_by_schema)");
    s.grammar = "root ::= \"a\"";
    EXPECT_STREQ(s.build(c, &bytes(), by_schema).message().c_str(),
                 "settings: json_schema = 17 bytes long, beside a grammar: one of them is enough");
    EXPECT_EQ(c.view().size(), 0u) << "nothing is built";
}

}  // namespace
}  // namespace riffle_tests::json_schema_settings
