#pragma once
#include <cstddef>

#include <riffle/core/llama_form.hpp>
#include <riffle/exact/exp_block.hpp>
#include <riffle/math/elementwise.hpp>
#include <riffle/wide/llama_row.hpp>

namespace riffle::exact {

/// exp of a block in floats of our own, whose products and sums may fuse: within 2e-6 of the sum of the C library's.
struct quick_mass_pass {
    template <int N>
    static RIFFLE_INLINE void run(const row& r, const float* const& peaks, float maximum,
                                  double* const& sums) noexcept {
        using V = lanes<N, true>;
        for (std::size_t b = 0; b < r.blocks(); ++b) {
            sums[b] = 0.0;
            if (!(peaks[b] - maximum > -87.0f)) continue;  // all of them less than 1e-33 of the whole
            const float* x = r.block(b);
            V s0(0.0f), s1(0.0f);
            for (std::size_t i = 0; i < block_size; i += 2 * N) {
                s0 = s0 + exp(V::load(x + i) - V(maximum));
                s1 = s1 + exp(V::load(x + i + N) - V(maximum));
            }
            const V sum = s0 + s1;
            double all = 0.0;
            for (int i = 0; i < N; ++i) all += double(sum[i]);
            sums[b] = all;
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

/// The same by ever better sums: our own exp, then the C library's.
inline row_draw draw_from_row(wide::llama_row& r, double u) noexcept {
    const float maximum = r.maximum();
    wide::run<quick_mass_pass>(r.logits(), r.peaks(), maximum, r.sums());
    if (const row_draw quick = draw_from_blocks(r.logits(), r.sums(), maximum, u, 2e-6); quick.token >= 0) return quick;
    double whole = 0.0;
    for (std::size_t b = 0; b < r.logits().blocks(); ++b) whole += r.sums()[b];
    for (std::size_t b = 0; b < r.logits().blocks(); ++b) {
        if (r.sums()[b] * double(r.logits().blocks()) < 1e-4 * whole) continue;  // good enough already: 2e-10 together
        r.sums()[b] = 0.0;
        float e[block_size];
        exp_block(r.logits().block(b), maximum, e);
        double parts[8] = {};
        for (std::size_t i = 0; i < block_size; ++i) parts[i % 8] += double(e[i]);
        for (const double part : parts) r.sums()[b] += part;
    }
    return draw_from_blocks(r.logits(), r.sums(), maximum, u, 1e-9);
}

}  // namespace riffle::exact
