// An agent's turn: the model thinks within a budget, then calls a tool by its schema, and all of it comes as text while
// it is written.
//
//     agent_turn                 on the quickstart's little model, learnt from a page of text
//     agent_turn MODEL.gguf      on a real one
#include <cstdio>
#include <string>
#include <vector>

#include <riffle/json_schema.hpp>
#include <riffle/riffle.hpp>

#include "../npc_grammar/language_model.hpp"
#include "../npc_grammar/talk.hpp"

using namespace riffle;

namespace {

struct tool {
    const char* name;
    const char* schema;
};
const tool tools[] = {
    {"look", R"({"type": "object", "properties": {"where": {"enum": ["tower", "bridge", "well"]}}, "required": ["where"], "additionalProperties": false})"},
    {"buy", R"({"type": "object", "properties": {"what": {"type": "string", "pattern": "^[a-z]{3,8}$"},
                "coins": {"type": "integer", "minimum": 1, "maximum": 20}}, "required": ["what", "coins"], "additionalProperties": false})"},
};

/// A few words, and one call in the end. (tagged_text has free talk around calls, as long as the model likes.)
grammar turn_of_tools() {
    std::vector<grammar> calls;
    for (const tool& t : tools) {
        const parsed<grammar> arguments =
            compile_json_schema(t.schema, {.whitespace = json_whitespace::single_space});
        if (!arguments) std::fprintf(stderr, "%s: %s\n", t.name, arguments.problem().message().c_str());
        calls.push_back(sequence({literal(std::string("<call>") + t.name + ' '), captured(t.name, *arguments)}));
    }
    const parsed<grammar> words = parse_gbnf("root ::= [A-Za-z ,.]{0,60}");
    return sequence({*words, any_of(calls), literal("</call>")});
}

}  // namespace

int main(int count, char** arguments) {
    const auto model = count > 1 ? load_gguf(arguments[1]) : learn_small_model(village_talk);
    if (!model) return 1;
    const vocabulary& words = model->words();
    const vocabulary_trie trie(words);
    const grammar turn = turn_of_tools();
    const thought_tags tags(trie,
                            {.tokens = 24, .message = " But that is enough.", .starts_inside = true, .landing_tokens = 8},
                            [&](text t) { return model->tokens_of({t.data(), t.size()}); });
    auto chain = constrain{budgeted(tags, grammar_matcher(turn, trie))} | soft_landing{.tags = tags, .anywhere = false} |
                 top_k{.k = 30} | temperature{.t = 0.7f} | dist{.seed = 4};
    const auto& at = get<constrain<budgeted<grammar_matcher>>>(chain).matcher;
    text_stream out(words);

    const std::vector<token_id> prompt = model->tokens_of("The stranger asks about the old tower. <think>");
    chain.prompt(prompt);
    model->begin(prompt);
    std::printf("<think>");
    std::size_t tokens = 0, forced = 0;
    std::vector<token_id> run(64);
    while (tokens < 400) {
        std::vector<token_id> next(run.begin(), run.begin() + std::ptrdiff_t(at.forced_run(run)));
        forced += next.size();
        for (const token_id token : next) chain.accept(token);  // certain: read in one evaluation
        if (next.empty()) next.push_back(chain.sample(model->logits()));
        if (next[0] == null_token || words.ends_generation(next[0])) break;
        for (const token_id token : next) {
            const text shown = out.push(token);
            std::fwrite(shown.data(), 1, shown.size(), stdout);
        }
        tokens += next.size();
        if (at.is_finished()) break;
        model->read(next);
    }
    const text rest = out.flush();
    std::fwrite(rest.data(), 1, rest.size(), stdout);
    std::printf("\n%zu tokens, %zu of them forced\n", tokens, forced);
    const std::vector<capture> called = at.constraint().captures();
    for (const capture& c : called) std::printf("calls %s with %s\n", c.name.c_str(), c.bytes.c_str());
    if (called.size() == 1 && called[0].is_whole) return 0;
    std::fprintf(stderr, "no call: %s\n", chain.last_status().message().c_str());
    return 1;
}
