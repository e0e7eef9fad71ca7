#include <array>
#include <cstdint>
#include <utility>

#include <gtest/gtest.h>

#include <riffle/core/storage.hpp>

namespace {

using namespace riffle;
using detail::storage;

TEST(Storage, GrowsOnTheHeap) {
    storage s;
    EXPECT_EQ(s.data(), nullptr);
    EXPECT_EQ(s.size(), 0u);
    EXPECT_EQ(s.reserve(0), status_code::ok);
    EXPECT_EQ(s.reserve(100), status_code::ok);
    EXPECT_GE(s.size(), 100u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(s.data()) % storage::alignment, 0u);
    const auto* place = s.data();
    EXPECT_EQ(s.reserve(50), status_code::ok);
    EXPECT_EQ(s.data(), place);
    EXPECT_EQ(s.reserve(100000), status_code::ok);
    EXPECT_GE(s.size(), 100000u);
    s.data()[99999] = std::byte{1};
    EXPECT_FALSE(s.borrowed());
}

TEST(Storage, OfTheCallerNeverTurnsIntoHeap) {
    alignas(storage::alignment) std::array<std::byte, 256> bytes;
    storage s;
    ASSERT_EQ(s.reserve(10), status_code::ok);
    s.use(bytes);
    EXPECT_TRUE(s.borrowed());
    EXPECT_EQ(s.data(), bytes.data());
    EXPECT_EQ(s.reserve(256), status_code::ok);
    EXPECT_EQ(s.reserve(257), status_code::storage_too_small);
    EXPECT_EQ(s.data(), bytes.data());
}

TEST(Storage, CopiesAreEmptyAndMovesTakeAlong) {
    storage s;
    ASSERT_EQ(s.reserve(64), status_code::ok);
    const storage copy(s);
    EXPECT_EQ(copy.size(), 0u);
    const auto* place = s.data();
    storage moved(std::move(s));
    EXPECT_EQ(moved.data(), place);
    storage other;
    ASSERT_EQ(other.reserve(128), status_code::ok);
    other = std::move(moved);
    EXPECT_EQ(other.data(), place);
    storage assigned;
    ASSERT_EQ(assigned.reserve(32), status_code::ok);
    const auto* kept = assigned.data();
    assigned = other;  // scratch carries nothing: what is there may stay
    EXPECT_EQ(assigned.data(), kept);
}

}  // namespace
