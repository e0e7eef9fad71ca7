// A chain that keeps to a grammar, and what can be asked of its matcher.
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

// [begin:grammar]
#include <riffle/constraint.hpp>
#include <riffle/riffle.hpp>
using namespace riffle;

auto keeps_to(const grammar& language, const vocabulary_trie& trie) {
    return constrain{grammar_matcher(language, trie)} | top_k{.k = 40} | temperature{.t = 0.8f} | dist{.seed = 42};
}
// [end:grammar]

int main() {
    vocabulary words;
    for (char c = ' '; c <= '~'; ++c) words.add({&c, 1});
    for (const char* piece : {"yes", "no", "sure", "may", "be", "ly"}) words.add(piece);
    words.add("</s>", token_role::end_of_generation | token_role::control);
    std::vector<float> logits(words.size(), 0.0f);

    // [begin:use]
    const vocabulary_trie trie(words);  // once for a model; copies share it
    const parsed<grammar> language = parse_gbnf(R"(root ::= "yes" | "no" | "maybe, " [0-9]{1,2} "%")");
    if (!language) {
        std::printf("%s\n", language.problem().message().c_str());  // line:column: in a rule: why
        return 1;
    }

    auto sampler = keeps_to(*language, trie);
    std::string said;
    while (!sampler.last_step().finished) {
        const token_id token = sampler.sample(logits);
        if (token == null_token) break;  // last_status() says why
        if (words.ends_generation(token)) break;
        said.append(words.piece(token).data(), words.piece(token).size());
    }
    // [end:use]
    std::printf("One of yes, no, and maybe with a number; whatever the logits say, it is nothing else:\n%s\n",
                said.c_str());

    grammar_matcher again(*language, trie);
    return again.accept_bytes(said).ok() && again.is_complete() ? 0 : 1;
}
