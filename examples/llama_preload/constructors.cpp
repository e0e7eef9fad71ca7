// llama.cpp's constructors of samplers, answered with samplers of which riffle does the work. Those that are not here
// (grammar, infill, adaptive_p, the reasoning budget, ...) are llama.cpp's, and stand between ours as they are.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <llama.h>
#include <utility>
#include <vector>

#include "draws.hpp"
#include "exported.hpp"
#include "facade.hpp"
#include "llama_library.hpp"
#include "mode.hpp"
#include "sampler_link.hpp"

namespace preload {
namespace {

/// What llama.cpp makes of parameters that switch a sampler off: one that does nothing, with a mark in its name.
bool is_switched_off(const llama_sampler* original) { return *llama_sampler_name(original) == '?'; }

/// Whether a caller at an address wants llama.cpp's own: llama.cpp itself, and all where this library is switched off.
bool wants_theirs(const void* caller) { return mode() == preload_mode::off || is_called_by_llama(caller); }

/// A sampler for a caller at `caller`.
llama_sampler* answer(llama_sampler* original, const void* caller, sampler_setup setup) {
    if (!original || wants_theirs(caller)) return original;
    if (is_switched_off(original)) setup = {.cost = sampler_cost::nothing};
    return new_facade({owned_sampler(original), std::move(setup)});
}
/// For one that draws nothing.
template <class Stage>
llama_sampler* answer(llama_sampler* original, const void* caller, Stage stage, sampler_cost cost = sampler_cost::usual,
                      std::int32_t last_n = 0) {
    return answer(
        original, caller,
        sampler_setup{.push = [stage = std::move(stage)](exact_chain& into, std::uint32_t) { into.push(stage); },
                      .last_n = last_n,
                      .cost = cost});
}
/// What a temperature costs, which alone keeps nothing. Divided by an infinite one -inf is NaN.
sampler_cost cost_of(float temperature) {
    return std::isinf(temperature) ? sampler_cost::not_for_riffle : sampler_cost::cheap_alone;
}

/// For one that draws: the seed is known when the chain is made.
template <class Stage>
llama_sampler* answer_with_seed(llama_sampler* original, const void* caller, std::uint32_t seed, Stage stage) {
    return answer(original, caller,
                  sampler_setup{.push =
                                    [stage](exact_chain& into, std::uint32_t now) {
                                        Stage seeded = stage;
                                        seeded.seed = now;
                                        into.push(std::move(seeded));
                                    },
                                .catch_up = catch_up<Stage>,
                                .asked_seed = seed});
}

}  // namespace
}  // namespace preload

using namespace preload;
namespace r = riffle;

