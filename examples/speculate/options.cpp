#include "options.hpp"

#include <charconv>
#include <cstdio>
#include <string_view>

namespace {

struct option {
    std::string_view name, short_name;
    const char* value;
    const char* meaning;
    std::string options::*text;
    int options::*number;
};

constexpr option known[] = {
    {"--model", "-m", "FILE", "the model, a GGUF file; the first word without an option is one, too", &options::model,
     nullptr},
    {"--prompt", "-p", "TEXT", "what the text begins with; the second such word", &options::prompt, nullptr},
    {"--tokens", "-n", "N", "at most so many (default 200)", nullptr, &options::tokens},
    {"--draft-model", "-md", "FILE", "a model that drafts, with the vocabulary of the first; the same file will do",
     &options::draft_model, nullptr},
    {"--drafted", "-d", "N", "tokens of a draft at most, up to 127 (default 8)", nullptr, &options::drafted},
    {"--nodes", "-w", "N", "tokens of a tree at most (default 32)", nullptr, &options::nodes},
    {"--settings", "-s", "TEXT",
     "llama.cpp's names, as seed=7;temp=0.8 (default: what the model's file says, on top of llama.cpp's defaults)",
     &options::settings, nullptr},
    {"--only", "-o", "TEXT", "the ways of drafting whose name has this in it", &options::only, nullptr},
    {"--threads", "-t", "N", "of the model (default: llama.cpp's; a small model is quicker with 1)", nullptr,
     &options::threads},
};

const option* option_called(std::string_view word) {
    for (const option& each : known)
        if (word == each.name || word == each.short_name) return &each;
    return nullptr;
}

bool set(options& into, const option& which, const std::string& value) {
    if (which.text) {
        into.*which.text = value;
        return true;
    }
    int& number = into.*which.number;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    return error == std::errc() && end == value.data() + value.size() && number > 0 && number < 100000;
}

/// The sentence that says what is wrong; empty where nothing is.
std::string read_words(options& into, int count, char** words) {
    int plain = 0;
    for (int i = 1; i < count; ++i) {
        const std::string word = words[i];
        if (word == "-h" || word == "--help") {
            into.help = true;
            return {};
        }
        if (word.empty() || word[0] != '-') {
            if (plain > 1) return "\"" + word + "\" is one word too many: a text of several is put in quotes";
            (plain++ == 0 ? into.model : into.prompt) = word;
            continue;
        }
        const option* const found = option_called(word);
        if (!found) return "there is no " + word + "; --help lists what there is";
        if (i + 1 == count) return word + " needs a value: " + found->value;
        const std::string value = words[++i];
        if (!set(into, *found, value)) return word + " can make nothing of " + value + ": it is " + found->meaning;
    }
    if (into.model.empty()) return "which model? -m MODEL.gguf";
    return into.drafted > 127 ? "a draft has 127 tokens at most" : "";
}

}  // namespace

std::string options::usage() {
    std::string page = "speculate MODEL.gguf [PROMPT] [options]\n"
                       "\n"
                       "Goes on with a text, once without drafts and once with each way of drafting, and says how\n"
                       "many tokens an evaluation of the model brought, how many drafted ones were accepted, and\n"
                       "what took how long. Under match the text has to be the one without drafts.\n"
                       "\n";
    for (const option& each : known) {
        std::string line = "  " + std::string(each.short_name) + ", " + std::string(each.name) + " " + each.value;
        line.resize(line.size() < 30 ? 30 : line.size() + 1, ' ');
        page += line + each.meaning + "\n";
    }
    return page;
}

bool options::read(int count, char** words) {
    const std::string problem = read_words(*this, count, words);
    if (!problem.empty()) std::fprintf(stderr, "speculate: %s\n", problem.c_str());
    return problem.empty();
}
