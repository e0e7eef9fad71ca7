// An action out of the payload of an application server.
#include <cstdio>
#include <vector>

// [begin:trie]
#include <riffle/riffle.hpp>
#include <riffle/token_trie.hpp>
using namespace riffle;

bool choose_action(text payload, const vocabulary& words, std::vector<float>& logits) {
    const parsed<token_trie> trie = parse_token_trie(payload, words);
    if (!trie) return std::printf("%s\n", trie.problem().message().c_str()), false;  // in /descriptors/0: why

    auto sampler = constrain{trie_matcher(*trie)} | temperature{.t = 0.8f} | dist{.seed = 42};
    const trie_matcher& action = get<constrain<trie_matcher>>(sampler).matcher;
    while (action.status() == trie_status::active)
        if (sampler.sample(logits) == null_token) return false;  // and evaluate it
    std::printf("%.*s\n", int(action.leaf_name().size()), action.leaf_name().data());
    return true;
}
// [end:trie]

int main() {
    vocabulary words;
    for (const char* piece : {"RE", "PLY", "_THREAD", "STOP", "\""}) words.add(piece);
    std::vector<float> logits{1.0f, 0.5f, 0.2f, 0.8f, 0.1f};
    const bool chosen = choose_action(R"({"modelId": "five words", "descriptors": [{"path": "action", "leaves": [
        {"name": "REPLY", "tokens": [0, 1]}, {"name": "REPLY_THREAD", "tokens": [0, 1, 2]},
        {"name": "STOP", "tokens": [3]}]}]})",
                                      words, logits);
    const bool refused = !choose_action(R"({"modelId": "five words", "descriptors": [{"path": "action", "leaves": [
        {"name": "STOP", "tokens": [7]}]}]})",
                                        words, logits);
    return chosen && refused ? 0 : 1;
}
