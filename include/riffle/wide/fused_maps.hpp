#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include <riffle/core/facts.hpp>
#include <riffle/math/elementwise.hpp>

namespace riffle::inline RIFFLE_ABI {

/// One stage's map with its parameters bound by value, in the form the passes use: canonical result, -inf stays -inf.
template <class S>
class bound_map {
public:
    explicit bound_map(const S& s) noexcept
        requires(!has_measured_map<S>)
    {
        if constexpr (!plain) {
            parameters_ = s.parameters();
            settle();
        }
    }

    /// Of a stage whose parameters follow from the softmax statistics of all.
    bound_map(const S& s, const softmax_statistics& of_all) noexcept
        requires has_measured_map<S>
        : parameters_(s.parameters(of_all)) {
        settle();
    }

    /// `x` is canonical but for denormals and NaN.
    template <class V>
    RIFFLE_INLINE V operator()(const V& x) const noexcept {
        return blend(x > V(illegal_logit), canonical(mapped(without_small(x))), V(illegal_logit));
    }
    /// The map, whose NaN, infinities and denormals stay as they are: for fixed_mass of a distance to top(maximum),
    /// which cannot tell those from their canonical form.
    template <class V>
    RIFFLE_INLINE V for_weights(const V& x) const noexcept {
        if constexpr (needs_no_canonical_form) return mapped(x);
        else return blend(x > V(illegal_logit), mapped(flushed(x)), V(illegal_logit));
    }

    /// What the mapped maximum counts as then.
    float top(float maximum) const noexcept {
        if constexpr (multiplies) return flattens() ? -beyond_tiny : maximum;
        else return maximum;
    }

private:
    static constexpr bool needs_no_canonical_form = requires { requires S::needs_no_canonical_form; };
    static constexpr bool multiplies = has_built_in_facts<S> && requires { requires S::multiplies; };
    static constexpr bool plain = detail::maps_plainly<S, lanes<4>>;
    static constexpr std::size_t count = [] {
        if constexpr (plain) return std::size_t{0};
        else return detail::parameter_count<S>;
    }();

    // A product with 0 makes all legal logits equal, but of -inf a NaN, at which a host may trap. So 0 becomes a tiny
    // factor, which no finite logit reaches 8 by, and every finite logit is small enough to count as 0. Uncanonical
    // products have not counted as 0; but next to a maximum of -8 all of them weigh as much as can be.
    static constexpr float tiny = 0x1p-126f, beyond_tiny = 8.0f;
    static constexpr std::int32_t infinite_magnitude = 0x7f800000;

    void settle() noexcept {
        for (auto& p : parameters_) p = flushed(p);
        if constexpr (multiplies) {
            if (parameters_[0] != 0.0f) return;
            parameters_[0] = tiny;
            small_below_ = infinite_magnitude;
        }
    }
    bool flattens() const noexcept { return small_below_ == infinite_magnitude; }
    template <class V>
    RIFFLE_INLINE V without_small(const V& x) const noexcept {
        if constexpr (multiplies) return blend((as_bits(x) & 0x7fffffff) < small_below_, V(0.0f), x);
        else return flushed(x);
    }

    template <class V>
    RIFFLE_INLINE V mapped(const V& x) const noexcept {
        if constexpr (plain) {
            return S::map(x);
        } else {
            std::array<V, count> p;
            for (std::size_t i = 0; i < count; ++i) p[i] = V(parameters_[i]);
            return S::map(x, p);
        }
    }
    std::array<float, count> parameters_{};
    std::int32_t small_below_ = least_magnitude;  ///< of a product: magnitudes of logits that count as 0
};

/// The maps of several stages, one after the other, as one function over any value type. Passes are keyed by the list
/// of folded maps alone: two chains, or two paths of one, that fold the same stages share the code.
template <class... Maps>
class fused_maps;

template <>
class fused_maps<> {
public:
    template <class V>
    RIFFLE_INLINE V operator()(const V& x) const noexcept {
        return x;
    }
    template <class V>
    RIFFLE_INLINE V for_weights(const V& x) const noexcept {
        return x;
    }
    RIFFLE_INLINE float one(float x) const noexcept { return x; }
    float top(float maximum) const noexcept { return maximum; }
};

template <class First, class... Rest>
class fused_maps<First, Rest...> {
public:
    explicit fused_maps(const First& first, const Rest&... rest) noexcept : first_(first), rest_(rest...) {}
    template <class V>
    RIFFLE_INLINE V operator()(const V& x) const noexcept {
        return rest_(first_(x));
    }
    /// The last map's result not made canonical (see bound_map).
    template <class V>
    RIFFLE_INLINE V for_weights(const V& x) const noexcept {
        if constexpr (sizeof...(Rest) == 0) return first_.for_weights(x);
        else return rest_.for_weights(first_(x));
    }
    float one(float x) const noexcept { return (*this)(lanes<1>(x))[0]; }
    float top(float maximum) const noexcept {
        if constexpr (sizeof...(Rest) == 0) return first_.top(maximum);
        else return rest_.top(maximum);
    }

private:
    bound_map<First> first_;
    fused_maps<Rest...> rest_;
};

}  // namespace riffle
