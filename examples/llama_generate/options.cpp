#include "options.hpp"

#include <charconv>
#include <cstdio>
#include <string_view>

namespace {

/// One option: how it is spelt, what it takes (nothing: it is a switch), what it does. `read` answers false where it
/// can make nothing of the value.
struct option {
    std::string_view names[3];
    const char* value;
    const char* meaning;
    bool (*read)(options& into, const std::string& value);
};

bool read_number(int& into, const std::string& value) {
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), into);
    return error == std::errc() && end == value.data() + value.size() && into > 0;
}
template <class Value>
bool assign(Value& into, Value value) {
    into = std::move(value);
    return true;
}
/// Settings that are given one by one: the later one counts.
bool add_setting(options& into, const std::string& setting) {
    if (!into.settings.empty()) into.settings += ';';
    into.settings += setting;
    return true;
}
bool read_sampling(options& into, const std::string& value) {
    using enum options::sampling;
    if (value == "riffle") return assign(into.with, riffle);
    if (value == "sampler") return assign(into.with, sampler);
    if (value == "graph") return assign(into.with, graph);
    return value == "llama" && assign(into.with, llama);
}

constexpr option known[] = {
    {{"-m", "--model"},
     "FILE",
     "the model, a GGUF file; the first word without an option is one, too",
     [](options& o, const std::string& v) { return assign(o.model, v); }},
    {{"-p", "--prompt"},
     "TEXT",
     "what the text begins with (default: And the king said); the second such word",
     [](options& o, const std::string& v) { return assign(o.prompt, v); }},
    {{"-n", "--tokens", "--n-predict"},
     "N",
     "at most so many (default 120)",
     [](options& o, const std::string& v) { return read_number(o.tokens, v); }},
    {{"-t", "--threads"},
     "N",
     "of the model (default: llama.cpp's; a small model is quicker with 1)",
     [](options& o, const std::string& v) { return read_number(o.threads, v); }},
    {{"-s", "--seed"},
     "N",
     "of the random numbers, or random",
     [](options& o, const std::string& v) { return add_setting(o, "seed=" + v); }},
    {{"--settings"},
     "TEXT",
     "llama.cpp's names, as top_k=40;top_p=0.95;temp=0.8 (default: what the model's file says, "
     "on top of llama.cpp's defaults)",
     [](options& o, const std::string& v) { return add_setting(o, v); }},
    {{"--with"},
     "riffle",
     "riffle straight from the context's logits; this is the default, the others are",
     read_sampling},
    {{}, "sampler", "the same chain as one llama_sampler in llama_sampler_sample", nullptr},
    {{}, "graph", "the same, attached to the context: what cannot matter is left out in its graph", nullptr},
    {{}, "llama", "llama.cpp's own samplers, for comparison", nullptr},
    {{"--numerics"},
     "NAME",
     "llama (default: the same tokens as --with llama), reproducible or fast",
     [](options& o, const std::string& v) {
         return (v == "llama" || v == "reproducible" || v == "fast") && assign(o.numerics, v);
     }},
    {{"--grammar"},
     "FILE",
     "a grammar (GBNF) that the text keeps to; with --with llama, llama.cpp's own",
     [](options& o, const std::string& v) { return assign(o.grammar, v); }},
    {{"--json-schema"},
     "FILE",
     "a JSON schema: the text is a document that it takes",
     [](options& o, const std::string& v) { return assign(o.json_schema, v); }},
    {{"--json-whitespace"},
     "NAME",
     "of such a document: flexible (default), compact, single_space or pretty",
     [](options& o, const std::string& v) {
         const bool is_one = v == "flexible" || v == "compact" || v == "single_space" || v == "pretty";
         return is_one && assign(o.json_whitespace, v);
     }},
    {{"--grammar-after"},
     nullptr,
     "choose first, and mask only where the grammar refuses the token that was chosen",
     [](options& o, const std::string&) { return assign(o.grammar_after, true); }},
    {{"-h", "--help"}, nullptr, "this page", [](options& o, const std::string&) { return assign(o.help, true); }},
};

const option* option_called(std::string_view name) {
    for (const option& each : known)
        for (const std::string_view spelt : each.names)
            if (!spelt.empty() && spelt == name) return &each;
    return nullptr;
}

/// Without words where there is nothing to complain of.
std::string read_words(options& into, int count, char** words) {
    int places = 0;
    for (int i = 1; i < count; ++i) {
        const std::string word = words[i];
        if (word.size() < 2 || word[0] != '-') {
            if (places > 1) return "one word too many: " + word;
            (places++ == 0 ? into.model : into.prompt) = word;
            continue;
        }
        const std::size_t equals = word.find('=');
        const std::string name = word.substr(0, equals);
        const option* const found = option_called(name);
        if (!found) return "there is no " + name + "; --help lists what there is";
        std::string value;
        if (found->value) {
            if (equals != word.npos) value = word.substr(equals + 1);
            else if (i + 1 < count) value = words[++i];
            else return name + " needs a value: " + found->value;
        }
        if (!found->read(into, value)) return name + " can make nothing of " + value + ": it is " + found->meaning;
    }
    return {};
}

}  // namespace

std::string options::usage() {
    std::string page = "llama_generate MODEL.gguf [PROMPT] [options]\n"
                       "\n"
                       "Goes on with a text, and says how fast, and how much of that was sampling.\n"
                       "\n";
    for (const option& each : known) {
        std::string line = "  ";
        for (const std::string_view name : each.names)
            if (!name.empty()) line.append(line.size() > 2 ? ", " : "").append(name);
        if (each.names[0].empty()) line.append(7, ' ');
        if (each.value) line.append(" ").append(each.value);
        line.resize(line.size() < 30 ? 30 : line.size() + 1, ' ');
        page += line + each.meaning + "\n";
    }
    return page;
}

bool options::read(int count, char** words) {
    std::string problem = read_words(*this, count, words);
    if (help) return true;
    if (problem.empty() && model.empty()) problem = "which model? -m MODEL.gguf";
    if (problem.empty() && grammar_after && grammar.empty() && json_schema.empty())
        problem = "--grammar-after needs --grammar FILE or --json-schema FILE";
    if (problem.empty() && !grammar.empty() && !json_schema.empty())
        problem = "--grammar and --json-schema do not go together";
    if (problem.empty() && !json_schema.empty() && with == sampling::llama)
        problem = "libllama reads no JSON schemas: --json-schema goes with the others";
    if (!problem.empty()) std::fprintf(stderr, "llama_generate: %s\n", problem.c_str());
    return problem.empty();
}
