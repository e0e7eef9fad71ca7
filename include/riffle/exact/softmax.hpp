#pragma once
#include <cstddef>

#include <riffle/core/candidates.hpp>
#include <riffle/core/status.hpp>
#include <riffle/exact/exp_block.hpp>
#include <riffle/exact/float_sums.hpp>
#include <riffle/exact/rounded.hpp>
#include <riffle/exact/sort.hpp>

namespace riffle::inline RIFFLE_ABI::exact {

/// The greatest logit: the first where they are flagged sorted, which is believed. c.size > 0.
inline float maximum_of(const candidates& c) noexcept {
    float maximum = c[0].logit;
    if (c.sorted) return maximum;
    for (const auto& token : c)
        if (maximum < token.logit) maximum = token.logit;
    return maximum;
}

/// p of the candidates is expf(logit - maximum) then, block by block where all of one can be had at once:
/// wants_block(e) sees those, each at most 1, and wants_one(p) the others.
template <class WantsBlock, class WantsOne>
void exponentiate(candidates& c, float maximum, WantsBlock wants_block, WantsOne wants_one) noexcept {
    std::size_t i = 0;
    for (; i + block_size <= c.size && maximum - maximum == 0.0f; i += block_size) {
        float x[block_size], e[block_size];
        bool below = true;
        for (std::size_t j = 0; j < block_size; ++j) {
            x[j] = c[i + j].logit;
            below &= x[j] <= maximum;
        }
        if (!below) break;  // the sorted flag was believed, or NaN
        exp_block(x, maximum, e);
        for (std::size_t j = 0; j < block_size; ++j) c[i + j].p = e[j];
        wants_block(static_cast<const float*>(e));
    }
    for (; i < c.size; ++i) wants_one(c[i].p = libm::exp(c[i].logit - maximum));
}

/// p of every candidate, in the order they stand in: the sum is a float, so the order shows in its last bits. Fails on
/// no candidates, where llama.cpp aborts.
RIFFLE_NOINLINE inline status_code softmax(candidates& c) noexcept {
    if (c.empty()) return status_code::no_legal_token;
    float sum = 0.0f;
    exponentiate(
        c, maximum_of(c), [&](const float* e) noexcept { sum = add_block(sum, e, 1.0f); },
        [&](float p) noexcept { sum += p; });
    for (auto& token : c) token.p /= sum;
    return status_code::ok;
}

/// Sorts all candidates, then softmax.
inline status_code sorted_softmax(candidates& c, workspace& memory) noexcept {
    if (c.empty()) return status_code::no_legal_token;
    const auto failure = sort_all(c, memory);
    return failure != status_code::ok ? failure : softmax(c);
}

}  // namespace riffle::exact
