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

struct free_sampler {
    void operator()(llama_sampler* s) const noexcept { llama_sampler_free(s); }
};
using owned_sampler = std::unique_ptr<llama_sampler, free_sampler>;

/// Appends the stage that does what a sampler of llama.cpp's does; `seed` for those that draw.
using stage_maker = std::function<void(exact_chain& into, std::uint32_t seed)>;

/// What a sampler costs llama.cpp, beside what riffle needs to look at the candidates at all.
enum class sampler_cost {
    usual,
    cheap_alone,  ///< no more, and it keeps nothing: where no other stands beside it, llama.cpp's own does the work
    nothing,      ///< it is switched off
};

/// One sampler that the program asked for: llama.cpp's own, which is what it looks like from outside, and the stage of
/// riffle's that does its work.
struct sampler_link {
    owned_sampler original;
    stage_maker push;
    std::uint32_t seed = LLAMA_DEFAULT_SEED;  ///< that was asked for; the default one is another with every reset
    sampler_cost cost = sampler_cost::usual;

    sampler_link clone() const {
        const calling_llama own_constructors;
        return {owned_sampler(llama_sampler_clone(original.get())), push, seed, cost};
    }
};

}  // namespace preload
