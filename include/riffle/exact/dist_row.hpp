#pragma once
#include <algorithm>
#include <cstddef>
#include <numeric>

#include <riffle/core/llama_form.hpp>
#include <riffle/exact/exp_block.hpp>
#include <riffle/math/elementwise.hpp>
#include <riffle/math/fixed_mass.hpp>
#include <riffle/wide/llama_row.hpp>
#include <riffle/wide/mass.hpp>

namespace riffle::exact {

/// Sums of exp for the blocks that reach `maximum - range`, in floats of our own, whose products and sums may fuse:
/// within 2e-6 of the sum of the C library's over the tokens that reach it.
struct quick_mass_pass {
    template <int N>
    static RIFFLE_INLINE void run(const row& r, const float* const& peaks, float maximum, float range,
                                  double* const& sums) noexcept {
        using V = lanes<N, true>;
        const V top(maximum);
        wide::blocks_to_weigh<N> of(r, peaks, maximum - range);
        while (of.next()) {
            const float* const x = of.logits;
            V s0(0.0f), s1(0.0f);
            std::size_t i = 0;
            for (; i + 2 * N <= of.size; i += 2 * N) {
                s0 = s0 + exp(V::load(x + i) - top);
                s1 = s1 + exp(V::load(x + i + N) - top);
            }
            if (i < of.size) s0 = s0 + exp(V::load(x + i) - top);
            const V sum = s0 + s1;
            double all = 0.0;
            for (int lane = 0; lane < N; ++lane) all += double(sum[lane]);
            sums[of.index] = all;
        }
    }
};

/// A token drawn from a row by inverse CDF, in the order of ids, where an approximate sum can tell: the peer chooses
/// the first token at which its running sum, a double, reaches u times the whole. Its own rounding is below 1e-10 of
/// the whole. `token` is null_token where the target lies too near to the end of a token's share.
struct row_draw {
    token_id token = null_token;
    float share = 0.0f;
};
inline row_draw draw_from_blocks(const row& r, const double* sums, float maximum, double u, double error) noexcept {
    double whole = 0.0;
    for (std::size_t b = 0; b < r.blocks(); ++b) whole += sums[b];
    const double target = whole * u, margin = 2.0 * error * whole;
    double running = 0.0;
    std::size_t b = 0;
    while (b + 1 < r.blocks() && running + sums[b] < target) running += sums[b++];
    if (target - running < margin) return {};  // it may be a token of the block before
    float e[block_size];
    exp_block(r.block(b), maximum, e);
    for (std::size_t i = 0; i < block_size; ++i) {
        running += double(e[i]);
        if (running < target - margin) continue;
        if (running < target + margin) return {};
        return {token_id(b * block_size + i), float(double(e[i]) / whole)};
    }
    return {};
}

/// Approximate sums of the blocks, and their sum.
inline double find_quick_sums(wide::llama_row& r, float range) noexcept {
    const std::size_t blocks = r.logits().blocks();
    std::fill(r.sums(), r.sums() + blocks, 0.0);
    wide::run<quick_mass_pass>(r.logits(), r.peaks(), r.maximum(), range, r.sums());
    return std::accumulate(r.sums(), r.sums() + blocks, 0.0);
}

/// The sums of the C library's exp instead, for blocks that matter: the others' errors are 2e-10 of the whole together.
/// Answers how many tokens those others have.
inline std::size_t refine_sums(wide::llama_row& r, double whole) noexcept {
    const row& logits = r.logits();
    std::size_t left_alone = 0;
    for (std::size_t b = 0; b < logits.blocks(); ++b) {
        if (r.sums()[b] * double(logits.blocks()) < 1e-4 * whole) {
            left_alone += block_size;
            continue;
        }
        float e[block_size];
        exp_block(logits.block(b), r.maximum(), e);
        double parts[8] = {};
        for (std::size_t i = 0; i < block_size; ++i) parts[i % 8] += double(e[i]);
        r.sums()[b] = std::accumulate(parts, parts + 8, 0.0);
    }
    return left_alone;
}

/// The same by ever better sums: our own exp, of what is within mass_range of the maximum first, then of what weighs
/// more than 1e-33 of the whole, then the C library's. The second is passed over where the first lacks next to nothing.
inline row_draw draw_from_row(wide::llama_row& r, double u) noexcept {
    constexpr double error_of_exp = 2e-6;
    const auto draw = [&](double error) noexcept {
        return draw_from_blocks(r.logits(), r.sums(), r.maximum(), u, error);
    };
    double whole = find_quick_sums(r, mass_range);
    double lacking = 1e-9;  // of a token, at most: exp(-mass_range)
    row_draw drawn = draw(error_of_exp + double(r.size()) * lacking / whole);
    if (drawn.token < 0 && double(r.size()) * lacking > error_of_exp * whole) {
        whole = find_quick_sums(r, 87.0f);
        lacking = 0.0;
        drawn = draw(error_of_exp);
    }
    if (drawn.token >= 0) return drawn;
    const std::size_t left_alone = refine_sums(r, whole);
    return draw(1e-9 + double(left_alone) * lacking / whole);
}

}  // namespace riffle::exact
