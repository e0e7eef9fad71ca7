#pragma once
#include <limits>

#include <riffle/exact/float_sums.hpp>
#include <riffle/exact/form.hpp>
#include <riffle/exact/full_row.hpp>
#include <riffle/exact/rounded.hpp>
#include <riffle/samplers/top_n_sigma.hpp>

namespace riffle::inline RIFFLE_ABI::exact {

/// llama_sampler_init_top_n_sigma: logits more than n standard deviations below the maximum become -inf. Keeps order
/// and number.
template <>
struct form<top_n_sigma> {
    static status_code apply(const top_n_sigma& spec, candidates& c, form_context&) noexcept {
        if (spec.n <= 0.0f || c.size <= 1) return status_code::ok;
        float maximum = c[0].logit, sum = 0.0f;
        std::size_t legal = 0;
        for (const auto& token : c) {
            if (token.logit == illegal) continue;
            if (token.logit > maximum) maximum = token.logit;
            sum += token.logit;
            ++legal;
        }
        if (legal == 0) return status_code::ok;  // llama.cpp computes with NaN, and then hides nothing
        const float of_all = deviation(c, sum / float(legal), legal);
        if (of_all == 0.0f && spec.n > greatest_logit) return status_code::ok;  // 0 * inf: NaN again
        const float least = maximum - times(spec.n, of_all);
        for (auto& token : c)
            if (token.logit < least) token.logit = illegal;
        return status_code::ok;
    }

    static row_answer apply_to_row(const top_n_sigma& spec, full_row& r, candidates&, const context&) noexcept {
        if (spec.n <= 0.0f || r.size() <= 1) return row_answer::stays;
        if (!r.ordinary()) return row_answer::undecided;
        const float maximum = r.maximum();
        const auto all = wide::run<legal_sum_pass>(r.logits());
        const float squares = wide::run<squares_pass>(r.logits(), all.sum / float(all.legal));
        if (squares == 0.0f && spec.n > greatest_logit) return row_answer::stays;
        const float least = maximum - times(spec.n, libm::sqrt(squares / float(all.legal)));
        if (!(least <= maximum)) return row_answer::undecided;  // NaN
        hide_below(least, r);
        return row_answer::stays;
    }

private:
    static void hide_below(float least, full_row& r) noexcept {
        detail::row& l = r.changed();
        for (std::size_t b = 0; b < l.blocks(); ++b) {
            if (r.block_maxima()[b] < least) {
                l.hide(b);
                continue;
            }
            float* const x = l.own(b);
            for (std::size_t i = 0; i < block_size; ++i) x[i] = x[i] < least ? illegal : x[i];
        }
    }

    static constexpr float illegal = -std::numeric_limits<float>::infinity();

    static float deviation(const candidates& c, float mean, std::size_t legal) noexcept {
        float squares = 0.0f;
        for (const auto& token : c) {
            if (token.logit == illegal) continue;
            const double distance = double(token.logit - mean);
            squares = float(double(squares) + times(distance, distance));
        }
        return libm::sqrt(squares / float(legal));
    }
};

}  // namespace riffle::exact
