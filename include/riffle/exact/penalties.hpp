#pragma once
#include <algorithm>

#include <riffle/core/context.hpp>
#include <riffle/exact/form.hpp>
#include <riffle/exact/full_row.hpp>
#include <riffle/exact/rounded.hpp>
#include <riffle/samplers/penalties.hpp>

namespace riffle::inline RIFFLE_ABI::exact {

/// llama_sampler_init_penalties: as riffle's own, but divides where that multiplies with 1 / repeat, and last_n < 0 is
/// off. What is exempt is not penalised here either. The candidates count as unsorted afterwards, whether or not
/// anything changed.
template <>
struct form<penalties> {
    static status_code apply(const penalties& spec, candidates& c, form_context& x) noexcept {
        if (spec.off() || spec.last_n < 0) return status_code::ok;
        token_counts counts = spec.counts(x.past);
        counts.settle();
        for (auto& token : c)
            if (const auto count = counts.count(token.id)) token.logit = penalised(spec, token.logit, count);
        c.sorted = false;
        return status_code::ok;
    }

    static row_answer apply_to_row(const penalties& spec, full_row& r, candidates&, const context& x) noexcept {
        if (spec.off() || spec.last_n < 0) return row_answer::stays;
        const token_counts counts = spec.counts(x);
        counts.each([&](token_id token, std::int32_t count) {
            if (float* const logit = r.at(token)) *logit = penalised(spec, *logit, count);
        });
        return row_answer::stays;
    }

    /// last_n below 0 is off.
    static status(check)(const penalties& spec) noexcept {
        return (penalties{(std::max)(spec.last_n, 0), spec.repeat, spec.frequency, spec.presence}.check)();
    }

private:
    static float penalised(const penalties& spec, float logit, std::int32_t count) noexcept {
        const float scaled = logit <= 0.0f ? times(logit, spec.repeat) : logit / spec.repeat;
        return scaled - (times(float(count), spec.frequency) + spec.presence);
    }
};

}  // namespace riffle::exact
