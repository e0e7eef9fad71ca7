// A batch allocates for as many rows as are sampled at once, and once warm not at all.

#include <vector>

#include <riffle/batch.hpp>

#include "embedding/allocations.hpp"
#include "embedding/chains.hpp"

namespace riffle_tests::batch_memory {
namespace {

using namespace riffle;

constexpr std::size_t count = 5;

std::vector<float> logits_of_all() {
    std::vector<float> all;
    for (std::size_t i = 0; i < count; ++i) {
        const auto& row = rows()[i % rows().size()];
        all.insert(all.end(), row.begin(), row.end());
    }
    return all;
}
auto sequences() {
    const auto c = chain(top_k{.k = 40}, top_p{.p = 0.9f}, dist{.seed = 4});
    std::vector<std::remove_cvref_t<decltype(c)>> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(c.fork(std::uint16_t(i)));
    return all;
}

TEST(BatchMemory, OneScratchForAllRowsThatAreNotSampledAtOnce) {
    const auto logits = logits_of_all();
    const logit_rows rows(logits.data(), count, row_length);
    auto all = sequences();
    std::vector<token_id> tokens(count);
    batch b;
    {
        const allocations first;
        ASSERT_TRUE(b.sample(all, rows, tokens));
        EXPECT_EQ(first.count(), 2 + count) << "the pool, one scratch, and a history for each chain";
    }
    const allocations warm;
    for (int step = 0; step < 5; ++step) ASSERT_TRUE(b.sample(all, rows, tokens));
    EXPECT_EQ(warm.count(), 0u);
}

TEST(BatchMemory, ReservedAheadNothingIsLeftToAllocate) {
    const auto logits = logits_of_all();
    const logit_rows rows(logits.data(), count, row_length);
    auto all = sequences();
    std::vector<token_id> tokens(count);
    batch b;
    for (auto& c : all) ASSERT_TRUE(c.reserve(0));
    ASSERT_TRUE(b.reserve(count, 1, all[0].scratch_bytes(row_length)));
    const allocations none;
    ASSERT_TRUE(b.sample(all, rows, tokens));
    EXPECT_EQ(none.count(), 0u);
}

TEST(BatchMemory, AnEmptyHeapIsAStatus) {
    const auto logits = logits_of_all();
    const logit_rows rows(logits.data(), count, row_length);
    auto all = sequences(), alone = sequences();
    std::vector<token_id> tokens(count, -7);
    batch b;
    {
        const empty_heap none;
        EXPECT_EQ(b.sample(all, rows, tokens).code(), status_code::out_of_memory);
        EXPECT_EQ(b.reserve(count, 1, 1).code(), status_code::out_of_memory);
    }
    EXPECT_TRUE(b.sample(all, rows, tokens));
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(tokens[i], alone[i].sample(rows[i]));
}

}  // namespace
}  // namespace riffle_tests::batch_memory
