// One mask over the vocabulary and one accepted token, by llama.cpp's grammar and by riffle's, step by step turn about on
// texts that both take: microseconds, and how many times as long llama.cpp takes.
//
//     compare_grammars MODEL.gguf [texts]
//
// Of the file the vocabulary alone is read. Needs libllama 0.7.0.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <llama.h>

#include <riffle/constraint.hpp>
#include <riffle/llama.hpp>

#include "llama/owners.hpp"
#include "rows.hpp"

namespace {

using namespace riffle;
using riffle_tests::model_owner, riffle_tests::sampler_owner;

struct language {
    const char* name;
    const char* source;
};
const language languages[] = {
    {"JSON", R"g(
root ::= object
value ::= object | array | string | number | "true" | "false" | "null"
object ::= "{" ws (string ":" ws value ("," ws string ":" ws value)*)? ws "}"
array ::= "[" ws (value ("," ws value)*)? ws "]"
string ::= "\"" ([^"\\\x00-\x1F] | "\\" (["\\bfnrt] | "u" [0-9a-fA-F]{4}))* "\""
number ::= "-"? ("0" | [1-9] [0-9]{0,15}) ("." [0-9]{1,15})?
ws ::= " "?
)g"},
    {"fields with counted strings", R"g(
root ::= "{\"action\": " action ", \"target\": \"" [a-z ]{1,40} "\", \"say\": \"" [^"\\\x00-\x1F]{1,200} "\"}"
action ::= "\"attack\"" | "\"flee\"" | "\"trade\"" | "\"talk\""
)g"},
    {"arithmetic", R"g(
root ::= sum "\n"
sum ::= product (" " [+-] " " product)*
product ::= value (" " [*/] " " value)*
value ::= [0-9]{1,6} | "(" sum ")" | [a-z]
)g"},
};

class times {
public:
    template <class Work>
    void of(Work work) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        all_.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
    }
    double mean() const {
        double sum = 0.0;
        for (const double t : all_) sum += t;
        return sum / double(all_.size());
    }
    double percentile(double share) {
        std::sort(all_.begin(), all_.end());
        return all_[std::size_t(share * double(all_.size() - 1))];
    }

private:
    std::vector<double> all_;
};

/// A text that the grammar takes: legal tokens by chance, short ones as a rule, up to so many.
std::vector<token_id> text_of(grammar_matcher m, std::uint64_t seed, std::size_t most) {
    rows::generator random(seed);
    std::vector<token_id> text, legal;
    while (text.size() < most && !m.is_finished()) {
        const auto words = m.legal_words();
        legal.clear();
        for (std::size_t id = 0; id < m.trie().size(); ++id)
            if ((words[id / 32] >> (id % 32) & 1) != 0 && m.trie().piece(token_id(id)).size() < 9 &&
                m.trie().piece(token_id(id))[0] > 0)  // llama.cpp does not know every UTF-8
                legal.push_back(token_id(id));
        if (legal.empty()) break;
        text.push_back(legal[random.next() % legal.size()]);
        if (m.accept(text.back()).refused) break;
    }
    return text;
}

void compare(const language& of, const llama_vocab* vocab, const vocabulary_trie& trie, std::size_t texts) {
    const parsed<grammar> g = parse_gbnf(of.source);
    if (!g) return void(std::fprintf(stderr, "%s: %s\n", of.name, g.problem().message().c_str()));
    const grammar_matcher begin(*g, trie);
    times llamas_mask, llamas_accept, first_mask, first_accept, again_mask, again_accept;
    std::size_t differing = 0, tokens = 0;
    std::vector<llama_token_data> all(trie.size());
    for (std::size_t t = 0; t < texts; ++t) {
        const std::vector<token_id> text = text_of(grammar_matcher(*parse_gbnf(of.source), trie), t + 1, 120);
        const sampler_owner peer(llama_sampler_init_grammar(vocab, of.source, "root"));
        grammar_matcher first = begin, again = begin;
        for (const token_id token : text) {
            if (llama_vocab_is_eog(vocab, token)) break;
            for (std::size_t id = 0; id < all.size(); ++id) all[id] = {llama_token(id), 1.0f, 0.0f};
            llama_token_data_array array{all.data(), all.size(), -1, false};
            llamas_mask.of([&] { llama_sampler_apply(peer.get(), &array); });
            first_mask.of([&] { first.legal_words(); });
            again_mask.of([&] { again.legal_words(); });  // what the first has met is there
            for (std::size_t id = 0; id < all.size(); ++id)
                differing += std::isinf(all[id].logit) == again.allows(token_id(id));
            llamas_accept.of([&] { llama_sampler_accept(peer.get(), token); });
            first_accept.of([&] { first.accept(token); });
            again_accept.of([&] { again.accept(token); });
            ++tokens;
        }
    }
    const auto row = [&](const char* what, times& peer, times& one, times& other) {
        std::printf("| %s | %s | %.1f | %.1f | %.2f | %.2f | %.0fx | %.3f | %.0fx |\n", of.name, what, peer.mean(),
                    peer.percentile(0.99), one.mean(), one.percentile(0.99), peer.mean() / one.mean(), other.mean(),
                    peer.mean() / other.mean());
    };
    row("mask", llamas_mask, first_mask, again_mask);
    row("accept", llamas_accept, first_accept, again_accept);
    std::printf("%zu tokens of %zu texts; of %zu bits %zu differ (UTF-8 and control tokens)\n", tokens, texts,
                tokens * trie.size(), differing);
}

}  // namespace

int main(int count, char** words) {
    if (count < 2) return std::puts("compare_grammars MODEL.gguf [texts]"), 0;
    llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
    llama_model_params parameters = llama_model_default_params();
    parameters.vocab_only = true;
    const model_owner model(llama_model_load_from_file(words[1], parameters));
    if (!model) return std::fprintf(stderr, "%s cannot be loaded\n", words[1]), 1;
    const vocabulary all = llama::vocabulary_of(model.get());
    const vocabulary_trie trie(all);
    std::printf("V = %zu, microseconds; first: of riffle's, what this run has not met yet\n\n", trie.size());
    std::printf("| grammar | | llama.cpp mean | p99 | riffle first mean | p99 | | again | |\n|---|---|---|---|---|---|---|---|---|\n");
    const std::size_t texts = count > 2 ? std::size_t(std::atoi(words[2])) : 5;
    for (const language& one : languages) compare(one, llama_model_get_vocab(model.get()), trie, texts);
    return 0;
}
