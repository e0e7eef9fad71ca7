#include "options.hpp"

#include <charconv>
#include <cstdio>
#include <cstring>

const char* options::usage() {
    return "llama_generate MODEL.gguf [PROMPT] [options]\n"
           "\n"
           "Goes on with a text, and says how fast, and how much of that was sampling.\n"
           "\n"
           "  --settings TEXT    llama.cpp's names: \"top_k=40;top_p=0.95;temp=0.8;seed=42\" (default: what the "
           "model's\n"
           "                     file says, on top of llama.cpp's defaults)\n"
           "  --tokens N         at most so many (default 120)\n"
           "  --threads N        of the model (default: llama.cpp's; a small model is quicker with 1)\n"
           "  --with riffle      riffle straight from the context's logits (default)\n"
           "  --with sampler     the same chain as one llama_sampler in llama_sampler_sample\n"
           "  --with graph       the same, attached to the context: what cannot matter is left out in its graph\n"
           "  --with llama       llama.cpp's own samplers, for comparison\n"
           "  --numerics NAME    llama (default: the same tokens as --with llama), reproducible or fast\n"
           "  --grammar FILE     a grammar (GBNF) that the text keeps to; with --with llama, llama.cpp's own\n"
           "  --grammar-after    choose first, and mask only where the grammar refuses the token that was chosen\n";
}

bool options::read(int count, char** words) {
    int places = 0;
    for (int i = 1; i < count; ++i) {
        const std::string word = words[i];
        if (word.rfind("--", 0) != 0) {
            if (places == 0) model = word;
            else if (places == 1) prompt = word;
            else return std::fprintf(stderr, "one word too many: %s\n", word.c_str()), false;
            ++places;
            continue;
        }
        if (word == "--grammar-after") {
            grammar_after = true;
            continue;
        }
        if (i + 1 == count) return std::fprintf(stderr, "%s needs a value\n", word.c_str()), false;
        const std::string value = words[++i];
        if (word == "--settings") {
            settings = value;
        } else if (word == "--grammar") {
            grammar = value;
        } else if (word == "--tokens" || word == "--threads") {
            int& number = word == "--tokens" ? tokens : threads;
            const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
            if (error != std::errc() || end != value.data() + value.size() || number < 1)
                return std::fprintf(stderr, "%s needs a number above 0, not %s\n", word.c_str(), value.c_str()), false;
        } else if (word == "--with" && value == "riffle") {
            with = sampling::riffle;
        } else if (word == "--with" && value == "sampler") {
            with = sampling::sampler;
        } else if (word == "--with" && value == "graph") {
            with = sampling::graph;
        } else if (word == "--with" && value == "llama") {
            with = sampling::llama;
        } else if (word == "--numerics" && (value == "llama" || value == "reproducible" || value == "fast")) {
            numerics = value;
        } else {
            return std::fprintf(stderr, "llama_generate knows no %s %s\n", word.c_str(), value.c_str()), false;
        }
    }
    if (grammar_after && grammar.empty()) return std::fprintf(stderr, "--grammar-after needs --grammar FILE\n"), false;
    return true;
}
