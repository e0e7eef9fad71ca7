#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <riffle/core/candidates.hpp>
#include <riffle/core/tuning.hpp>

namespace riffle::inline RIFFLE_ABI {

namespace detail {

/// Keys that begin with the same bits, and what their candidates amount to.
struct keys_alike {
    std::uint64_t amount;
    std::uint64_t key;        ///< of the last of them
    std::uint64_t differing;  ///< the bits in which any two of them differ
    std::uint32_t count;

    void add(std::uint64_t k, std::uint64_t more) noexcept {
        differing |= count > 0 ? k ^ key : 0;
        key = k;
        amount += more;
        ++count;
    }
};

}  // namespace detail

/// The shortest prefix of candidates, in ascending key(candidate), whose Σ amount(candidate) exceeds `target`: answers
/// the greatest key in it, or the greatest of all when the whole does not exceed; 0 for no candidates. Digits of the
/// keys are settled from the highest down, those alone in which keys still differ, so nothing is moved or sorted:
/// O(size · digits), three or four as a rule.
template <class Key, class Amount>
std::uint64_t end_of_prefix(const candidates& c, Key key, Amount amount, std::uint64_t target) noexcept {
    constexpr std::size_t greatest_radix = 512;
    const int digit = c.size < tuning::prefix_by_long_digits ? 5 : 9;
    const std::size_t radix = std::size_t{1} << digit;
    detail::keys_alike found{};
    for (const auto& token : c) found.add(key(token), 0);
    std::uint64_t settled = 0;  // bits of found.key
    while (found.differing != 0) {
        const int shift = (std::max)(64 - digit - std::countl_zero(found.differing), 0);
        detail::keys_alike by_digit[greatest_radix];
        for (std::size_t i = 0; i < radix; ++i) by_digit[i] = {};
        for (const auto& token : c)
            if (const std::uint64_t k = key(token); ((k ^ found.key) & settled) == 0)
                by_digit[k >> shift & (radix - 1)].add(k, amount(token));
        std::size_t last = radix - 1, end = 0;
        while (by_digit[last].count == 0) --last;
        while (end < last && target >= by_digit[end].amount) target -= by_digit[end++].amount;
        found = by_digit[end];
        settled = ~std::uint64_t{0} << shift;
    }
    return found.key;
}

}  // namespace riffle
