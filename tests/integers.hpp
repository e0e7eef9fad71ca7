#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace riffle_tests {

/// splitmix64: test data that is the same everywhere, which std:: distributions do not promise.
class integers {
public:
    explicit integers(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }
    /// 0 <= result < bound; the bias for bounds far below 2^32 does not matter here.
    std::uint32_t below(std::uint32_t bound) { return std::uint32_t((next() >> 32) * bound >> 32); }
    std::int32_t between(std::int32_t low, std::int32_t high) {
        return low + std::int32_t(below(std::uint32_t(high - low + 1)));
    }
    /// A multiple of 2^-12 in [low, high): exact, so no compiler can round it another way.
    float real(std::int32_t low, std::int32_t high) { return float(between(low * 4096, high * 4096 - 1)) * 0x1p-12f; }
    /// Any bit pattern, NaN and infinities included.
    float any_float() { return std::bit_cast<float>(std::uint32_t(next())); }

private:
    std::uint64_t state_;
};

}  // namespace riffle_tests
