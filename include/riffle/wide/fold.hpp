#pragma once
#include <array>
#include <cstddef>

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
            for (auto& p : parameters_) p = flushed(p);
        }
    }

    /// Of a stage whose parameters follow from the law of all.
    bound_map(const S& s, const law& of_all) noexcept
        requires has_measured_map<S>
        : parameters_(s.parameters(of_all)) {
        for (auto& p : parameters_) p = flushed(p);
    }

    /// `x` is canonical but for denormals and NaN.
    template <class V>
    RIFFLE_INLINE V operator()(const V& x) const noexcept {
        return blend(x > V(illegal_logit), canonical(mapped(flushed(x))), V(illegal_logit));
    }
    /// The same but for a NaN, an infinity or a denormal that the map returns, for uses that cannot tell those from
    /// their canonical form: fixed_mass of a distance to the maximum, a comparison with a finite cut.
    template <class V>
    RIFFLE_INLINE V uncanonical(const V& x) const noexcept {
        if constexpr (tolerates_uncanonical) return mapped(x);
        else return blend(x > V(illegal_logit), mapped(flushed(x)), V(illegal_logit));
    }

private:
    static constexpr bool tolerates_uncanonical = requires { requires S::tolerates_uncanonical; };
    static constexpr bool plain = detail::maps_plainly<S, lanes<4>>;
    static constexpr std::size_t count = [] {
        if constexpr (plain) return std::size_t{0};
        else return detail::parameter_count<S>;
    }();

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
};

/// The maps of several stages, one after the other, as one function over any value type. Passes are keyed by the list
/// of folded maps alone: two chains, or two paths of one, that fold the same stages share the code.
template <class... Maps>
class fold;

template <>
class fold<> {
public:
    template <class V>
    RIFFLE_INLINE V operator()(const V& x) const noexcept {
        return x;
    }
    template <class V>
    RIFFLE_INLINE V uncanonical(const V& x) const noexcept {
        return x;
    }
    RIFFLE_INLINE float one(float x) const noexcept { return x; }
};

template <class First, class... Rest>
class fold<First, Rest...> {
public:
    explicit fold(const First& first, const Rest&... rest) noexcept : first_(first), rest_(rest...) {}
    template <class V>
    RIFFLE_INLINE V operator()(const V& x) const noexcept {
        return rest_(first_(x));
    }
    /// The last map's result not made canonical (see bound_map).
    template <class V>
    RIFFLE_INLINE V uncanonical(const V& x) const noexcept {
        if constexpr (sizeof...(Rest) == 0) return first_.uncanonical(x);
        else return rest_.uncanonical(first_(x));
    }
    float one(float x) const noexcept { return (*this)(lanes<1>(x))[0]; }

private:
    bound_map<First> first_;
    fold<Rest...> rest_;
};

}  // namespace riffle
