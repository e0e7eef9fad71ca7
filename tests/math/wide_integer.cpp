#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include <riffle/math/wide_integer.hpp>

#include "integers.hpp"

namespace {

using namespace riffle;
using riffle_tests::integers;

__extension__ typedef unsigned __int128 wide_t;

wide_t wide_of(const uint128& a) { return wide_t{a.high} << 64 | a.low; }
uint128 of(wide_t a) { return {std::uint64_t(a), std::uint64_t(a >> 64)}; }

/// Numbers of every length, with runs of ones and zeros, where carries go wrong.
std::uint64_t number(integers& random) {
    const std::uint64_t r = random.next() >> random.below(64);
    switch (random.below(4)) {
    case 0: return ~std::uint64_t{0} << random.below(64);
    case 1: return ~(~std::uint64_t{0} << random.below(64));
    default: return r;
    }
}

TEST(WideInteger, ArithmeticIsThatOf128Bits) {
    integers random(7);
    for (int round = 0; round < 50000; ++round) {
        const std::uint64_t a = number(random), b = number(random), c = number(random), d = number(random);
        const uint128 x{a, b}, y{c, d};
        EXPECT_EQ(multiply_high(a, b), std::uint64_t(wide_t{a} * b >> 64));
        EXPECT_EQ(uint128::product(a, b), of(wide_t{a} * b));
        EXPECT_EQ(x + y, of(wide_of(x) + wide_of(y)));
        EXPECT_EQ(x - y, of(wide_of(x) - wide_of(y)));
        EXPECT_EQ(x * c, of(wide_of(x) * c));
    }
}

TEST(WideInteger, DivisionRoundsDown) {
    integers random(8);
    for (int round = 0; round < 20000; ++round) {
        std::uint64_t divisor = number(random);
        if (divisor == 0) divisor = 1;
        const uint128 a{number(random), number(random) % divisor};  // a quotient of 64 bits
        EXPECT_EQ(detail::divide(a, divisor), std::uint64_t(wide_of(a) / divisor))
            << a.high << " " << a.low << " / " << divisor;
    }
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    EXPECT_EQ(detail::divide({most, most - 1}, most), most);
    EXPECT_EQ(detail::divide({most, 0}, 1), most);
    EXPECT_EQ(detail::divide({0, 0}, most), 0u);
}

TEST(WideInteger, SquareRootRoundsDown) {
    integers random(9);
    const auto expect_root = [](std::uint64_t value) {
        const std::uint64_t root = detail::square_root(value);
        EXPECT_LE(wide_t{root} * root, wide_t{value});
        EXPECT_GT((wide_t{root} + 1) * (root + 1), wide_t{value});
    };
    for (int round = 0; round < 20000; ++round) expect_root(number(random));
    for (std::uint64_t root : {0u, 1u, 2u, 65535u, 65536u, 0xffffffffu})
        for (const std::uint64_t value : {root * root - 1, root * root, root * root + 1}) expect_root(value);
    EXPECT_EQ(detail::square_root(std::numeric_limits<std::uint64_t>::max()), 0xffffffffu);
}

}  // namespace
