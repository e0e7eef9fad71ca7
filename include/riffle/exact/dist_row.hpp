#pragma once
#include <cstddef>
#include <numeric>

#include <riffle/exact/exp_block.hpp>
#include <riffle/exact/form.hpp>
#include <riffle/exact/full_row.hpp>
#include <riffle/exact/quick_sums.hpp>
#include <riffle/math/fixed_mass.hpp>

namespace riffle::inline RIFFLE_ABI::exact {

/// A token drawn from a row by inverse CDF, in the order of ids, where an approximate sum can tell: llama.cpp chooses
/// the first token at which its running sum, a double, reaches u times the whole. Its own rounding is below 1e-10 of
/// the whole. `token` is null_token where the target lies too near to the end of a token's share.
struct row_draw {
    token_id token = null_token;
    float share = 0.0f;
};
inline row_draw draw_from_blocks(const detail::row& r, const double* sums, float maximum, double u,
                                 double error) noexcept {
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

/// The sums of the C library's exp instead, for blocks that matter: the others' errors are 2e-10 of the whole together.
inline void refine_sums(full_row& r, double whole) noexcept {
    const detail::row& logits = r.logits();
    for (std::size_t b = 0; b < logits.blocks(); ++b) {
        if (r.sums()[b] * double(logits.blocks()) < 1e-4 * whole) continue;
        float e[block_size];
        exp_block(logits.block(b), r.maximum(), e);
        double parts[8] = {};
        for (std::size_t i = 0; i < block_size; ++i) parts[i % 8] += double(e[i]);
        r.sums()[b] = std::accumulate(parts, parts + 8, 0.0);
    }
}

/// A draw by ever better sums: our own exp, of what is within mass_range of the maximum first, then of all that
/// counts, then the C library's. The second is passed over where the first lacks next to nothing.
inline row_draw draw_from_row(full_row& r, double u) noexcept {
    constexpr double error_of_sums = 1e-6;
    const auto draw = [&](double error) noexcept {
        return draw_from_blocks(r.logits(), r.sums(), r.maximum(), u, error + r.lacking());
    };
    double whole = find_quick_sums(r, mass_range, 1e-9);
    row_draw drawn = draw(error_of_sums);
    if (drawn.token < 0 && r.lacking() > 1e-9) {
        whole = find_all_quick_sums(r);
        drawn = draw(error_of_sums);
    }
    if (drawn.token >= 0) return drawn;
    refine_sums(r, whole);
    return draw(1e-9);
}

}  // namespace riffle::exact
