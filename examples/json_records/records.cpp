// Documents of a schema, token by token: what is forced is read in one evaluation, the rest is sampled.
#include "records.hpp"

#include <cstdio>
#include <stdexcept>
#include <vector>

using namespace riffle;

const char* const villager_schema = R"({
  "type": "object",
  "properties": {
    "name": {"type": "string", "pattern": "^[A-Z][a-z]{2,9}$"},
    "born": {"type": "string", "format": "date", "pattern": "^1[67]"},
    "trade": {"enum": ["miller", "smith", "shepherd", "ferryman", "baker", null]},
    "coins": {"type": "integer", "minimum": 0, "maximum": 500},
    "says": {"type": "string", "pattern": "^[A-Z][a-z ,']+[.!?]$", "minLength": 20, "maxLength": 80},
    "friends": {"type": "array", "items": {"type": "string", "pattern": "^[A-Z][a-z]{2,9}$"}, "maxItems": 3}
  },
  "required": ["name", "born", "trade", "coins", "says"],
  "additionalProperties": false
})";

namespace {

// [begin:compile]
grammar documents_of(const std::string& schema) {
    const parsed<grammar> compiled = compile_json_schema(schema, {.whitespace = json_whitespace::single_space});
    for (const parse_problem& warning : compiled.warnings()) std::fprintf(stderr, "%s\n", warning.message().c_str());
    if (!compiled) throw std::runtime_error(compiled.problem().message());  // in /properties/name: which keyword, why
    return *compiled;
}
auto keeps_to(const grammar& documents, const vocabulary_trie& trie, std::uint64_t seed) {
    return constrain{grammar_matcher(documents, trie)} | top_k{.k = 40} | temperature{.t = 0.8f} | dist{.seed = seed};
}
// [end:compile]

}  // namespace

record_writer::record_writer(language_model& model, const std::string& schema)
    : model_(model), trie_(model.words()), documents_(documents_of(schema)) {}

bool record_writer::write(std::uint64_t seed, const std::function<void(std::string_view, bool)>& show) {
    const vocabulary& words = model_.words();
    const std::vector<token_id> prompt = model_.tokens_of("Who lives in this valley, one of them to a line of JSON?\n");
    auto chain = keeps_to(documents_, trie_, seed);
    const grammar_matcher& document = get<constrain<grammar_matcher>>(chain).matcher;
    chain.prompt(prompt);
    model_.begin(prompt);
    while (!document.is_finished()) {
        std::vector<token_id> next = forced_tokens(document, [&](text t) {
            return model_.tokens_of({t.data(), t.size()});
        });
        const bool is_forced = !next.empty();
        for (const token_id token : next) chain.accept(token);  // none is refused, and nothing is drawn
        if (!is_forced) next.push_back(chain.sample(model_.logits()));
        if (next[0] == null_token) return false;
        model_.read(next);
        ++counts_.evaluations;
        counts_.all += next.size();
        if (is_forced) counts_.forced += next.size();
        for (const token_id token : next)
            if (!words.ends_generation(token)) show({words.piece(token).data(), words.piece(token).size()}, is_forced);
    }
    return true;
}
