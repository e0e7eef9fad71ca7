// The forms of a tool call that models are trained on, each as a tagged text of schemas: what a program writes down for
// its model. (From the templates of Hermes and Qwen, Llama 3, Qwen 3 Coder, gpt-oss, Mistral and DeepSeek.)

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/json_schema.hpp>

namespace riffle_tests::json_schema_tool_calls {
namespace {

using namespace riffle;

grammar arguments_of_look() {
    static const parsed<grammar> read = compile_json_schema(
        R"({"type": "object", "properties": {"where": {"enum": ["north", "south"]}, "far": {"type": "boolean"}},
            "required": ["where"], "additionalProperties": false})",
        {.whitespace = json_whitespace::flexible});
    EXPECT_TRUE(read.ok()) << read.problem().message();
    return *read;
}
grammar arguments_of_say() {
    static const parsed<grammar> read = compile_json_schema(
        R"({"type": "object", "properties": {"words": {"type": "string", "maxLength": 40}}, "required": ["words"],
            "additionalProperties": false})",
        {.whitespace = json_whitespace::flexible});
    EXPECT_TRUE(read.ok()) << read.problem().message();
    return *read;
}

/// Control tokens are written by their names in the texts here.
struct model {
    vocabulary words;
    explicit model(const std::vector<std::string>& control_tokens) {
        for (int i = 0; i < 256; ++i) {
            const char byte = char(i);
            words.add(text(&byte, 1));
        }
        for (const std::string& name : control_tokens) words.add(name, token_role::control);
        words.add("</s>", token_role::end_of_generation | token_role::control);
    }
    /// Whether a text is taken, token by token.
    bool takes(const grammar& language, const std::string& said) const {
        grammar_matcher m(language, vocabulary_trie(words));
        EXPECT_TRUE((m.check)().ok()) << language.problem().message() << (m.check)().message().c_str();
        for (std::size_t at = 0; at < said.size();) {
            token_id next = std::uint8_t(said[at]);
            for (token_id id = 256; std::size_t(id) < words.size(); ++id)
                if (text(said).part(at).starts_with(words.piece(id))) next = id;
            if (m.accept(next).refused) return false;
            at += words.piece(next).size();
        }
        return m.is_complete();
    }
};

TEST(ToolCalls, InTagsAsJson) {  // Hermes, Qwen 2.5 and 3
    const auto call = [](const std::string& name, const grammar& arguments) {
        return tag{.begin = "<tool_call>\n{\"name\": \"" + name + "\", \"arguments\": ", .content = arguments, .end = "}\n</tool_call>"};
    };
    const grammar turn = tagged_text({call("look", arguments_of_look()), call("say", arguments_of_say())});
    const model of({});
    EXPECT_TRUE(of.takes(turn, "I look.\n<tool_call>\n{\"name\": \"look\", \"arguments\": {\"where\": \"north\", \"far\": true}}\n</tool_call>\n"
                               "<tool_call>\n{\"name\": \"say\", \"arguments\": {\"words\": \"hello\"}}\n</tool_call>"));
    EXPECT_FALSE(of.takes(turn, "<tool_call>\n{\"name\": \"look\", \"arguments\": {\"where\": \"up\"}}\n</tool_call>"));
    EXPECT_FALSE(of.takes(turn, "<tool_call>\n{\"name\": \"look\", \"arguments\": {\"where\": \"north\"}}"));
    // What begins alike but names no tool is free text, unless the tag is its beginning alone.
    const grammar strict = tagged_text({tag{.begin = "<tool_call>",
                                            .content = any_of({sequence({literal("\n{\"name\": \"look\", \"arguments\": "), arguments_of_look()}),
                                                               sequence({literal("\n{\"name\": \"say\", \"arguments\": "), arguments_of_say()})}),
                                            .end = "}\n</tool_call>"}});
    EXPECT_TRUE(of.takes(strict, "<tool_call>\n{\"name\": \"look\", \"arguments\": {\"where\": \"south\"}}\n</tool_call>"));
    EXPECT_FALSE(of.takes(strict, "<tool_call>\n{\"name\": \"fly\""));
    EXPECT_TRUE(of.takes(turn, "<tool_call>\n{\"name\": \"fly\""));
}

TEST(ToolCalls, AsANameAndJson) {  // Llama 3.1, with functions of its own
    const grammar turn = tagged_text({tag{.begin = "<function=look>", .content = arguments_of_look(), .end = "</function>"},
                                      tag{.begin = "<function=say>", .content = arguments_of_say(), .end = "</function>"}},
                                     {.at_least = 1});
    const model of({});
    EXPECT_TRUE(of.takes(turn, "<function=say>{\"words\": \"yes\"}</function>"));
    EXPECT_FALSE(of.takes(turn, "nothing"));
    EXPECT_FALSE(of.takes(turn, "<function=say>{\"where\": \"north\"}</function>"));
}

