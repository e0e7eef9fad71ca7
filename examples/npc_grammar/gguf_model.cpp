// A GGUF file by llama.cpp, in builds that have it (RIFFLE_EXAMPLE_WITH_LLAMA).
#include <cstdio>

#include "language_model.hpp"

#if RIFFLE_EXAMPLE_WITH_LLAMA
#include <algorithm>
#include <llama.h>

#include <riffle/llama.hpp>

namespace {

class gguf_model : public language_model {
public:
    explicit gguf_model(const std::string& path) {
        llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
        ggml_backend_load_all();
        model_.reset(llama_model_load_from_file(path.c_str(), llama_model_default_params()));
        if (!model_) return;
        llama_context_params parameters = llama_context_default_params();
        parameters.n_ctx = std::uint32_t(std::min(llama_model_n_ctx_train(model_.get()), 4096));
        context_.reset(llama_init_from_model(model_.get(), parameters));
        words_ = riffle::llama::vocabulary_of(model_.get());
    }
    bool is_there() const { return context_ != nullptr; }
    const riffle::vocabulary& words() const override { return words_; }
    std::vector<riffle::token_id> tokens_of(const std::string& text) const override {
        return words_.tokenise(text, llama_n_ctx(context_.get()));
    }
    void begin(std::span<const riffle::token_id> prompt) override {
        llama_memory_clear(llama_get_memory(context_.get()), true);
        read(prompt);
    }
    void read(std::span<const riffle::token_id> tokens) override {
        std::vector<llama_token> batch(tokens.begin(), tokens.end());
        is_good_ = llama_decode(context_.get(), llama_batch_get_one(batch.data(), std::int32_t(batch.size()))) == 0;
    }
    std::span<const float> logits() const override {
        const float* const row = is_good_ ? llama_get_logits_ith(context_.get(), -1) : nullptr;
        return {row, row ? words_.size() : 0};
    }

private:
    struct free_model {
        void operator()(llama_model* m) const { llama_model_free(m); }
    };
    struct free_context {
        void operator()(llama_context* c) const { llama_free(c); }
    };
    std::unique_ptr<llama_model, free_model> model_;
    std::unique_ptr<llama_context, free_context> context_;
    riffle::vocabulary words_;
    bool is_good_ = false;
};

}  // namespace

std::unique_ptr<language_model> load_gguf(const std::string& path) {
    auto model = std::make_unique<gguf_model>(path);
    if (model->is_there()) return model;
    std::fprintf(stderr, "%s cannot be loaded\n", path.c_str());
    return nullptr;
}
#else
std::unique_ptr<language_model> load_gguf(const std::string&) {
    std::fprintf(stderr, "this example was built without llama.cpp, so it reads no GGUF file\n");
    return nullptr;
}
#endif
