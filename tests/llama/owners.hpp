#pragma once
#include <llama.h>
#include <memory>

namespace riffle_tests {

struct free_llama {
    void operator()(llama_model* m) const { llama_model_free(m); }
    void operator()(llama_context* c) const { llama_free(c); }
    void operator()(llama_sampler* s) const { llama_sampler_free(s); }
};
using model_owner = std::unique_ptr<llama_model, free_llama>;
using context_owner = std::unique_ptr<llama_context, free_llama>;
using sampler_owner = std::unique_ptr<llama_sampler, free_llama>;

}  // namespace riffle_tests
