#pragma once

#include <cstdint>
#include <llama.h>

#include <riffle/llama_exact.hpp>
#include <riffle/riffle.hpp>

namespace preload {

/// One draw of a stage's, of as many random words as it takes there.
inline void draw_once(const riffle::dist&, riffle::exact::mersenne_twister& random) { random.canonical_double(); }
inline void draw_once(const riffle::xtc&, riffle::exact::mersenne_twister& random) { random.canonical_float(); }

/// Any two candidates make a sampler draw that draws at all.
inline void apply_to_two(llama_sampler* sampler) {
    llama_token_data two[] = {{0, 0.0f, 0.0f}, {1, 0.0f, 0.0f}};
    llama_token_data_array array{two, 2, -1, false};
    llama_sampler_apply(sampler, &array);
}

/// Lets llama.cpp's sampler draw as often as the stage has since it began from `seed`. False for a mirostat that has
/// drawn: how much surprise it allows now cannot be told to llama.cpp's.
template <class Stage>
bool catch_up(llama_sampler* original, const riffle::stage_ref& stage, std::uint32_t seed) {
    const auto& spec = *static_cast<const Stage*>(stage.spec);
    const auto& kept = *static_cast<const typename riffle::exact::form<Stage>::state*>(stage.state);
    if constexpr (requires { kept.mu; }) {
        return kept.random.words() == 0 && kept.mu == 2.0f * spec.tau;
    } else {
        for (riffle::exact::mersenne_twister seen(seed); seen.words() != kept.random.words(); draw_once(spec, seen))
            apply_to_two(original);
        return true;
    }
}

}  // namespace preload
