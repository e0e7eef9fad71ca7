#pragma once
#include <riffle/exact/form.hpp>
#include <riffle/exact/full_row.hpp>
#include <riffle/exact/softmax.hpp>
#include <riffle/exact/temperature.hpp>
#include <riffle/samplers/dynamic_temperature.hpp>

namespace riffle::inline RIFFLE_ABI::exact {

/// llama_sampler_init_temp_ext: a temperature within range of t, by how large the entropy is of what it can be; without
/// a range plain temperature. A single candidate is left alone then. p is written, from logits after the temperature.
template <>
struct form<dynamic_temperature> {
    static status_code apply(const dynamic_temperature& spec, candidates& c, form_context& x) noexcept {
        if (!(spec.range > 0.0f)) {
            if (spec.t != 1.0f) apply_temperature(spec.t, c);
            return status_code::ok;
        }
        if (c.size <= 1) return status_code::ok;
        if (const auto failure = sorted_softmax(c, x.memory); failure != status_code::ok) return failure;
        apply_temperature(temperature_for(spec, c), c);
        renew_p(c);
        return status_code::ok;
    }

    static row_answer apply_to_row(const dynamic_temperature& spec, full_row& r, candidates&, const context&) noexcept {
        return spec.range > 0.0f ? row_answer::undecided : form<temperature>::divide_row(spec.t, r);
    }

private:
    static float temperature_for(const dynamic_temperature& spec, const candidates& c) noexcept {
        const float lower = spec.t - spec.range;
        const float least = 0.0f < lower ? lower : 0.0f, most = spec.t + spec.range;
        const float greatest_entropy = -libm::log(1.0f / float(c.size));
        float entropy = 0.0f;
        for (const auto& token : c)
            if (token.p > 0.0f) entropy -= times(token.p, libm::log(token.p));
        return least + times(most - least, libm::pow(entropy / greatest_entropy, spec.exponent));
    }
    static void renew_p(candidates& c) noexcept {
        const double maximum = double(c[0].logit);
        double sum = 0.0;
        for (auto& token : c) {
            const double weight = libm::exp(double(token.logit) - maximum);
            token.p = float(weight);
            sum += weight;
        }
        for (auto& token : c) token.p = float(double(token.p) / sum);
    }
};

}  // namespace riffle::exact
