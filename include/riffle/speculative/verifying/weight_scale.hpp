#pragma once
#include <bit>
#include <cstdint>

#include <riffle/math/wide_integer.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Turns weights of one law into units of another: weight · to / from, rounded down, by one multiplication. Where both
/// totals are equal, every weight stays exactly as it is.
class weight_scale {
public:
    /// 0 < from, 0 < to.
    weight_scale(std::uint64_t to, std::uint64_t from) noexcept {
        const int to_zeros = std::countl_zero(to), from_zeros = std::countl_zero(from);
        ratio_ = divide({0, to << to_zeros >> 1}, from << from_zeros);
        shift_ = 63 + to_zeros - from_zeros;
    }
    /// The weights divided by the share `part` / `whole` besides, 0 < part <= whole.
    weight_scale divided_by(std::uint64_t part, std::uint64_t whole) const noexcept {
        weight_scale result = *this;
        const int zeros = std::countl_zero(part), whole_zeros = std::countl_zero(whole);
        const std::uint64_t inverse = divide({0, whole << whole_zeros >> 1}, part << zeros);  // of 2^62 to 2^64
        const int shift = 63 + whole_zeros - zeros;
        const uint128 product = uint128::product(ratio_, inverse);
        const unsigned unused = leading_zeros(product);
        result.ratio_ = (product >> (64 - unused)).low;
        result.shift_ = shift_ + shift - int(64 - unused);
        return result;
    }
    /// The greatest std::uint64_t where the result is more than that.
    std::uint64_t operator()(std::uint64_t weight) const noexcept {
        const uint128 product = uint128::product(weight, ratio_);
        if (shift_ >= 128) return 0;
        if (shift_ < 0 || (product >> unsigned(shift_)).high > 0) return weight > 0 ? ~std::uint64_t{0} : 0;
        return (product >> unsigned(shift_)).low;
    }

private:
    std::uint64_t ratio_ = 0;  ///< the factor, in units of 2^-shift
    int shift_ = 0;
};

/// Whether a token is accepted that was proposed with the weight `proposed`, in the units of the law that gives it
/// `weight`: with probability min(1, weight / proposed), and never where the weight is 0. `random` are 64 random bits.
inline bool is_accepted(std::uint64_t random, std::uint64_t proposed, std::uint64_t weight) noexcept {
    return multiply_high(random, proposed) < weight;
}

}  // namespace riffle::detail
