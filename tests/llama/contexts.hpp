#pragma once
// A small model with random weights, loaded into the real libllama, and contexts of it.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ggml-backend.h>
#include <llama.h>
#include <span>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "llama/owners.hpp"
#include "llama/random_model.hpp"

namespace riffle_tests {

inline model_owner load_random_model(const model_keys& further = {}) {
    llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
    ggml_backend_load_all();
    const std::string path = testing::TempDir() + "riffle-random-model-" + std::to_string(getpid()) + ".gguf";
    write_random_model(path, further);
    model_owner model(llama_model_load_from_file(path.c_str(), llama_model_default_params()));
    std::remove(path.c_str());
    if (!model) std::fprintf(stderr, "libllama cannot load the random model\n"), std::abort();
    return model;
}
inline llama_model* random_model() {
    static const model_owner one = load_random_model();
    return one.get();
}
inline std::int32_t random_model_size() { return llama_vocab_n_tokens(llama_model_get_vocab(random_model())); }

/// A sequence of a context that samplers of the graph serve.
struct attached {
    llama_seq_id sequence;
    llama_sampler* chain;
};
/// `in_one_graph` is the most tokens of a batch that are.
inline context_owner new_context(std::vector<attached> samplers = {}, std::uint32_t sequences = 1,
                                 std::uint32_t outputs = 1, std::uint32_t in_one_graph = 64) {
    llama_context_params with = llama_context_default_params();
    with.n_ctx = 256 * sequences;
    with.n_batch = 64;
    with.n_ubatch = in_one_graph;
    with.kv_unified = in_one_graph < 64;
    with.n_seq_max = sequences;
    with.n_threads = with.n_threads_batch = 1;
    with.n_outputs_max = sequences * outputs;
    with.n_outputs_max_per_seq = outputs;
    std::vector<llama_sampler_seq_config> configured;
    for (const attached& a : samplers) configured.push_back({a.sequence, a.chain});
    with.samplers = configured.data();
    with.n_samplers = configured.size();
    return context_owner(llama_init_from_model(random_model(), with));
}

/// Tokens of several sequences in one batch; the last of each sequence, or all, have outputs.
class batch {
public:
    explicit batch(std::int32_t room = 64) : batch_(llama_batch_init(room, 0, 1)) {}
    batch(const batch&) = delete;
    batch& operator=(const batch&) = delete;
    ~batch() { llama_batch_free(batch_); }
    /// The index of the token, for llama_get_logits_ith.
    std::int32_t add(llama_token token, llama_pos position, llama_seq_id sequence, bool output) {
        const std::int32_t i = batch_.n_tokens++;
        batch_.token[i] = token;
        batch_.pos[i] = position;
        batch_.n_seq_id[i] = 1;
        batch_.seq_id[i][0] = sequence;
        batch_.logits[i] = output;
        return i;
    }
    bool decode(llama_context* in) {
        const bool done = llama_decode(in, batch_) == 0;
        batch_.n_tokens = 0;
        return done;
    }

private:
    llama_batch batch_;
};

/// One sequence of a context, token by token.
class line {
public:
    line(llama_context* in, llama_seq_id sequence, llama_token first) : in_(in), sequence_(sequence), next_(first) {}
    /// Puts the next token into a batch; index() is that of its output.
    void put(batch& b) { index_ = b.add(next_, position_++, sequence_, true); }
    void step() {
        put(batch_);
        ASSERT_TRUE(batch_.decode(in_));
    }
    std::int32_t index() const { return index_; }
    void go_on_with(llama_token token) { next_ = token; }

private:
    llama_context* in_;
    llama_seq_id sequence_;
    llama_token next_;
    llama_pos position_ = 0;
    std::int32_t index_ = 0;
    batch batch_{4};
};

/// A step of several sequences, in one batch.
inline bool step_together(std::span<line> lines, llama_context* in) {
    batch of_all;
    for (line& each : lines) each.put(of_all);
    return of_all.decode(in);
}

}  // namespace riffle_tests
