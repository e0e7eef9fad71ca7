#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

#include <riffle/core/row.hpp>
#include <riffle/exact/double_lanes.hpp>
#include <riffle/exact/exp_block.hpp>
#include <riffle/exact/rounded.hpp>
#include <riffle/math/elementwise.hpp>
#include <riffle/wide/dispatch.hpp>
#include <riffle/wide/lane_operations.hpp>

// Sums of floats, term by term, as a loop would round them, but many terms at a time. While a sum stays within one
// binade its unit in the last place u stays the same, and adding a term adds the term rounded to a multiple of u. Those
// multiples add up exactly, in any order. What breaks the rule is done term by term: crossing into another binade, and
// a term that lies in the middle between two multiples, which goes to whichever makes the sum even.

namespace riffle::inline RIFFLE_ABI::exact {

/// The greatest power of two that is at most |value|; value is normal.
constexpr float binade_of(float value) noexcept {
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & 0x7f800000u);
}

/// Of a power of two.
constexpr int exponent_of(float power) noexcept { return int(std::bit_cast<std::uint32_t>(power) >> 23) - 127; }

/// How a sum of this size takes in terms that keep it within its binade. `centre` is a multiple of an even number of
/// units in the same binade, so that term + centre is rounded as term + sum is.
struct rounding {
    float centre, half_unit;
    static rounding in_binade_of(float sum) noexcept {
        const float binade = binade_of(absolute(sum));
        return {sum < 0.0f ? -1.5f * binade : 1.5f * binade, binade * 0x1p-24f};
    }
};

/// What the terms of one vector after the other add, and whether one of them lay in the middle.
template <int N>
class rounded_sum {
public:
    using V = lanes<N>;
    RIFFLE_INLINE explicit rounded_sum(const rounding& how) noexcept : centre_(how.centre), half_unit_(how.half_unit) {}
    RIFFLE_INLINE void add(const V& term) noexcept {
        const V whole = (centre_ + term) - centre_;
        middle_ = blend(absolute(term - whole) == half_unit_, int_lanes<N>(1), middle_);
        sum_ = sum_ + whole;
    }
    RIFFLE_INLINE float total() const noexcept {
        float all = 0.0f;
        for (int i = 0; i < N; ++i) all += sum_[i];
        return all;
    }
    RIFFLE_INLINE bool met_middle() const noexcept { return any(middle_); }

private:
    V centre_, half_unit_;
    V sum_{0.0f};
    int_lanes<N> middle_{0};
};

/// sum + x[0] + x[1] + ... over a block of terms from 0 to `greatest`, in floats.
struct add_block_pass {
    template <int N>
    static RIFFLE_INLINE float run(float sum, const float* const& x, float greatest) noexcept {
        if (sum >= 0x1p-60f && greatest < 0.25f * binade_of(sum)) {
            rounded_sum<N> added(rounding::in_binade_of(sum));
            for (std::size_t i = 0; i < block_size; i += N) added.add(lanes<N>::load(x + i));
            const float total = added.total();
            if (!added.met_middle() && sum + total < 2.0f * binade_of(sum)) return sum + total;
        }
        for (std::size_t i = 0; i < block_size; ++i) sum += x[i];
        return sum;
    }
};
inline float add_block(float sum, const float* x, float greatest) noexcept {
    return wide::run<add_block_pass>(sum, x, greatest);
}

/// sum + Σ expf(x - maximum) of a block, as add_block has it, from an exp of our own: what a term adds is a multiple of
/// the sum's unit, which a relative error of 3e-7 seldom changes. The terms where it might are asked of the C library.
struct add_exp_pass {
    static constexpr std::size_t most_doubts = 24;
    struct answer {
        float total;                         ///< what the other terms add
        std::size_t doubts;                  ///< more than most_doubts: nothing of this holds
        std::uint8_t doubtful[most_doubts];  ///< which terms were left out
    };
    template <int N>
    static RIFFLE_INLINE void run(const float* const& x, float maximum, const rounding& how,
                                  answer* const& a) noexcept {
        using V = lanes<N>;
        const V centre(how.centre), half_unit(how.half_unit), top(maximum);
        const V too_small(0.6931472f * float(exponent_of(how.half_unit)) - 0.001f);
        V sum(0.0f);
        std::size_t doubts = 0;
        for (std::size_t i = 0; i < block_size; i += N) {
            const V below = V::load(x + i) - top;
            if (wide::lanes_reaching(below, too_small) == 0)
                continue;  // less than half a unit each: they round to nothing
            const V term = blend(below > V(-86.0f), exp(below), V(0.0f));  // less than half a unit of any sum here
            const V whole = (centre + term) - centre;
            const V to_middle = absolute(half_unit - absolute(term - whole));
            const V error = term * V(3e-7f);
            std::uint64_t doubtful = wide::lanes_reaching(error, to_middle);
            if (doubtful == 0) {
                sum = sum + whole;
                continue;
            }
            sum = sum + blend(to_middle <= error, V(0.0f), whole);
            for (; doubtful; doubtful &= doubtful - 1) {
                if (doubts < most_doubts)
                    a->doubtful[doubts] = std::uint8_t(i + std::size_t(std::countr_zero(doubtful)));
                ++doubts;
            }
        }
        a->total = 0.0f;
        for (int i = 0; i < N; ++i) a->total += sum[i];
        a->doubts = doubts;
    }
};
inline float add_exp_block(float sum, const float* x, float maximum, float greatest) noexcept {
    if (sum >= 0x1p-60f && greatest < 0.25f * binade_of(sum)) {
        const rounding how = rounding::in_binade_of(sum);
        add_exp_pass::answer a;
        wide::run<add_exp_pass>(x, maximum, how, &a);
        bool sure = a.doubts <= add_exp_pass::most_doubts;
        for (std::size_t i = 0; sure && i < a.doubts; ++i) {
            const float term = libm::exp(x[a.doubtful[i]] - maximum), whole = (how.centre + term) - how.centre;
            sure = absolute(term - whole) != how.half_unit;
            a.total += whole;
        }
        if (sure && sum + a.total < 2.0f * binade_of(sum)) return sum + a.total;
    }
    float e[block_size];
    exp_block(x, maximum, e);
    return add_block(sum, e, greatest);
}

