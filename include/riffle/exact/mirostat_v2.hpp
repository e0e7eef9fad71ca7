#pragma once
#include <riffle/core/llama_form.hpp>
#include <riffle/exact/mirostat.hpp>
#include <riffle/samplers/mirostat_v2.hpp>

namespace riffle::exact {

/// llama_sampler_init_mirostat_v2: drops tokens from the first on whose surprise is over mu, then draws.
template <>
struct form<mirostat_v2> {
    struct state : mirostat_state {
        explicit state(const mirostat_v2& spec) noexcept : mirostat_state(spec.seed, spec.tau) {}
    };

    static status_code apply(const mirostat_v2& spec, state& s, candidates& c, surroundings& x) noexcept {
        if (const auto failure = sorted_softmax(c, x.memory); failure != status_code::ok) return failure;
        std::size_t kept = 0;
        while (kept < c.size && !(-libm::log2(c[kept].p) > s.mu)) ++kept;
        c.size = kept > 0 ? kept : 1;
        softmax(c);
        s.select(c, spec.tau, spec.eta);
        return status_code::ok;
    }
    static void reset(const mirostat_v2& spec, state& s) noexcept { s = state(spec); }

    using mark = mirostat_state::mark;
    static mark save(const state& s) noexcept { return s.save(); }
    static void restore(const mirostat_v2&, state& s, const mark& m) noexcept { s.restore(m); }
};

}  // namespace riffle::exact
