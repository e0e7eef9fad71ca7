#include <array>
#include <cstdint>

#include <gtest/gtest.h>

#include <riffle/math/philox.hpp>

#include "integers.hpp"
#include "lane_widths.hpp"

namespace {

using namespace riffle;
using riffle_tests::at_every_width;
using riffle_tests::integers;
using words = std::array<std::uint32_t, 4>;

// The known answers that Random123 publishes for philox4x32-10.
TEST(Philox, KnownAnswers) {
    EXPECT_EQ(philox({0, 0, 0, 0}, 0), (words{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}));
    EXPECT_EQ(philox({~0u, ~0u, ~0u, ~0u}, ~std::uint64_t{0}),
              (words{0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}));
    EXPECT_EQ(
        philox({0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}, std::uint64_t{0x299f31d0u} << 32 | 0xa4093822u),
        (words{0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}));
    static_assert(philox({0, 0, 0, 0}, 0)[0] == 0x6627e8d5u);
}

constexpr std::size_t count = 64;

/// Ten rounds over `count` counters that differ in their first word, as gumbel noise has them.
struct rounds_pass {
    template <int N>
    static RIFFLE_INLINE void run(const words& counter, std::uint64_t key,
                                  std::array<words, count>* const& out) noexcept {
        using I = int_lanes<N>;
        for (std::size_t i = 0; i < count; i += N) {
            const std::array<I, 4> c{I(std::int32_t(counter[0] + i)) + I::iota(), I(std::int32_t(counter[1])),
                                     I(std::int32_t(counter[2])), I(std::int32_t(counter[3]))};
            const auto r = philox_rounds<I>(c, key);
            for (std::size_t word = 0; word < 4; ++word)
                for (int lane = 0; lane < N; ++lane) (*out)[i + std::size_t(lane)][word] = std::uint32_t(r[word][lane]);
        }
    }
};

TEST(Philox, LanesAgreeWithOneCounter) {
    integers random(5);
    for (int round = 0; round < 20; ++round) {
        const words counter{std::uint32_t(random.next()), std::uint32_t(random.next()), std::uint32_t(random.next()),
                            std::uint32_t(random.next())};
        const std::uint64_t key = random.next();
        std::array<words, count> expected, found;
        for (std::size_t i = 0; i < count; ++i)
            expected[i] = philox({counter[0] + std::uint32_t(i), counter[1], counter[2], counter[3]}, key);
        rounds_pass::run<1>(counter, key, &found);
        EXPECT_EQ(found, expected);
        at_every_width([&](int) {
            wide::run<rounds_pass>(counter, key, &found);
            EXPECT_EQ(found, expected);
        });
    }
}

}  // namespace
