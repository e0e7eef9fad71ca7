#pragma once

#include <cstddef>
#include <cstdint>
#include <llama.h>
#include <memory>
#include <vector>

#include "sampler_link.hpp"

namespace preload {

/// What a constructor gives the program: a llama_sampler that stands for one link. Alone it is a run of one. In a chain
/// it belongs to a run, and is what llama_sampler_chain_get gives.
llama_sampler* new_facade(sampler_link link);

/// Whether new_facade made it, and nobody has used it.
bool is_unused_facade(const llama_sampler* sampler);

/// llama.cpp's sampler that a facade stands for; nullptr for other samplers.
const llama_sampler* original_of(const llama_sampler* sampler);

/// Samplers that stand beside each other in a chain, as one: a riffle chain does the work of all.
class sampler_run {
public:
    sampler_run() = default;
    sampler_run(const sampler_run&) = delete;
    sampler_run& operator=(const sampler_run&) = delete;
    ~sampler_run();

    /// A llama_sampler that owns the run; and the run in one, nullptr for other samplers.
    static llama_sampler* as_sampler(std::unique_ptr<sampler_run> run);
    static sampler_run* in(const llama_sampler* sampler);

    /// The next link, as its facade. Only into a run that is not used yet.
    void append(llama_sampler* facade);
    /// Gives a link away. What the others keep of the accepted tokens stays; draws begin anew.
    llama_sampler* remove(std::size_t i);

    bool is_used() const noexcept { return is_applied_ || !accepted_.empty(); }
    std::size_t size() const noexcept { return facades_.size(); }
    llama_sampler* facade(std::size_t i) const noexcept { return facades_[i]; }

    void accept(llama_token token);
    void apply(llama_token_data_array* candidates);
    void reset();
    std::unique_ptr<sampler_run> clone() const;
    void copy_state(const sampler_run& from);

    /// The token of an output straight from the context's logits, and nothing accepted; -1 where that is not possible.
    llama_token peek(llama_context* context, std::int32_t index);

    /// llama.cpp's own samplers, which have accepted the tokens that the run has.
    std::vector<owned_sampler> originals() const;

private:
    void make_engine();
    bool is_left_to_llama() const noexcept;

    std::vector<llama_sampler*> facades_;
    owned_sampler engine_;  ///< nullptr: llama.cpp's own samplers, one after the other
    std::vector<llama_token> accepted_;
    bool is_applied_ = false;
};

}  // namespace preload
