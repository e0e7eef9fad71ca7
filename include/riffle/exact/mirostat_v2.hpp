#pragma once
#include <riffle/exact/form.hpp>
#include <riffle/exact/full_row.hpp>
#include <riffle/exact/mirostat.hpp>
#include <riffle/exact/sorted_row.hpp>
#include <riffle/samplers/mirostat_v2.hpp>

namespace riffle::inline RIFFLE_ABI::exact {

/// llama_sampler_init_mirostat_v2: drops tokens from the first on whose surprise is over mu, then draws.
template <>
struct form<mirostat_v2> {
    struct state : mirostat_state {
        explicit state(const mirostat_v2& spec) noexcept : mirostat_state(spec.seed, spec.tau) {}
    };

    static status_code apply(const mirostat_v2& spec, state& s, candidates& c, form_context& x) noexcept {
        if (const auto failure = sorted_softmax(c, x.memory); failure != status_code::ok) return failure;
        std::size_t kept = 0;
        while (kept < c.size && !surprises(c[kept].p, s.mu)) ++kept;
        draw_among(kept, spec, s, c, x.past);
        return status_code::ok;
    }
    static row_answer apply_to_row(const mirostat_v2& spec, state& s, full_row& r, candidates& found,
                                   const context& x) noexcept {
        if (!sorted_row::serves(r, r.size())) return row_answer::undecided;
        sorted_row sorted(r, r.size(), found.data, x);
        if (!sorted.exists()) return row_answer::undecided;
        do sorted.extend();
        while (!sorted.complete() && !surely_surprises(sorted, s.mu));
        const float sum = sorted.sum_of_all();
        std::size_t kept = 0;
        while (kept < sorted.size() && !surprises(sorted[kept].p / sum, s.mu)) ++kept;
        found.sorted = true;
        draw_among(kept, spec, s, found, x);
        return row_answer::narrowed;
    }
    static void reset(const mirostat_v2& spec, state& s) noexcept { s = state(spec); }

    using mark = mirostat_state::mark;
    static mark save(const state& s) noexcept { return s.save(); }
    static void restore(const mirostat_v2&, state& s, const mark& m) noexcept { s.restore(m); }

private:
    static bool surprises(float p, float mu) noexcept {
        if (p == 0.0f) return mu <= greatest_logit;  // the surprise is +inf; a host may trap at log2(0)
        return -(libm::log2)(p) > mu;
    }
    /// Of the last one there, whatever those behind it will add to the sum.
    static bool surely_surprises(const sorted_row& sorted, float mu) noexcept {
        const float margin = 1e-4f * (1.0f + absolute(mu));
        return surprises(sorted[sorted.size() - 1].p / sorted.sum(), mu + margin);
    }
    static void draw_among(std::size_t kept, const mirostat_v2& spec, state& s, candidates& c,
                           const context& x) noexcept {
        c.size = kept > 0 ? kept : 1;
        softmax(c);
        s.choose(c, spec.tau, spec.eta, x.taken());
    }
};

}  // namespace riffle::exact