TEST(ToolCalls, AsParametersInXml) {  // Qwen 3 Coder
    const auto parameter = [](const std::string& name, const grammar& value) {
        return sequence({literal("<parameter=" + name + ">\n"), value});
    };
    const grammar where = sequence({choice({"north", "south"}), literal("\n</parameter>\n")});
    const grammar words = free_text_until("\n</parameter>\n");
    const grammar turn = tagged_text({tag{.begin = "<tool_call>\n<function=look>\n", .content = parameter("where", where),
                                          .end = "</function>\n</tool_call>"},
                                      tag{.begin = "<tool_call>\n<function=say>\n", .content = parameter("words", words),
                                          .end = "</function>\n</tool_call>"}});
    const model of({});
    EXPECT_TRUE(of.takes(turn, "Well.\n<tool_call>\n<function=look>\n<parameter=where>\nnorth\n</parameter>\n</function>\n</tool_call>"));
    EXPECT_TRUE(of.takes(turn, "<tool_call>\n<function=say>\n<parameter=words>\n2 < 3,\n\"so\"\n</parameter>\n</function>\n</tool_call>"));
    EXPECT_FALSE(of.takes(turn, "<tool_call>\n<function=look>\n<parameter=where>\nup\n</parameter>\n</function>\n</tool_call>"));
}

TEST(ToolCalls, BetweenControlTokens) {  // gpt-oss
    const grammar turn = sequence({
        repeat(sequence({*parse_gbnf("root ::= <|channel|>"), literal("analysis"), *parse_gbnf("root ::= <|message|>"), free_text(),
                         *parse_gbnf("root ::= <|end|>")}),
               0, 1),
        *parse_gbnf("root ::= <|channel|>"),
        any_of({sequence({literal("commentary to=functions.look"), *parse_gbnf("root ::= <|message|>"), arguments_of_look(),
                          *parse_gbnf("root ::= <|call|>")}),
                sequence({literal("final"), *parse_gbnf("root ::= <|message|>"), free_text()})})});
    const model of({"<|channel|>", "<|message|>", "<|end|>", "<|call|>"});
    EXPECT_TRUE(of.takes(turn, "<|channel|>analysis<|message|>I should look.<|end|><|channel|>commentary to=functions.look<|message|>"
                               "{\"where\":\"north\"}<|call|>"));
    EXPECT_TRUE(of.takes(turn, "<|channel|>final<|message|>All is well."));
    EXPECT_FALSE(of.takes(turn, "<|channel|>commentary to=functions.look<|message|>{\"where\":\"up\"}<|call|>"));
}

TEST(ToolCalls, AsAListBehindAControlToken) {  // Mistral
    const auto call = [](const std::string& name, const grammar& arguments) {
        return sequence({literal("{\"name\": \"" + name + "\", \"arguments\": "), arguments, literal("}")});
    };
    const grammar one = any_of({call("look", arguments_of_look()), call("say", arguments_of_say())});
    const grammar turn = tagged_text({tag{.begin = control_token("[TOOL_CALLS]"),
                                          .content = sequence({literal("["), one, repeat(sequence({literal(", "), one}), 0), literal("]")})}},
                                     {.parallel = false});
    const model of({"[TOOL_CALLS]"});
    EXPECT_TRUE(of.takes(turn, "[TOOL_CALLS][{\"name\": \"look\", \"arguments\": {\"where\": \"north\"}}, {\"name\": \"say\", "
                               "\"arguments\": {\"words\": \"a\"}}]"));
    EXPECT_TRUE(of.takes(turn, "no call"));
    EXPECT_FALSE(of.takes(turn, "[TOOL_CALLS][]"));
}

TEST(ToolCalls, InFencesBehindControlTokens) {  // DeepSeek V3
    const grammar turn = tagged_text({tag{.begin = control_token("<|tool_call_begin|>"),
                                          .content = sequence({literal("function"), *parse_gbnf("root ::= <|tool_sep|>"),
                                                               literal("look\n```json\n"), arguments_of_look(), literal("\n```")}),
                                          .end = control_token("<|tool_call_end|>")}});
    const model of({"<|tool_call_begin|>", "<|tool_sep|>", "<|tool_call_end|>"});
    EXPECT_TRUE(of.takes(turn, "<|tool_call_begin|>function<|tool_sep|>look\n```json\n{\"where\": \"north\"}\n```<|tool_call_end|>"));
    EXPECT_FALSE(of.takes(turn, "<|tool_call_begin|>function<|tool_sep|>look\n```json\n{\"where\": \"north\"}\n```"));
}

TEST(ToolCalls, BesideThoughts) {
    const grammar turn = tagged_text({tag{.begin = "<think>", .end = "</think>", .counts = false},
                                      tag{.begin = "<function=look>", .content = arguments_of_look(), .end = "</function>"}},
                                     {.at_least = 1, .parallel = false});
    const model of({});
    EXPECT_TRUE(of.takes(turn, "<think>Is <function=look>{} right?</think>Let me see: <function=look>{\"where\":\"south\"}</function>"));
    EXPECT_FALSE(of.takes(turn, "<think><function=look>{\"where\":\"south\"}</function></think>"));
}

}  // namespace
}  // namespace riffle_tests::json_schema_tool_calls
