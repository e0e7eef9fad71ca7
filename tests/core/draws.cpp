#include <array>
#include <cstdint>
#include <set>

#include <gtest/gtest.h>

#include <riffle/core/draws.hpp>
#include <riffle/core/seed.hpp>

namespace {

using namespace riffle;

TEST(Draws, CounterAndKeyAreWhatTheReferenceSays) {
    const draw_position at{.position = 5, .attempt = 3, .sequence = 9};
    const draws d(0x0123456789abcdefu, at, stream_of(stream_kind::gumbel, 1));
    EXPECT_EQ(d.counter(77), (std::array<std::uint32_t, 4>{77, 5, 9u << 16 | 0x0201, 3}));
    const auto words = philox({77, 5, 9u << 16 | 0x0201, 3}, 0x0123456789abcdefu);
    EXPECT_EQ(d.bits(77), std::uint64_t{words[1]} << 32 | words[0]);
    EXPECT_EQ(d.bits(), d.bits(0));
    EXPECT_EQ(d.seed(), 0x0123456789abcdefu);
    static_assert(stream_of(stream_kind::dist, 0) == 0x0100 && stream_of(stream_kind::user, 3) == 0x4003);
}

TEST(Draws, EveryPartOfThePositionMatters) {
    std::set<std::uint64_t> seen;
    const draw_position base{.position = 1, .attempt = 1, .sequence = 1};
    seen.insert(draws(1, base, 1).bits(1));
    seen.insert(draws(2, base, 1).bits(1));
    seen.insert(draws(std::uint64_t{1} << 32 | 1, base, 1).bits(1));
    seen.insert(draws(1, {.position = 2, .attempt = 1, .sequence = 1}, 1).bits(1));
    seen.insert(draws(1, {.position = 1, .attempt = 2, .sequence = 1}, 1).bits(1));
    seen.insert(draws(1, {.position = 1, .attempt = 1, .sequence = 2}, 1).bits(1));
    seen.insert(draws(1, base, 2).bits(1));
    seen.insert(draws(1, base, 1).bits(2));
    EXPECT_EQ(seen.size(), 8u);
}

TEST(Draws, KnownValue) {
    EXPECT_EQ(draws(0, {}, 0).bits(), 0xe169c58d6627e8d5u);  // Random123's answer for zeros
}

TEST(RandomSeed, DiffersFromCallToCall) {
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 100; ++i) seen.insert(random_seed());
    EXPECT_EQ(seen.size(), 100u);
}

}  // namespace