extern "C" {

RIFFLE_EXPORTED llama_sampler* llama_sampler_init_greedy(void) {
    return answer(RIFFLE_THEIRS(llama_sampler_init_greedy)(), RIFFLE_CALLER, r::greedy{}, sampler_cost::cheap_alone);
}
RIFFLE_EXPORTED llama_sampler* llama_sampler_init_dist(std::uint32_t seed) {
    return answer_with_seed(RIFFLE_THEIRS(llama_sampler_init_dist)(seed), RIFFLE_CALLER, seed, r::dist{});
}
RIFFLE_EXPORTED llama_sampler* llama_sampler_init_top_k(std::int32_t k) {
    return answer(RIFFLE_THEIRS(llama_sampler_init_top_k)(k), RIFFLE_CALLER, r::top_k{.k = k},
                  sampler_cost::cheap_alone);
}
RIFFLE_EXPORTED llama_sampler* llama_sampler_init_top_p(float p, std::size_t min_keep) {
    return answer(RIFFLE_THEIRS(llama_sampler_init_top_p)(p, min_keep), RIFFLE_CALLER,
                  r::top_p{.p = p, .min_keep = min_keep});
}
RIFFLE_EXPORTED llama_sampler* llama_sampler_init_min_p(float p, std::size_t min_keep) {
    return answer(RIFFLE_THEIRS(llama_sampler_init_min_p)(p, min_keep), RIFFLE_CALLER,
                  r::min_p{.p = p, .min_keep = min_keep}, sampler_cost::cheap_alone);
}
RIFFLE_EXPORTED llama_sampler* llama_sampler_init_typical(float p, std::size_t min_keep) {
    return answer(RIFFLE_THEIRS(llama_sampler_init_typical)(p, min_keep), RIFFLE_CALLER,
                  r::typical{.p = p, .min_keep = min_keep});
}
RIFFLE_EXPORTED llama_sampler* llama_sampler_init_temp(float t) {
    return answer(RIFFLE_THEIRS(llama_sampler_init_temp)(t), RIFFLE_CALLER, r::temperature{.t = t}, cost_of(t));
}
RIFFLE_EXPORTED llama_sampler* llama_sampler_init_temp_ext(float t, float delta, float exponent) {
    return answer(RIFFLE_THEIRS(llama_sampler_init_temp_ext)(t, delta, exponent), RIFFLE_CALLER,
                  r::dynamic_temperature{.t = t, .range = delta, .exponent = exponent},
                  delta > 0 && std::isfinite(t) ? sampler_cost::usual : cost_of(t));
}
RIFFLE_EXPORTED llama_sampler* llama_sampler_init_xtc(float p, float t, std::size_t min_keep, std::uint32_t seed) {
    return answer_with_seed(RIFFLE_THEIRS(llama_sampler_init_xtc)(p, t, min_keep, seed), RIFFLE_CALLER, seed,
                            r::xtc{.probability = p, .threshold = t, .min_keep = min_keep});
}
RIFFLE_EXPORTED llama_sampler* llama_sampler_init_top_n_sigma(float n) {
    return answer(RIFFLE_THEIRS(llama_sampler_init_top_n_sigma)(n), RIFFLE_CALLER, r::top_n_sigma{.n = n});
}
RIFFLE_EXPORTED llama_sampler* llama_sampler_init_mirostat(std::int32_t n_vocab, std::uint32_t seed, float tau,
                                                           float eta, std::int32_t m) {
    return answer_with_seed(RIFFLE_THEIRS(llama_sampler_init_mirostat)(n_vocab, seed, tau, eta, m), RIFFLE_CALLER, seed,
                            r::mirostat{.tau = tau, .eta = eta, .m = m, .n_vocab = n_vocab});
}
RIFFLE_EXPORTED llama_sampler* llama_sampler_init_mirostat_v2(std::uint32_t seed, float tau, float eta) {
    return answer_with_seed(RIFFLE_THEIRS(llama_sampler_init_mirostat_v2)(seed, tau, eta), RIFFLE_CALLER, seed,
                            r::mirostat_v2{.tau = tau, .eta = eta});
}
RIFFLE_EXPORTED llama_sampler* llama_sampler_init_penalties(std::int32_t n_vocab, std::int32_t last_n, float repeat,
                                                            float frequency, float presence) {
    // below 0 is off there, and all tokens in riffle
    const r::penalties stage{
        .last_n = last_n > 0 ? last_n : 0, .repeat = repeat, .frequency = frequency, .presence = presence};
    return answer(RIFFLE_THEIRS(llama_sampler_init_penalties)(n_vocab, last_n, repeat, frequency, presence),
                  RIFFLE_CALLER, stage, sampler_cost::usual, stage.last_n);
}
RIFFLE_EXPORTED llama_sampler* llama_sampler_init_logit_bias(std::int32_t n_vocab, std::int32_t count,
                                                             const llama_logit_bias* biases) {
    llama_sampler* const made = RIFFLE_THEIRS(llama_sampler_init_logit_bias)(n_vocab, count, biases);
    if (wants_theirs(RIFFLE_CALLER)) return made;  // of many biases, perhaps
    r::logit_bias stage;
    stage.biases.reserve(count > 0 ? std::size_t(count) : 0);
    for (std::int32_t i = 0; i < count; ++i) stage.biases.push_back({biases[i].token, biases[i].bias});
    return answer(made, RIFFLE_CALLER, std::move(stage), sampler_cost::cheap_alone);
}
/// Where it is on, llama.cpp's own does the work: finding the tokens of its breakers takes a look at every token of the
/// vocabulary, which it has taken already. Where it is off, it does not part its neighbours.
RIFFLE_EXPORTED llama_sampler* llama_sampler_init_dry(const llama_vocab* vocab, float multiplier, float base,
                                                      std::int32_t allowed_length, std::int32_t last_n,
                                                      const char** breakers, std::size_t count) {
    llama_sampler* const made =
        RIFFLE_THEIRS(llama_sampler_init_dry)(vocab, multiplier, base, allowed_length, last_n, breakers, count);
    if (wants_theirs(RIFFLE_CALLER) || !is_switched_off(made)) return made;
    return answer(made, RIFFLE_CALLER, {.cost = sampler_cost::nothing});
}

}  // extern "C"
