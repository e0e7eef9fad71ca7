// llama.cpp's constructors of samplers, answered with samplers of which riffle does the work. Those that are not here
// (grammar, infill, adaptive_p, the reasoning budget, ...) are llama.cpp's, and stand between ours as they are.

#include <cstddef>
#include <cstdint>
#include <llama.h>
#include <utility>
#include <vector>

#include "exported.hpp"
#include "llama_library.hpp"
#include "report.hpp"
#include "sampler_link.hpp"
#include "sampler_run.hpp"

namespace preload {
namespace {

/// What llama.cpp makes of parameters that switch a sampler off: one that does nothing, with a mark in its name.
bool is_switched_off(const llama_sampler* original) { return *llama_sampler_name(original) == '?'; }

/// A sampler for a caller at `caller`: llama.cpp's own for llama.cpp itself, and where this library is switched off.
llama_sampler* answer(llama_sampler* original, const void* caller, std::uint32_t seed, sampler_cost cost,
                      stage_maker push) {
    if (!original || mode() == preload_mode::off || is_called_by_llama(caller)) return original;
    if (is_switched_off(original)) {
        cost = sampler_cost::nothing;
        push = [](exact_chain&, std::uint32_t) {};
    }
    return new_facade({owned_sampler(original), std::move(push), seed, cost});
}
/// For one that draws nothing.
template <class Stage>
llama_sampler* answer(llama_sampler* original, const void* caller, Stage stage,
                      sampler_cost cost = sampler_cost::usual) {
    return answer(original, caller, 0, cost, [stage](exact_chain& into, std::uint32_t) { into.push(stage); });
}
/// For one that draws: the seed is known when the chain is made.
template <class Stage>
llama_sampler* answer_with_seed(llama_sampler* original, const void* caller, std::uint32_t seed, Stage stage) {
    return answer(original, caller, seed, sampler_cost::usual, [stage](exact_chain& into, std::uint32_t now) {
        Stage seeded = stage;
        seeded.seed = now;
        into.push(std::move(seeded));
    });
}

}  // namespace
}  // namespace preload

using namespace preload;
namespace r = riffle;

