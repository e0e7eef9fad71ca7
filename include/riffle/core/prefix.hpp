#pragma once
#include <cstddef>
#include <cstdint>

#include <riffle/core/candidates.hpp>

namespace riffle::inline RIFFLE_ABI {

/// The shortest prefix of candidates, in ascending key(candidate), whose Σ amount(candidate) exceeds `target`: answers
/// the greatest key in it, or the greatest of all when the whole does not exceed. Keys are below 2^bits. Their digits
/// are settled from the highest down, so nothing is moved or sorted: O(size · digits), and fewer digits as soon as one
/// candidate is left.
template <class Key, class Amount>
std::uint64_t end_of_prefix(const candidates& c, int bits, Key key, Amount amount, std::uint64_t target) noexcept {
    constexpr int digit = 8;
    constexpr std::size_t radix = std::size_t{1} << digit;
    std::uint64_t prefix = 0;
    for (int shift = (bits + digit - 1) / digit * digit - digit; shift >= 0; shift -= digit) {
        std::uint64_t amounts[radix] = {};
        std::uint32_t counts[radix] = {};
        std::size_t last = 0;  // the highest bucket that holds anyone
        std::uint64_t of_last[radix] = {};
        for (const auto& token : c) {
            const std::uint64_t k = key(token);
            if ((k >> shift >> digit) != prefix) continue;
            const auto bucket = std::size_t(k >> shift & (radix - 1));
            amounts[bucket] += amount(token);
            ++counts[bucket];
            of_last[bucket] = k;
            if (bucket > last) last = bucket;
        }
        std::size_t bucket = 0;
        while (bucket < last && target >= amounts[bucket]) target -= amounts[bucket++];
        if (counts[bucket] == 1) return of_last[bucket];
        prefix = prefix << digit | bucket;
    }
    return prefix;
}

}  // namespace riffle
