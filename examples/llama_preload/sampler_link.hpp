#pragma once

#include <cstdint>
#include <functional>
#include <llama.h>
#include <memory>

#include <riffle/llama.hpp>
#include <riffle/llama_exact.hpp>
#include <riffle/riffle.hpp>

#include "llama_library.hpp"

namespace preload {

/// What a run of samplers is put together as: riffle's forms of llama.cpp's samplers.
using exact_chain = riffle::basic_dynamic_chain<riffle::llama_exact>;

using owned_sampler = std::unique_ptr<llama_sampler, riffle::llama::detail::free_sampler>;

/// What a sampler costs llama.cpp, beside what riffle needs to look at the candidates at all.
enum class sampler_cost {
    usual,
    cheap_alone,     ///< no more, and it keeps nothing: where no other stands beside it, llama.cpp's own does the work
    nothing,         ///< it is switched off
    not_for_riffle,  ///< it makes NaN, which llama.cpp sorts in a way of its own: it and its neighbours are llama.cpp's
};

/// How riffle does what a sampler of llama.cpp's does.
struct sampler_setup {
    /// Appends its stage; `seed` for those that draw. None: it is switched off.
    std::function<void(exact_chain& into, std::uint32_t seed)> push{};
    /// Lets llama.cpp's sampler draw as often as the stage has; false where that does not bring it to the same state.
    /// nullptr: it draws nothing.
    bool (*catch_up)(llama_sampler* original, const riffle::stage_ref& stage, std::uint32_t seed) = nullptr;
    std::uint32_t asked_seed = LLAMA_DEFAULT_SEED;  ///< of those that draw; the default one is another with every reset
    std::int32_t last_n = 0;                        ///< accepted tokens that it looks back on
    sampler_cost cost = sampler_cost::usual;

    bool has_stage() const { return push != nullptr; }
};

/// One sampler that the program asked for: llama.cpp's own, which is what it looks like from outside and stays as it
/// was made while riffle does its work, and how riffle does it.
class sampler_link {
public:
    sampler_link(owned_sampler original, sampler_setup how);

    llama_sampler* original() const { return original_.get(); }
    const sampler_setup& setup() const { return setup_; }
    /// The one that its draws begin from.
    std::uint32_t seed() const { return seed_; }

    sampler_link clone() const;
    void copy_state(const sampler_link& from);
    /// Whether the seed is another one now.
    bool reset();
    /// llama.cpp's sampler where nothing is left to be done with the link.
    owned_sampler release() { return std::move(original_); }

private:
    std::uint32_t seed_now() const;

    owned_sampler original_;
    sampler_setup setup_;
    std::uint32_t seed_;
};

}  // namespace preload