extern "C" {

RIFFLE_EXPORTED llama_sampler* llama_sampler_init_greedy(void) {
    static const auto own = original<decltype(llama_sampler_init_greedy)>("llama_sampler_init_greedy");
    return answer(own(), CALLER, r::greedy{}, sampler_cost::cheap_alone);
}
RIFFLE_EXPORTED llama_sampler* llama_sampler_init_dist(std::uint32_t seed) {
    static const auto own = original<decltype(llama_sampler_init_dist)>("llama_sampler_init_dist");
    return answer_with_seed(own(seed), CALLER, seed, r::dist{});
}
RIFFLE_EXPORTED llama_sampler* llama_sampler_init_top_k(std::int32_t k) {
    static const auto own = original<decltype(llama_sampler_init_top_k)>("llama_sampler_init_top_k");
    return answer(own(k), CALLER, r::top_k{.k = k}, sampler_cost::cheap_alone);
}
RIFFLE_EXPORTED llama_sampler* llama_sampler_init_top_p(float p, std::size_t min_keep) {
    static const auto own = original<decltype(llama_sampler_init_top_p)>("llama_sampler_init_top_p");
    return answer(own(p, min_keep), CALLER, r::top_p{.p = p, .min_keep = min_keep});
}
RIFFLE_EXPORTED llama_sampler* llama_sampler_init_min_p(float p, std::size_t min_keep) {
    static const auto own = original<decltype(llama_sampler_init_min_p)>("llama_sampler_init_min_p");
    return answer(own(p, min_keep), CALLER, r::min_p{.p = p, .min_keep = min_keep}, sampler_cost::cheap_alone);
}
RIFFLE_EXPORTED llama_sampler* llama_sampler_init_typical(float p, std::size_t min_keep) {
    static const auto own = original<decltype(llama_sampler_init_typical)>("llama_sampler_init_typical");
    return answer(own(p, min_keep), CALLER, r::typical{.p = p, .min_keep = min_keep});
}
RIFFLE_EXPORTED llama_sampler* llama_sampler_init_temp(float t) {
    static const auto own = original<decltype(llama_sampler_init_temp)>("llama_sampler_init_temp");
    return answer(own(t), CALLER, r::temperature{.t = t}, sampler_cost::cheap_alone);
}
RIFFLE_EXPORTED llama_sampler* llama_sampler_init_temp_ext(float t, float delta, float exponent) {
    static const auto own = original<decltype(llama_sampler_init_temp_ext)>("llama_sampler_init_temp_ext");
    return answer(own(t, delta, exponent), CALLER, r::dynamic_temperature{.t = t, .range = delta, .exponent = exponent},
                  delta > 0 ? sampler_cost::usual : sampler_cost::cheap_alone);
}
RIFFLE_EXPORTED llama_sampler* llama_sampler_init_xtc(float p, float t, std::size_t min_keep, std::uint32_t seed) {
    static const auto own = original<decltype(llama_sampler_init_xtc)>("llama_sampler_init_xtc");
    return answer_with_seed(own(p, t, min_keep, seed), CALLER, seed,
                            r::xtc{.probability = p, .threshold = t, .min_keep = min_keep});
}
RIFFLE_EXPORTED llama_sampler* llama_sampler_init_top_n_sigma(float n) {
    static const auto own = original<decltype(llama_sampler_init_top_n_sigma)>("llama_sampler_init_top_n_sigma");
    return answer(own(n), CALLER, r::top_n_sigma{.n = n});
}
RIFFLE_EXPORTED llama_sampler* llama_sampler_init_mirostat(std::int32_t n_vocab, std::uint32_t seed, float tau,
                                                           float eta, std::int32_t m) {
    static const auto own = original<decltype(llama_sampler_init_mirostat)>("llama_sampler_init_mirostat");
    return answer_with_seed(own(n_vocab, seed, tau, eta, m), CALLER, seed,
                            r::mirostat{.tau = tau, .eta = eta, .m = m, .n_vocab = n_vocab});
}
RIFFLE_EXPORTED llama_sampler* llama_sampler_init_mirostat_v2(std::uint32_t seed, float tau, float eta) {
    static const auto own = original<decltype(llama_sampler_init_mirostat_v2)>("llama_sampler_init_mirostat_v2");
    return answer_with_seed(own(seed, tau, eta), CALLER, seed, r::mirostat_v2{.tau = tau, .eta = eta});
}
RIFFLE_EXPORTED llama_sampler* llama_sampler_init_penalties(std::int32_t n_vocab, std::int32_t last_n, float repeat,
                                                            float frequency, float presence) {
    static const auto own = original<decltype(llama_sampler_init_penalties)>("llama_sampler_init_penalties");
    // below 0 is off there, and all tokens in riffle
    const r::penalties stage{
        .last_n = last_n > 0 ? last_n : 0, .repeat = repeat, .frequency = frequency, .presence = presence};
    return answer(own(n_vocab, last_n, repeat, frequency, presence), CALLER, stage);
}
RIFFLE_EXPORTED llama_sampler* llama_sampler_init_logit_bias(std::int32_t n_vocab, std::int32_t count,
                                                             const llama_logit_bias* biases) {
    static const auto own = original<decltype(llama_sampler_init_logit_bias)>("llama_sampler_init_logit_bias");
    r::logit_bias stage;
    for (std::int32_t i = 0; i < count; ++i) stage.biases.push_back({biases[i].token, biases[i].bias});
    return answer(own(n_vocab, count, biases), CALLER, std::move(stage), sampler_cost::cheap_alone);
}
/// Where it is on, llama.cpp's own does the work: finding the tokens of its breakers takes a look at every token of the
/// vocabulary, which it has taken already. Where it is off, it does not part its neighbours.
RIFFLE_EXPORTED llama_sampler* llama_sampler_init_dry(const llama_vocab* vocab, float multiplier, float base,
                                                      std::int32_t allowed_length, std::int32_t last_n,
                                                      const char** breakers, std::size_t count) {
    static const auto own = original<decltype(llama_sampler_init_dry)>("llama_sampler_init_dry");
    llama_sampler* const made = own(vocab, multiplier, base, allowed_length, last_n, breakers, count);
    if (!is_switched_off(made)) return made;
    return answer(made, CALLER, 0, sampler_cost::nothing, [](exact_chain&, std::uint32_t) {});
}

}  // extern "C"
