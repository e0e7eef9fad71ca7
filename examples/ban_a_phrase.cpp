// A phrase that may not appear, however it is split into tokens: the chain says how many tokens to take back.
#include <cstdio>
#include <string>
#include <vector>

#include <riffle/riffle.hpp>

using namespace riffle;

namespace {

const char* const words[] = {"a", " tape", " test", "stry", "ament", " of", " light", " and", " shade", "."};

/// A model that likes the phrase: each word makes the next one in the list likely.
std::vector<float> logits_after(token_id last) {
    std::vector<float> row(std::size(words), 0.0f);
    const auto next = [&](token_id id, float logit) { row[std::size_t(id)] = logit; };
    if (last == 0) next(1, 6.0f), next(2, 5.0f);
    else if (last == 1) next(3, 9.0f);
    else if (last == 2) next(4, 9.0f);
    else if (last == 3 || last == 4) next(5, 8.0f);
    else next((last + 1) % 10, 7.0f);
    return row;
}

}  // namespace

int main() {
    vocabulary v;
    for (const char* word : words) v.add(word);
    auto sampler = phrase_ban{.vocab = &v, .phrases = {"tapestry of"}} | dist{.seed = 3};

    // [begin:rewind]
    std::vector<token_id> tokens{0};
    while (tokens.size() < 8) {
        const token_id token = sampler.sample(logits_after(tokens.back()));
        tokens.push_back(token);
        if (const int back = sampler.last_step().rewind) {  // the phrase is complete
            sampler.rewind(std::size_t(back));              // the token that began it is banned at that place now
            tokens.resize(tokens.size() - std::size_t(back));
        }
    }
    // [end:rewind]

    std::string said;
    for (const token_id token : tokens) said += words[token];
    std::printf("The text, which the chain took back where it came to the banned phrase:\n%s\n", said.c_str());
    return said.find("tapestry of") == std::string::npos ? 0 : 1;
}
