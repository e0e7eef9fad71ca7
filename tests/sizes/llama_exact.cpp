// Under numerics::llama: a number above the size of the row is as good as the next above it.

#include <cstddef>
#include <cstdint>

#include <gtest/gtest.h>

#include <riffle/llama_exact.hpp>

#include "reference/agreement.hpp"
#include "sizes/numbers.hpp"

namespace riffle_tests::sizes_llama_exact {
namespace {

using namespace riffle;

/// The token and the ids in order that a chain of that stage leaves: of candidates, then of the row.
template <class Stage>
std::vector<token_id> outcome_of(const Stage& stage, std::span<const float> row) {
    auto c = chain<llama_exact>(stage, dist{.seed = 3});
    auto memory = candidates_of(row);
    candidates all{memory.data(), memory.size(), -1, false};
    EXPECT_TRUE(c.apply(all).ok());
    std::vector<token_id> found{token_id(all.selected)};
    for (const auto& token : all) found.push_back(token.id);
    c.reset();
    found.push_back(c.sample(row));
    for (const auto& token : c.distribution(row)) found.push_back(token.id);
    return found;
}

template <class Number, class Make>
void expect_any_number_above_is_as_good(Make make) {
    for (const shape s : {shape::random, shape::equal})
        for (const std::size_t size : {300u, 5000u}) {
            const auto row = make_row(s, size, 1);
            const auto expected = outcome_of(make(Number(size + 1)), row);
            for (const Number n : numbers_around<Number>(size)) {
                const auto found = outcome_of(make(n), row);
                if (std::size_t(n) <= size) {
                    EXPECT_GE(found.size(), 2 * (1 + std::size_t(n))) << n;
                } else {
                    EXPECT_EQ(found, expected) << double(n);
                }
            }
        }
}

TEST(SizesUnderLlama, TopK) {
    expect_any_number_above_is_as_good<std::int32_t>([](std::int32_t k) { return top_k{.k = k}; });
}
TEST(SizesUnderLlama, TopP) {
    expect_any_number_above_is_as_good<std::size_t>([](std::size_t n) { return top_p{.p = 0.5f, .min_keep = n}; });
}
TEST(SizesUnderLlama, MinP) {
    expect_any_number_above_is_as_good<std::size_t>([](std::size_t n) { return min_p{.p = 0.5f, .min_keep = n}; });
}
TEST(SizesUnderLlama, Typical) {
    expect_any_number_above_is_as_good<std::size_t>([](std::size_t n) { return typical{.p = 0.5f, .min_keep = n}; });
}
TEST(SizesUnderLlama, Xtc) {
    expect_any_number_above_is_as_good<std::size_t>(
        [](std::size_t n) { return xtc{.probability = 1.0f, .threshold = 0.0001f, .min_keep = n}; });
}

}  // namespace
}  // namespace riffle_tests::sizes_llama_exact
