// A program that generates text with llama.cpp, several tokens an evaluation: drafts from the text itself, verified on
// the context's rows.
//
//     llama_drafts MODEL.gguf [PROMPT]
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

// [begin:drafts]
#include <riffle/llama_speculative.hpp>
using namespace riffle;

struct generation {
    decltype(top_k{} | temperature{} | dist{}) chain =
        top_k{.k = 40} | temperature{.t = 0.8f} | dist{.seed = 42};
    speculator<> verifier;  // <match>: what a draft says changes no token
    suffix_automaton drafter;
    draft proposed;
    llama::draft_batch batch;

    /// Adds to a text all of which but its last token the context has evaluated. False where that failed.
    bool go_on(std::vector<llama_token>& text, llama_context* context) {
        if (!batch.fill(text.back(), llama_pos(text.size()) - 1, proposed)) return false;
        if (llama::decode(context, batch) != 0) return false;
        const verified& round = llama::sample_and_accept_n(chain, context, batch.indices(), proposed, verifier);
        if (!round.state.ok() || !llama::trim(context, batch, round)) return false;
        text.insert(text.end(), round.tokens.begin(), round.tokens.end());
        drafter.accept(round.tokens);
        proposed.clear();
        drafter.propose(proposed, 8);
        return true;
    }
};
// [end:drafts]

namespace {

constexpr std::size_t length = 120;

void print(const llama_vocab* vocab, llama_token token) {
    char piece[256];
    const int bytes = llama_token_to_piece(vocab, token, piece, sizeof piece, 0, false);
    if (bytes > 0) std::fwrite(piece, 1, std::size_t(bytes), stdout);
}

std::vector<llama_token> tokens_of(const llama_vocab* vocab, const char* prompt) {
    std::vector<llama_token> tokens(std::strlen(prompt) + 2);
    const int count =
        llama_tokenize(vocab, prompt, int(std::strlen(prompt)), tokens.data(), int(tokens.size()), true, true);
    tokens.resize(count > 0 ? std::size_t(count) : 0);
    return tokens;
}

/// The prompt but for its last token.
bool evaluate(std::vector<llama_token> prompt, llama_context* context) {
    const auto count = std::int32_t(prompt.size()) - 1;
    return count == 0 || llama_decode(context, llama_batch_get_one(prompt.data(), count)) == 0;
}

}  // namespace

int main(int count, char** words) {
    if (count < 2) return std::puts("llama_drafts MODEL.gguf [PROMPT]"), 0;
    llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
    ggml_backend_load_all();
    llama_model* const model = llama_model_load_from_file(words[1], llama_model_default_params());
    if (!model) return std::fprintf(stderr, "%s cannot be loaded\n", words[1]), 1;
    llama_context_params parameters = llama_context_default_params();
    parameters.n_ctx = 512;
    llama_context* const context = llama_init_from_model(model, parameters);
    const llama_vocab* const vocab = llama_model_get_vocab(model);

    std::vector<llama_token> text = tokens_of(vocab, count > 2 ? words[2] : "And the king said");
    const std::size_t first = text.size();
    generation with;
    with.chain.prompt(text);
    with.drafter.accept(text);
    bool goes_on = context && !text.empty() && first < 256 && evaluate(text, context);
    std::size_t rounds = 0, shown = first;
    bool has_ended = false;
    while (goes_on && !has_ended && text.size() < first + length) {
        goes_on = with.go_on(text, context);
        for (++rounds; shown < text.size() && !has_ended; ++shown) {
            has_ended = llama_vocab_is_eog(vocab, text[shown]);
            if (!has_ended) print(vocab, text[shown]);
        }
    }
    std::printf("\n%zu tokens, %zu evaluations\n", text.size() - first, rounds);
    llama_free(context);
    llama_model_free(model);
    if (goes_on) return 0;
    return std::fprintf(stderr, "a batch could not be evaluated\n"), 1;
}