/// The sum of all logits of a row above -inf, and how many those are. A piece that could lead the sum out of its
/// binade, either way, is added in smaller ones, and at last term by term.
struct legal_sum {
    float sum;
    std::size_t legal;
};
struct legal_sum_pass {
    template <int N>
    static RIFFLE_INLINE legal_sum run(const detail::row& r) noexcept {
        constexpr std::size_t piece = 64;
        legal_sum all{0.0f, 0};
        for (std::size_t b = 0; b < r.blocks(); ++b) {
            const float* const x = r.block(b);
            all.legal += legal<N>(x);
            if (add<N, block_size>(x, all.sum)) continue;
            for (std::size_t i = 0; i < block_size; i += piece) {
                if (add<N, piece>(x + i, all.sum)) continue;
                for (std::size_t j = i; j < i + piece; ++j)
                    if (x[j] != illegal_logit) all.sum += x[j];
            }
        }
        return all;
    }

private:
    template <int N>
    static RIFFLE_INLINE lanes<N> terms(const float* x) noexcept {
        const auto l = lanes<N>::load(x);
        return blend(l == lanes<N>(illegal_logit), lanes<N>(0.0f), l);
    }
    template <int N>
    static RIFFLE_INLINE std::size_t legal(const float* x) noexcept {
        int_lanes<N> illegal(0);
        for (std::size_t i = 0; i < block_size; i += N)
            illegal = blend(lanes<N>::load(x + i) == lanes<N>(illegal_logit), illegal + 1, illegal);
        std::size_t hidden = 0;
        for (int i = 0; i < N; ++i) hidden += std::size_t(illegal[i]);
        return block_size - hidden;
    }
    /// False, and nothing added, where it is not certain what a loop would make of them.
    template <int N, std::size_t Count>
    static RIFFLE_INLINE bool add(const float* x, float& sum) noexcept {
        const float size = absolute(sum), binade = binade_of(size);
        if (!(size >= 0x1p-60f)) return false;
        lanes<N> moved(0.0f);
        rounded_sum<N> added(rounding::in_binade_of(sum));
        for (std::size_t i = 0; i < Count; i += N) {
            const auto term = terms<N>(x + i);
            moved = moved + absolute(term);
            added.add(term);
        }
        float reach = 0.0f;  // how far the sum can go within the piece
        for (int i = 0; i < N; ++i) reach += moved[i];
        reach *= 1.001f;
        if (!(reach < 0.25f * binade && size - reach > binade && size + reach < 2.0f * binade) || added.met_middle())
            return false;
        sum += added.total();
        return true;
    }
};

/// Σ (l - mean)² over the same logits: differences are floats, squares doubles, and the sum a float to which a square
/// is added in doubles. As legal_sum, with doubles for terms, whose sums are exact too; a term within a millionth of
/// the middle between two multiples counts as in the middle, since the sum is rounded twice.
struct squares_pass {
    template <int N>
    static RIFFLE_INLINE float run(const detail::row& r, float mean) noexcept {
        using V = lanes<N>;
        constexpr std::size_t piece = 64;
        float sum = 0.0f;
        for (std::size_t b = 0; b < r.blocks(); ++b) {
            const float* const x = r.block(b);
            float distances[block_size];
            for (std::size_t i = 0; i < block_size; i += N) {
                const V l = V::load(x + i);
                blend(l == V(illegal_logit), V(0.0f), l - V(mean)).store(distances + i);
            }
            if (add<N, block_size>(distances, sum)) continue;
            for (const float* d = distances; d < distances + block_size; d += piece) {
                if (add<N, piece>(d, sum)) continue;
                for (std::size_t i = 0; i < piece; ++i) sum = float(double(sum) + times(double(d[i]), double(d[i])));
            }
        }
        return sum;
    }

private:
    template <int N, std::size_t Count>
    static RIFFLE_INLINE bool add(const float* distances, float& sum) noexcept {
        using D = double_lanes<N / 2>;
        if (!(sum >= 0x1p-60f)) return false;
        const double unit = double(binade_of(sum)) * 0x1p-23;
        const D centre(unit * 6755399441055744.0);  // 1.5 * 2^52
        D added(0.0), furthest(0.0);
        for (std::size_t i = 0; i < Count; i += N / 2) {
            const D d = D::load(distances + i), square = rounded(d * d);
            const D whole = rounded(square + centre) - centre;
            furthest = greater_of(absolute(square - whole), furthest);
            added = added + whole;
        }
        double total = 0.0, off = 0.0;
        for (int i = 0; i < N / 2; ++i) {
            total += added[i];
            off = furthest[i] > off ? furthest[i] : off;
        }
        const double next = double(sum) + total;
        if (!(off < 0.499999 * unit && next < 2.0 * double(binade_of(sum)))) return false;
        sum = float(next);
        return true;
    }
};

}  // namespace riffle::exact
