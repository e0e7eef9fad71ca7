#pragma once
#include <array>

#include <riffle/core/facts.hpp>
#include <riffle/core/softmax_statistics.hpp>
#include <riffle/samplers/temperature.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Entropy-dependent temperature: T = low + (high - low) · (entropy / log n)^exponent, with low = max(0, t - range),
/// high = t + range and n legal tokens. Sure models get a low temperature, unsure ones a high one. (kalomaze's dynamic
/// temperature; llama.cpp's temp_ext.)
///
/// `range` <= 0 = temperature{t}, t <= 0 included; exponent finite, usual 1; a single candidate is left alone. T below
/// 2^-64, and below 0, counts as that; one beyond the floats makes all legal tokens equal. NaN is an error in each; so
/// are a range of +inf, and an infinite t where range > 0.
///
/// Wide: max, softmax statistics, and a private copy of the row. Narrow: O(candidates). No sort.
struct dynamic_temperature {
    float t = 0.8f;         ///< the temperature in the middle; with no range the only one
    float range = 0.0f;     ///< how far it goes up and down with the entropy; 0 or below is plain temperature
    float exponent = 1.0f;  ///< of the entropy's share of the greatest there can be; finite, usual 1

    static constexpr const char* name = "dynamic_temperature";
    static constexpr facts fact{
        .adjusts = true, .narrows = narrowing::rank, .softmax_parts = softmax_part::distances | softmax_part::support};
    static constexpr bool multiplies = true;  ///< see temperature

    bool plain() const noexcept { return !(flushed(range) > 0.0f); }
    bool narrows_now() const noexcept { return plain() && flushed(t) <= 0.0f; }
    std::size_t rank() const noexcept { return 1; }
    bool adjusts_now() const noexcept { return !(plain() && t == 1.0f); }

    /// See chain/superset_facts.hpp.
    bool keeps_below() const noexcept { return !(range > 0.0f) && t > 0.0f; }

    /// The temperature that softmax statistics give; 1 for a single candidate.
    float temperature_for(const softmax_statistics& of_all) const noexcept {
        if (plain()) return t;
        if (of_all.legal < 2) return 1.0f;
        const lanes<1> low = greater_of(lanes<1>(t) - lanes<1>(range), lanes<1>(0.0f));
        const lanes<1> width = lanes<1>(t) + lanes<1>(range) - low;
        const float greatest = log(lanes<1>(float(of_all.legal)))[0];
        const float share = of_all.entropy() / greatest;
        const lanes<1> logarithm = log(lanes<1>(share > 0.0f ? share : 0.0f)) * lanes<1>(exponent);
        return (low + width * exp(logarithm))[0];
    }
    /// 1 / T
    std::array<float, 1> parameters(const softmax_statistics& of_all) const noexcept {
        return temperature{temperature_for(of_all)}.parameters();
    }
    template <class V>
    static RIFFLE_INLINE constexpr V map(const V& logit, const std::array<V, 1>& scale) noexcept {
        return logit * scale[0];
    }

    status(check)() const noexcept {
        if (!(absolute(lanes<1>(t))[0] <= greatest_logit) && !plain())
            return status::invalid(name, "t", double(t), "is not a finite number");
        if (t != t) return status::invalid(name, "t", double(t), "is not a number");
        if (range != range || range > greatest_logit)
            return status::invalid(name, "range", double(range), "is not a finite number");
        if (!(absolute(lanes<1>(exponent))[0] <= greatest_logit))
            return status::invalid(name, "exponent", double(exponent), "is not a finite number");
        return {};
    }
};

}  // namespace riffle
