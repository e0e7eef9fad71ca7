#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <riffle/core/status.hpp>
#include <riffle/math/elementwise.hpp>
#include <riffle/math/fixed_mass.hpp>
#include <riffle/wide/dispatch.hpp>
#include <riffle/wide/mass.hpp>

// Passes over rows as they lie in memory, for what makes one row of two before a chain reads it.

namespace riffle::inline RIFFLE_ABI::wide {

/// N logits from x[i] on, canonical; -inf behind the end.
template <int N>
RIFFLE_INLINE lanes<N> load_canonical(const float* x, std::size_t i, std::size_t size) noexcept {
    if (i + N <= size) return canonical(lanes<N>::load(x + i));
    float tail[std::size_t(N)];
    for (int j = 0; j < N; ++j) tail[j] = i + std::size_t(j) < size ? x[i + std::size_t(j)] : illegal_logit;
    return canonical(lanes<N>::load(tail));
}

struct plain_max_pass {
    template <int N>
    static RIFFLE_INLINE float run(const float* const& x, std::size_t size) noexcept {
        lanes<N> greatest(illegal_logit);
        for (std::size_t i = 0; i < size; i += N) greatest = greater_of(load_canonical<N>(x, i, size), greatest);
        return reduce_max(greatest);
    }
};
struct plain_mass_pass {
    template <int N>
    static RIFFLE_INLINE std::uint64_t run(const float* const& x, std::size_t size, float maximum) noexcept {
        wide_sum<N> sum;
        for (std::size_t i = 0; i < size; i += N)
            sum.add(fixed_mass(load_canonical<N>(x, i, size) - lanes<N>(maximum)));
        return sum.total();
    }
};

/// out[i] = combine(a[i], b[i]), canonical. `out` may be one of the two.
template <class Combine>
struct combine_pass {
    template <int N>
    static RIFFLE_INLINE void run(const float* const& a, const float* const& b, float* const& out, std::size_t size,
                                  const Combine& combine_by_reference) noexcept {
        const Combine combine = combine_by_reference;
        for (std::size_t i = 0; i < size; i += N) {
            const auto combined = canonical(combine(load_canonical<N>(a, i, size), load_canonical<N>(b, i, size)));
            float stored[std::size_t(N)];
            combined.store(stored);
            std::memcpy(out + i, stored, (size - i < std::size_t(N) ? size - i : std::size_t(N)) * sizeof(float));
        }
    }
};

/// The greatest logit, canonical.
inline float greatest_of(std::span<const float> logits) noexcept {
    return run<plain_max_pass>(logits.data(), logits.size());
}
/// log Σ exp(l - greatest) over a row, in nats.
inline float log_mass(std::span<const float> logits, float greatest) noexcept {
    const std::uint64_t mass = run<plain_mass_pass>(logits.data(), logits.size(), greatest);
    return log(lanes<1>(float(double(mass) * 0x1p-30)))[0];
}
/// Two rows and a place for the third of the same size, at least one logit.
inline status sizes_agree(const char* who, std::span<const float> a, std::span<const float> b,
                          std::span<float> out) noexcept {
    if (a.empty()) return status::failed(status_code::empty_row, who);
    if (b.size() != a.size())
        return status::invalid(who, "second row's size", double(b.size()), "is not that of the first");
    if (out.size() != a.size())
        return status::invalid(who, "out's size", double(out.size()), "is not that of the rows");
    return {};
}
/// What is left of `out` where there is no row: nothing legal, so that what lay there before is not taken for logits.
inline status combine_nothing(std::span<float> out, const status& why) noexcept {
    for (float& logit : out) logit = illegal_logit;
    return why;
}
template <class Combine>
void combine(std::span<const float> a, std::span<const float> b, std::span<float> out, const Combine& how) noexcept {
    run<combine_pass<Combine>>(a.data(), b.data(), out.data(), a.size(), how);
}

}  // namespace riffle::wide
