#pragma once
#include <cstddef>

#include <riffle/core/candidates.hpp>
#include <riffle/core/status.hpp>
#include <riffle/exact/rounded.hpp>
#include <riffle/exact/sort.hpp>

namespace riffle::exact {

/// The greatest logit: the first where they are flagged sorted, which is believed. c.size > 0.
inline float maximum_of(const candidates& c) noexcept {
    float maximum = c[0].logit;
    if (c.sorted) return maximum;
    for (const auto& token : c)
        if (maximum < token.logit) maximum = token.logit;
    return maximum;
}

/// p of every candidate, in the order they stand in: the sum is a float, so the order shows in its last bits. Fails on
/// no candidates, where the peer aborts.
RIFFLE_NOINLINE inline status_code softmax(candidates& c) noexcept {
    if (c.empty()) return status_code::no_legal_token;
    const float maximum = maximum_of(c);
    float sum = 0.0f;
    for (auto& token : c) {
        token.p = libm::exp(token.logit - maximum);
        sum += token.p;
    }
    for (auto& token : c) token.p /= sum;
    return status_code::ok;
}

/// The same behind sort_all.
inline status_code sorted_softmax(candidates& c, workspace& memory) noexcept {
    if (c.empty()) return status_code::no_legal_token;
    const auto failure = sort_all(c, memory);
    return failure != status_code::ok ? failure : softmax(c);
}

}  // namespace riffle::exact
