#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <riffle/core/context.hpp>

namespace riffle::inline RIFFLE_ABI {

/// For every k in [1, n), n being at most x.tokens_in_window(-1): visit(k, length), where `length` is how many tokens
/// before the one k back are the same as at the end of the text, among the newest n. The token that followed there is k
/// - 1 back. Takes x.lengths(). O(n), whatever the text: the Z-algorithm (Gusfield, "Algorithms on Strings, Trees and
/// Sequences", 1.4) on the text from its end, where [left, right) is the furthest match yet.
template <class Visit>
void each_repeat(const context& x, std::size_t n, Visit visit) noexcept {
    const auto recent = [&](std::size_t back) { return x.tokens().recent(back).token; };
    std::int32_t* const same = x.lengths();
    std::size_t left = 0, right = 0;
    for (std::size_t k = 1; k < n; ++k) {
        std::size_t length = 0;
        if (k < right) length = (std::min)(std::size_t(same[k - left]), right - k);
        while (k + length < n && recent(length) == recent(k + length)) ++length;
        if (k + length > right) {
            left = k;
            right = k + length;
        }
        same[k] = std::int32_t(length);
        visit(k, length);
    }
}

}  // namespace riffle
