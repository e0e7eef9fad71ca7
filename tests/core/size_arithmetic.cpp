#include <gtest/gtest.h>

#include <riffle/core/size_arithmetic.hpp>

namespace riffle_tests::core_size_arithmetic {
namespace {

using namespace riffle;

static_assert(saturating::sum(2, 3) == 5);
static_assert(saturating::sum(uncountable - 1, 1) == uncountable);
static_assert(saturating::sum(uncountable, 1) == uncountable);
static_assert(saturating::sum(1, uncountable) == uncountable);
static_assert(saturating::sum(uncountable / 2 + 1, uncountable / 2 + 1) == uncountable);

static_assert(saturating::product(2, 3) == 6);
static_assert(saturating::product(0, uncountable) == 0);
static_assert(saturating::product(uncountable, 0) == 0);
static_assert(saturating::product(uncountable, 1) == uncountable);
static_assert(saturating::product(uncountable / 16, 16) == uncountable - 15);
static_assert(saturating::product(uncountable / 16 + 1, 16) == uncountable);
static_assert(saturating::product(16, uncountable / 16 + 1) == uncountable);

static_assert(saturating::rounded_up(0, 64) == 0);
static_assert(saturating::rounded_up(1, 64) == 64);
static_assert(saturating::rounded_up(64, 64) == 64);
static_assert(saturating::rounded_up(65, 64) == 128);
static_assert(saturating::rounded_up(uncountable - 63, 64) == uncountable - 63);
static_assert(saturating::rounded_up(uncountable - 62, 64) == uncountable);

static_assert(saturating::power_of_two(0) == 1);
static_assert(saturating::power_of_two(5) == 8);
static_assert(saturating::power_of_two(uncountable / 2 + 1) == uncountable / 2 + 1);
static_assert(saturating::power_of_two(uncountable / 2 + 2) == uncountable);

TEST(SizeArithmetic, PiecesOfMemoryThatShareBytes) {
    const char memory[16] = {};
    EXPECT_TRUE(share_bytes(memory, 16, memory + 8, 8));
    EXPECT_TRUE(share_bytes(memory + 8, 8, memory, 16));
    EXPECT_TRUE(share_bytes(memory, 16, memory, 1));
    EXPECT_FALSE(share_bytes(memory, 8, memory + 8, 8));
    EXPECT_FALSE(share_bytes(memory + 8, 8, memory, 8));
    EXPECT_FALSE(share_bytes(memory, 16, memory + 8, 0));
    EXPECT_FALSE(share_bytes(nullptr, 0, memory, 16));
    EXPECT_TRUE(share_bytes(memory + 8, 1, memory, uncountable)) << "whatever lies behind the end of all memory";
}

}  // namespace
}  // namespace riffle_tests::core_size_arithmetic
