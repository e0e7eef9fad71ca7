#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/core/prefix.hpp>

#include "integers.hpp"

namespace {

using namespace riffle;
using riffle_tests::integers;

struct entry {
    std::uint64_t key, amount;
};
/// By sorting and walking.
std::uint64_t walked(std::vector<entry> all, std::uint64_t target) {
    std::sort(all.begin(), all.end(), [](const entry& a, const entry& b) { return a.key < b.key; });
    std::uint64_t sum = 0;
    for (const entry& e : all)
        if ((sum += e.amount) > target) return e.key;
    return all.empty() ? 0 : all.back().key;
}

TEST(EndOfPrefix, IsWhereASortedWalkExceedsTheTarget) {
    integers random(1);
    for (const int bits : {1, 7, 8, 9, 16, 33, 64})
        for (const std::uint32_t size : {1u, 2u, 3u, 40u, 3000u})
            for (int n = 0; n < 30; ++n) {
                const bool few_keys = random.below(2);
                std::vector<entry> all(size);
                std::vector<token_data> memory;
                std::uint64_t total = 0;
                for (std::uint32_t i = 0; i < size; ++i) {
                    const std::uint64_t key = few_keys ? random.below(4) : random.next();
                    all[i] = {bits == 64 ? key : key & ((std::uint64_t{1} << bits) - 1), random.below(5)};
                    total += all[i].amount;
                    memory.push_back({token_id(i), 0.0f, 0.0f});
                }
                const candidates c{memory.data(), memory.size(), -1, false};
                const auto key = [&](const token_data& t) { return all[std::size_t(t.id)].key; };
                const auto amount = [&](const token_data& t) { return all[std::size_t(t.id)].amount; };
                for (const std::uint64_t target :
                     {std::uint64_t{0}, total / 3, total ? total - 1 : 0, total, total + 9})
                    ASSERT_EQ(end_of_prefix(c, key, amount, target), walked(all, target))
                        << bits << " bits, " << size << ", target " << target;
            }
}
TEST(EndOfPrefix, OfNobodyIsNought) {
    const auto zero = [](const token_data&) { return std::uint64_t{0}; };
    EXPECT_EQ(end_of_prefix(candidates{}, zero, zero, 5), 0u);
}

}  // namespace
