// Grammars from parts, and talk with tool calls in it.
#include <cstdio>
#include <string>
#include <vector>

// [begin:parts]
#include <riffle/constraint.hpp>
using namespace riffle;

const grammar answer = sequence({
    literal("{\"action\": \""), captured("action", choice({"REPLY", "REPLY_THREAD", "STOP"})), literal("\", \"to\": \""),
    captured("to", *parse_gbnf("root ::= [a-z]+")), literal("\"}")});
// [end:parts]

grammar turn() {
    const parsed<grammar> look_arguments = parse_gbnf(R"(root ::= "{\"where\": " ("\"north\"" | "\"south\"") "}")");
    const parsed<grammar> say_arguments = parse_gbnf(R"(root ::= "{\"words\": \"" [^"\\\n]{1,80} "\"}")");
    // [begin:tags]
    const grammar turn = tagged_text({
        tag{.begin = "<think>", .end = "</think>", .counts = false},
        tag{.begin = "<function=look>", .content = *look_arguments, .end = "</function>"},
        tag{.begin = "<function=say>", .content = *say_arguments, .end = "</function>"},
    }, {.at_least = 1});
    // [end:tags]
    return turn;
}

/// All bytes as tokens.
vocabulary_trie bytes() {
    vocabulary words;
    for (int i = 0; i < 256; ++i) {
        const char byte = char(i);
        words.add(text(&byte, 1));
    }
    words.add("</s>", token_role::end_of_generation | token_role::control);
    return vocabulary_trie(words);
}

int main() {
    grammar_matcher said(answer, bytes()), talk(turn(), bytes());
    if (!said.accept_bytes(R"({"action": "REPLY", "to": "ann"})").ok()) return 1;
    for (const capture& c : said.captures()) std::printf("%s: %s\n", c.name.c_str(), c.bytes.c_str());
    const bool is_talk = talk.accept_bytes(R"(<think>North?</think>I look. <function=look>{"where": "north"}</function>)").ok();
    const bool has_call = talk.is_complete();
    const bool takes_anything = talk.accept_bytes("<function=look>{\"where\": \"up\"").ok();
    std::printf("the talk is %s, and its call is %s\n", is_talk ? "taken" : "refused", has_call ? "whole" : "open");
    return said.is_complete() && said.captures().size() == 2 && is_talk && has_call && !takes_anything ? 0 : 1;
}
