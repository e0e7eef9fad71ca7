// What is written for a device: rows, vocabularies and tokens of any number, in memory of the caller's.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/gpu/host/chain_on_device.hpp>
#include <riffle/gpu/host/requests.hpp>
#include <riffle/riffle.hpp>

#include "sizes/numbers.hpp"

namespace riffle_tests::sizes_requests {
namespace {

using namespace riffle;

TEST(SizesOfRequests, RowsThatFindNoRoomAreNotAdded) {
    auto c = top_k{.k = 5} | dist{};
    const gpu::chain_on_device<decltype(c)> on;
    std::vector<std::uint32_t> words(1000);
    gpu::requests written;
    for (const std::size_t rows : numbers_around<std::size_t>(words.size() / on.layout.words)) {
        written.begin(words, on.layout, rows, 300);
        EXPECT_EQ(written.add(on, c, 0), rows > 0 && rows <= words.size() / on.layout.words) << rows;
        EXPECT_GE(written.words(), std::min(std::size_t(words.size()), rows)) << rows;
    }
}
TEST(SizesOfRequests, AMaskIsCutToTheVocabulary) {
    auto c = mask{std::vector<std::uint32_t>(40, ~0u)} | top_k{.k = 5} | dist{};
    const gpu::chain_on_device<decltype(c)> on;
    std::vector<std::uint32_t> words(1000);
    gpu::requests written;
    for (const std::size_t vocabulary : numbers_around<std::size_t>(64)) {
        written.begin(words, on.layout, 1, vocabulary);
        EXPECT_TRUE(written.add(on, c, 0)) << vocabulary;
        const std::size_t of_mask = vocabulary < 40 * 32 ? (vocabulary + 31) / 32 : 40;
        EXPECT_EQ(written.words(), on.layout.words + of_mask) << vocabulary;
    }
}
TEST(SizesOfRequests, WordsOfAResult) {
    for (const std::size_t room : numbers_around<std::size_t>(64)) {
        const double words = 3.0 * double(room);
        EXPECT_GE(gpu::result_words(room), words < double(uncountable) ? std::size_t(words) : uncountable) << room;
    }
}

}  // namespace
}  // namespace riffle_tests::sizes_requests
