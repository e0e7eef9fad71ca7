// An NPC that must answer in a format which the game can read: whatever the model says, the answer has these fields.
//
//     npc_grammar                 on the quickstart's little model, learnt from a page of text
//     npc_grammar MODEL.gguf      on a real one
#include <cstdio>
#include <string>
#include <vector>

#include <riffle/constraint.hpp>
#include <riffle/riffle.hpp>

#include "language_model.hpp"
#include "talk.hpp"

using namespace riffle;

namespace {

const char* const answer_format = R"(
root   ::= "{\"mood\": " mood ", \"say\": \"" say "\", \"action\": " action "}"
mood   ::= "\"calm\"" | "\"wary\"" | "\"merry\""
say    ::= [A-Z] [a-z ,']{20,90} [.!?]
action ::= "null" | "{\"name\": \"" name "\", \"target\": \"" [a-z]{2,12} "\"}"
name   ::= "trade" | "follow" | "attack" | "flee"
)";

struct answer {
    std::string text;
    std::size_t tokens = 0, forced = 0, evaluations = 0;
    bool is_whole = false;
};

/// Forced tokens are read in one evaluation, others one by one.
template <class Chain>
answer ask(language_model& model, const std::string& situation, Chain chain) {
    const vocabulary& words = model.words();
    const std::vector<token_id> prompt = model.tokens_of(situation);
    answer a;
    chain.prompt(prompt);
    model.begin(prompt);
    const grammar_matcher& format = get<constrain<grammar_matcher>>(chain).matcher;
    while (!format.is_finished()) {
        std::vector<token_id> next = forced_tokens(format, [&](text t) {
            return model.tokens_of({t.data(), t.size()});
        });
        if (!next.empty()) {
            for (const token_id token : next) chain.accept(token);  // none is refused, and nothing is drawn
            a.forced += next.size();
        } else {
            next.push_back(chain.sample(model.logits()));
            if (next[0] == null_token) break;  // chain.last_status() says why
        }
        model.read(next);
        ++a.evaluations;
        a.tokens += next.size();
        for (const token_id token : next)
            if (!words.ends_generation(token)) a.text.append(words.piece(token).data(), words.piece(token).size());
    }
    a.is_whole = format.is_complete();
    if (!a.is_whole) std::fprintf(stderr, "%s\n", chain.last_status().message().c_str());
    return a;
}

}  // namespace

int main(int count, char** arguments) {
    const auto model = count > 1 ? load_gguf(arguments[1]) : learn_small_model(village_talk);
    if (!model) return 1;
    const parsed<grammar> read = parse_gbnf(answer_format);
    if (!read) {
        std::fprintf(stderr, "%s\n", read.problem().message().c_str());
        return 1;
    }
    const vocabulary_trie trie(model->words());
    bool all_good = true;
    for (int seed = 1; seed <= 4; ++seed) {
        const auto chain = constrain{grammar_matcher(*read, trie)} | top_k{.k = 40} | temperature{.t = 0.7f} |
                           dist{.seed = std::uint64_t(seed)};
        const answer a = ask(*model, "The stranger asks about the old tower. ", chain);
        std::printf("%s\n  %zu tokens, %zu of them forced, in %zu evaluations\n", a.text.c_str(), a.tokens, a.forced,
                    a.evaluations);
        all_good &= a.is_whole && a.forced > 0;
    }
    return all_good ? 0 : 1;
}
