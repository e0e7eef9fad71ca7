#pragma once
#include <riffle/exact/form.hpp>
#include <riffle/exact/full_row.hpp>
#include <riffle/exact/mersenne_twister.hpp>
#include <riffle/exact/softmax.hpp>
#include <riffle/samplers/xtc.hpp>

namespace riffle::inline RIFFLE_ABI::exact {

/// llama_sampler_init_xtc: with a probability, drops all tokens at or above a threshold but the least likely of them.
/// Moves the beginning of the candidates instead of the candidates. One number is drawn, whether or not there is
/// anything to drop; none for a single candidate.
template <>
struct form<xtc> {
    struct state {
        explicit state(const xtc& spec) noexcept : random(spec.seed) {}
        mersenne_twister random;
    };

    static status_code apply(const xtc& spec, state& s, candidates& c, form_context& x) noexcept {
        if (spec.probability <= 0.0f || spec.threshold > 0.5f || c.size < 2) return status_code::ok;
        if (s.random.canonical_float() > spec.probability) return status_code::ok;
        if (const auto failure = sorted_softmax(c, x.memory); failure != status_code::ok) return failure;
        std::size_t above = 0;
        while (above < c.size && c[above].p >= spec.threshold) ++above;
        const std::size_t reaching = above > 0 ? above - 1 : 0;
        std::size_t exempt = 0;
        for (std::size_t i = 0; i < reaching; ++i) exempt += spec.exempt.contains(c[i].id);
        const std::size_t dropped = reaching - exempt;
        if (dropped == 0 || c.size - dropped < spec.min_keep) return status_code::ok;
        if (exempt > 0)  // they are moved together, in their order, to where the candidates then begin
            for (std::size_t i = reaching, to = reaching; i-- > 0;)
                if (spec.exempt.contains(c[i].id)) c[--to] = c[i];
        c.data += dropped;
        c.size -= dropped;
        return status_code::ok;
    }
    static row_answer apply_to_row(const xtc& spec, state& s, full_row& r, candidates&, const context&) noexcept {
        if (spec.probability <= 0.0f || spec.threshold > 0.5f || r.size() < 2) return row_answer::stays;
        const std::uint32_t before = s.random.words();
        if (s.random.canonical_float() > spec.probability) return row_answer::stays;
        s.random.seek(before);
        return row_answer::undecided;
    }
    static void reset(const xtc& spec, state& s) noexcept { s = state(spec); }

    struct mark {
        std::uint32_t words;
    };
    static mark save(const state& s) noexcept { return {s.random.words()}; }
    static void restore(const xtc&, state& s, const mark& m) noexcept { s.random.seek(m.words); }
};

}  // namespace riffle::exact
