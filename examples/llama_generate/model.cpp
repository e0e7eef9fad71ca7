#include "model.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <unistd.h>

namespace {

/// Why a file is no model, as far as its first bytes tell; empty where they do not.
std::string problem_of_file(const std::string& path) {
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    char first[4] = {};
    if (!file || !file.read(first, sizeof first)) {
        const std::string why = errno != 0 ? std::strerror(errno) : "it is shorter than a GGUF file's first word";
        return path + " cannot be read: " + why;
    }
    if (std::memcmp(first, "GGUF", sizeof first) != 0) return path + " is no GGUF file: it does not begin with GGUF";
    return {};
}

/// How far loading is, on a terminal.
bool show_progress(float share, void*) {
    if (isatty(STDERR_FILENO))
        std::fprintf(stderr, share < 1.0f ? "\rloading %.0f %%" : "\r\033[K", 100.0 * double(share));
    return true;
}

}  // namespace

loaded_model::loaded_model(const std::string& path, int threads, int sequences) {
    problem_ = problem_of_file(path);
    if (!problem_.empty()) return;
    llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
    ggml_backend_load_all();
    llama_model_params loading = llama_model_default_params();
    loading.progress_callback = show_progress;
    model_.reset(llama_model_load_from_file(path.c_str(), loading));
    if (!model_) {
        problem_ = path +
                   " is a GGUF file that this llama.cpp cannot load: a model of a kind that it does not know, or a "
                   "part of one";
        return;
    }
    llama_context_params parameters = llama_context_default_params();
    parameters.n_ctx = std::uint32_t(std::min(llama_model_n_ctx_train(model_.get()), 4096));
    parameters.n_seq_max = std::uint32_t(sequences);
    parameters.kv_unified = sequences > 1;
    if (threads > 0) parameters.n_threads = parameters.n_threads_batch = threads;
    context_.reset(llama_init_from_model(model_.get(), parameters));
    if (!context_) problem_ = "there is no context to be had of " + path;
}

std::vector<llama_token> loaded_model::tokens_of(const std::string& text) const {
    std::vector<llama_token> tokens(text.size() + 2);
    const int count =
        llama_tokenize(vocab(), text.data(), int(text.size()), tokens.data(), int(tokens.size()), true, true);
    tokens.resize(count > 0 ? std::size_t(count) : 0);
    return tokens;
}

std::string loaded_model::piece(llama_token token) const {
    std::string text(256, '\0');
    const int length = llama_token_to_piece(vocab(), token, text.data(), int(text.size()), 0, false);
    text.resize(length > 0 ? std::size_t(length) : 0);
    return text;
}

bool loaded_model::decode(std::vector<llama_token> tokens) const {
    return llama_decode(context_.get(), llama_batch_get_one(tokens.data(), int(tokens.size()))) == 0;
}
bool loaded_model::decode(llama_token token) const {
    return llama_decode(context_.get(), llama_batch_get_one(&token, 1)) == 0;
}
