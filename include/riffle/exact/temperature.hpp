#pragma once
#include <limits>

#include <riffle/exact/form.hpp>
#include <riffle/exact/full_row.hpp>
#include <riffle/exact/row_passes.hpp>
#include <riffle/samplers/temperature.hpp>

namespace riffle::inline RIFFLE_ABI::exact {

/// Every logit divided by t; for t <= 0 the first of the greatest stays as it is, and all others become -inf.
RIFFLE_NOINLINE inline void apply_temperature(float t, candidates& c) noexcept {
    if (c.empty()) return;
    if (!(t <= 0.0f)) {
        for (auto& token : c) token.logit /= t;
        return;
    }
    std::size_t greatest = 0;
    for (std::size_t i = 1; i < c.size; ++i)
        if (c[i].logit > c[greatest].logit) greatest = i;
    for (std::size_t i = 0; i < c.size; ++i)
        if (i != greatest) c[i].logit = -std::numeric_limits<float>::infinity();
}

/// llama_sampler_init_temp: keeps order and number.
template <>
struct form<temperature> {
    static status_code apply(const temperature& spec, candidates& c, form_context&) noexcept {
        if (spec.t != 1.0f) apply_temperature(spec.t, c);
        return status_code::ok;
    }
    static row_answer apply_to_row(const temperature& spec, full_row& r, candidates&, const context&) noexcept {
        return divide_row(spec.t, r);
    }
    static row_answer divide_row(float t, full_row& r) noexcept {
        if (t == 1.0f) return row_answer::stays;
        if (!(t > 0.0f) || t > greatest_logit) return row_answer::undecided;
        wide::run<divide_pass>(&r.changed([=](float logit) { return logit / t; }), t);
        return row_answer::stays;
    }
};

}  // namespace riffle::exact
