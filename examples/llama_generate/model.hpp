#pragma once
#include <llama.h>
#include <memory>
#include <string>
#include <vector>

/// A loaded model and a context of it.
class loaded_model {
public:
    /// `threads` = 0 leaves their number to llama.cpp. Several `sequences` share one cache.
    loaded_model(const std::string& path, int threads, int sequences = 1);
    /// Why it cannot be used; empty when it can.
    const std::string& problem() const { return problem_; }

    llama_model* model() const { return model_.get(); }
    llama_context* context() const { return context_.get(); }
    const llama_vocab* vocab() const { return llama_model_get_vocab(model_.get()); }

    std::vector<llama_token> tokens_of(const std::string& text) const;
    std::string piece(llama_token token) const;
    bool decode(std::vector<llama_token> tokens) const;
    bool decode(llama_token token) const;
    /// How many tokens fit.
    int room() const { return int(llama_n_ctx(context_.get())); }

private:
    struct free_model {
        void operator()(llama_model* m) const { llama_model_free(m); }
    };
    struct free_context {
        void operator()(llama_context* c) const { llama_free(c); }
    };
    std::string problem_;
    std::unique_ptr<llama_model, free_model> model_;
    std::unique_ptr<llama_context, free_context> context_;
};
