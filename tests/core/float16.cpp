#include <cstdint>
#include <limits>
#include <type_traits>

#include <gtest/gtest.h>

#include <riffle/core/float16.hpp>
#include <riffle/core/logit_row.hpp>

#include "half_floats.hpp"

/// A class as Eigen has it, which says what it is by numeric_limits.
struct half_of_somebody {
    std::uint16_t x;
};
struct number_of_somebody {
    std::uint16_t x;
};
template <>
struct std::numeric_limits<half_of_somebody> {
    static constexpr bool is_specialized = true, is_integer = false;
    static constexpr int digits = 11, max_exponent = 16;
};

namespace riffle_tests::core_float16 {
namespace {

using namespace riffle;

template <class T>
using logit_layout = riffle::detail::logit_layout<T>;

static_assert(std::is_same_v<logit_layout<float>, float>);
static_assert(std::is_same_v<logit_layout<float16>, float16> && std::is_same_v<logit_layout<bfloat16>, bfloat16>);
static_assert(std::is_same_v<logit_layout<half_of_somebody>, float16>);
static_assert(std::is_void_v<logit_layout<number_of_somebody>> && std::is_void_v<logit_layout<std::uint16_t>> &&
              std::is_void_v<logit_layout<short>> && std::is_void_v<logit_layout<char16_t>> &&
              std::is_void_v<logit_layout<double>> && std::is_void_v<logit_layout<int>>);
#if defined(__SSE2__) && ((defined(__clang__) && __clang_major__ >= 15) || (!defined(__clang__) && __GNUC__ >= 13))
static_assert(std::is_same_v<logit_layout<_Float16>, float16>);
#if !defined(__clang__) || __clang_major__ >= 17
static_assert(std::is_same_v<logit_layout<__bf16>, bfloat16>);
#endif
#endif
static_assert(float(float16{0x3c00}) == 1.0f && float(float16{0xc000}) == -2.0f && float(float16{0x7bff}) == 65504.0f);
static_assert(float(bfloat16{0x3f80}) == 1.0f && float(bfloat16{0xff80}) == -std::numeric_limits<float>::infinity());

template <class Half>
void expect_every_value() {
    for (const Half x : every_half<Half>())
        ASSERT_TRUE(is_same_float(float(x), value_of(x))) << x.bits << ": " << float(x) << ", not " << value_of(x);
}
TEST(Float16, IsWidenedExactly) { expect_every_value<float16>(); }
TEST(Bfloat16, IsWidenedExactly) { expect_every_value<bfloat16>(); }

TEST(Float16, WhatTestsNarrowIsNextToZero) {
    for (const float16 x : every_half<float16>()) {
        const float value = value_of(x);
        if (value == value) {
            ASSERT_EQ(narrowed<float16>(value).bits, x.bits);
        }
        if (value > 0.0f && value < 65504.0f) {
            ASSERT_EQ(narrowed<float16>(std::nextafter(value, 1e9f)).bits, x.bits);
        }
    }
}

}  // namespace
}  // namespace riffle_tests::core_float16
