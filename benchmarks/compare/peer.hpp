#pragma once
// llama.cpp's sampler for each of riffle's stages.
#include <cstdint>
#include <llama.h>

#include <riffle/riffle.hpp>

#include "../prefer_even.hpp"

namespace compared {

using namespace riffle;

inline llama_sampler* peer_of(const penalties& s) {
    return llama_sampler_init_penalties(1 << 20, s.last_n, s.repeat, s.frequency, s.presence);
}
inline llama_sampler* peer_of(const top_k& s) { return llama_sampler_init_top_k(s.k); }
inline llama_sampler* peer_of(const top_p& s) { return llama_sampler_init_top_p(s.p, s.min_keep); }
inline llama_sampler* peer_of(const min_p& s) { return llama_sampler_init_min_p(s.p, s.min_keep); }
inline llama_sampler* peer_of(const typical& s) { return llama_sampler_init_typical(s.p, s.min_keep); }
inline llama_sampler* peer_of(const temperature& s) { return llama_sampler_init_temp(s.t); }
inline llama_sampler* peer_of(const dynamic_temperature& s) {
    return llama_sampler_init_temp_ext(s.t, s.range, s.exponent);
}
inline llama_sampler* peer_of(const top_n_sigma& s) { return llama_sampler_init_top_n_sigma(s.n); }
inline llama_sampler* peer_of(const xtc& s) {
    return llama_sampler_init_xtc(s.probability, s.threshold, s.min_keep, std::uint32_t(s.seed));
}
inline llama_sampler* peer_of(const dist& s) { return llama_sampler_init_dist(std::uint32_t(s.seed)); }
inline llama_sampler* peer_of(const mirostat_v2& s) {
    return llama_sampler_init_mirostat_v2(std::uint32_t(s.seed), s.tau, s.eta);
}
inline llama_sampler* peer_of(const adaptive_p& s) {
    return llama_sampler_init_adaptive_p(s.target, s.decay, std::uint32_t(s.seed));
}

/// What prefer_even does.
inline llama_sampler* peer_of(const prefer_even&) {
    static llama_sampler_i interface = [] {
        llama_sampler_i i{};
        i.name = [](const llama_sampler*) { return "prefer_even"; };
        i.apply = [](llama_sampler*, llama_token_data_array* a) {
            for (std::size_t t = 0; t < a->size; ++t) a->data[t].logit -= a->data[t].id % 2 ? 0.25f : 0.0f;
        };
        return i;
    }();
    return llama_sampler_init(&interface, nullptr);
}

}  // namespace compared
