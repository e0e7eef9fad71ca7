// A program that generates text with llama.cpp, as many are written, and the three lines that it takes to sample with
// riffle instead: the same seed, the same tokens.
//
//     llama_three_lines MODEL.gguf [PROMPT]
#include <cstdio>
#include <cstring>
#include <llama.h>
#include <vector>

// [begin:three_lines]
#include <riffle/llama.hpp>  // 1
using namespace riffle;

// 2: in place of llama_sampler_chain_init and five times llama_sampler_chain_add
auto chain_of_riffle() {
    return chain<llama_exact>(top_k{40}, top_p{0.95f, 1}, min_p{0.05f, 1}, temperature{0.8f}, dist{.seed = 42});
}

llama_token next_token(auto& sampler, llama_context* context) {
    return riffle::llama::sample(sampler, context, -1);  // 3: in place of llama_sampler_sample
}
// [end:three_lines]

namespace {

void print(const llama_vocab* vocab, llama_token token) {
    char piece[256];
    const int length = llama_token_to_piece(vocab, token, piece, sizeof piece, 0, false);
    if (length > 0) std::fwrite(piece, 1, std::size_t(length), stdout);
}

std::vector<llama_token> tokens_of(const llama_vocab* vocab, const char* prompt) {
    std::vector<llama_token> tokens(std::strlen(prompt) + 2);
    const int count =
        llama_tokenize(vocab, prompt, int(std::strlen(prompt)), tokens.data(), int(tokens.size()), true, true);
    tokens.resize(count > 0 ? std::size_t(count) : 0);
    return tokens;
}

}  // namespace

int main(int count, char** words) {
    if (count < 2) return std::puts("llama_three_lines MODEL.gguf [PROMPT]"), 0;
    llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
    ggml_backend_load_all();
    llama_model* const model = llama_model_load_from_file(words[1], llama_model_default_params());
    if (!model) return std::fprintf(stderr, "%s cannot be loaded\n", words[1]), 1;
    llama_context_params parameters = llama_context_default_params();
    parameters.n_ctx = 256;
    llama_context* const context = llama_init_from_model(model, parameters);
    const llama_vocab* const vocab = llama_model_get_vocab(model);

    std::vector<llama_token> tokens = tokens_of(vocab, count > 2 ? words[2] : "And the king said");
    auto sampler = chain_of_riffle();
    bool decoded = context && llama_decode(context, llama_batch_get_one(tokens.data(), int(tokens.size()))) == 0;
    for (int i = 0; decoded && i < 60; ++i) {
        llama_token token = next_token(sampler, context);
        if (token == null_token || llama_vocab_is_eog(vocab, token)) break;
        print(vocab, token);
        decoded = llama_decode(context, llama_batch_get_one(&token, 1)) == 0;
    }
    std::puts("");
    llama_free(context);
    llama_model_free(model);
    return decoded ? 0 : 1;
}
