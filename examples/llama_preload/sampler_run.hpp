#pragma once

#include <cstddef>
#include <cstdint>
#include <llama.h>
#include <memory>
#include <optional>
#include <vector>

#include "recent_tokens.hpp"
#include "sampler_link.hpp"

namespace preload {

/// Samplers that stand beside each other in a chain, as one: a riffle chain does the work of all. Where the program
/// does what that does not allow for, it is dissolved: its samplers become llama.cpp's own, which catch up.
class sampler_run {
public:
    sampler_run() = default;
    sampler_run(const sampler_run&) = delete;
    sampler_run& operator=(const sampler_run&) = delete;
    ~sampler_run();

    /// A llama_sampler that owns the run; and the run in one, nullptr for other samplers.
    static llama_sampler* as_sampler(std::unique_ptr<sampler_run> run);
    static sampler_run* in(const llama_sampler* sampler);

    /// Whether one more sampler may be added.
    bool is_open() const noexcept { return !is_used_ && !is_full_ && !is_dissolved_; }
    /// The next facade. False, and nothing done, where riffle has no chain of those there and this one.
    bool append(llama_sampler* facade);
    /// Gives a sampler away; where the run is in use, it is dissolved first.
    llama_sampler* remove(std::size_t i);
    /// All of its samplers, llama.cpp's own now.
    std::vector<llama_sampler*> release();

    bool is_used() const noexcept { return is_used_; }
    bool is_dissolved() const noexcept { return is_dissolved_; }
    std::size_t size() const noexcept { return samplers_.size(); }
    llama_sampler* sampler(std::size_t i) const noexcept { return samplers_[i]; }

    void accept(llama_token token);
    void apply(llama_token_data_array* candidates);
    void reset();
    std::unique_ptr<sampler_run> clone() const;
    /// Of a run that is as long.
    void copy_state(sampler_run& from);

    /// The token of an output straight from the context's logits, and nothing accepted; -1 where that is not possible.
    llama_token peek(llama_context* context, std::int32_t index);

    /// The samplers become llama.cpp's own, in the state that they would have come to; a mirostat draws from its
    /// beginning.
    void dissolve();
    /// A seed is another one: the chain is put together anew when it is needed.
    void forget_engine();

private:
    exact_chain chain_of_links() const;
    bool is_left_to_llama() const noexcept;
    /// Whether riffle does the work: puts its chain together where it has none yet.
    bool is_at_work();
    void apply_one_by_one(llama_token_data_array* candidates);
    void catch_up();
    std::int32_t last_n() const noexcept;

    std::vector<llama_sampler*> samplers_;  ///< facades, until it is dissolved
    std::optional<exact_chain> pushed_;     ///< those that were appended, for the engine
    owned_sampler engine_;                  ///< from the first use on
    recent_tokens accepted_;                ///< what the samplers look back on
    bool is_used_ = false, is_full_ = false, is_dissolved_ = false;
};

}  // namespace preload
