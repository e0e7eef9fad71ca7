// The softmax statistics of candidates against sums by a plain loop, and what follows from them against double.

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/core/softmax_statistics.hpp>

#include "integers.hpp"
#include "reference/arithmetic.hpp"

namespace riffle_tests::core_softmax_statistics {
namespace {

using namespace riffle;

constexpr float inf = std::numeric_limits<float>::infinity();
using wide_t = reference::uint128;

std::vector<token_data> candidates_of(std::size_t size, std::uint64_t seed) {
    integers random(seed);
    std::vector<token_data> all;
    for (std::size_t i = 0; i < size; ++i)
        all.push_back({token_id(i), random.below(8) == 0 ? -inf : random.real(-30, 6), 0.0f});
    return all;
}
uint128 as_words(wide_t sum) { return {std::uint64_t(sum), std::uint64_t(sum >> 64)}; }

TEST(SoftmaxStatistics, IsSumsOfIntegers) {
    for (const std::size_t size : {1u, 2u, 3u, 100u, 5000u})
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            auto memory = candidates_of(size, seed);
            float top = -inf, least = greatest_logit;
            for (const auto& t : memory) top = std::max(top, t.logit);
            std::uint64_t legal = 0, mass = 0;
            wide_t distance = 0, squares = 0;
            for (const auto& t : memory) {
                if (t.logit == -inf) continue;
                ++legal;
                least = std::min(least, t.logit);
                const std::uint64_t w = reference::fixed_mass(reference::rounded(t.logit - top));
                const auto d = std::uint32_t(std::min(top - t.logit, 255.99f) * 65536.0f);
                mass += w;
                distance += wide_t{w} * d;
                squares += w * w >> 8;
            }
            candidates c{memory.data(), memory.size(), -1, false};
            const softmax_statistics found = softmax_of(c);
            EXPECT_EQ(found.legal, legal);
            EXPECT_EQ(found.mass, mass);
            if (legal == 0) continue;
            EXPECT_EQ(found.maximum, top);
            EXPECT_EQ(found.minimum, least);
            EXPECT_EQ(found.distance, as_words(distance));
            EXPECT_EQ(found.squares, as_words(squares));
            for (const auto& t : c)
                EXPECT_EQ(candidates::weight(t),
                          t.logit == -inf ? 0u : reference::fixed_mass(reference::rounded(t.logit - top)));
        }
}
TEST(SoftmaxStatistics, ItsQuantitiesAreThoseOfTheDistribution) {
    for (const std::size_t size : {1u, 2u, 50u, 5000u}) {
        auto memory = candidates_of(size, 3);
        memory[0].logit = 6.5f;
        double sum = 0.0, entropy = 0.0, collision = 0.0;
        for (const auto& t : memory) sum += std::exp(double(t.logit) - 6.5);
        for (const auto& t : memory) {
            const double p = std::exp(double(t.logit) - 6.5) / sum;
            if (p > 0) entropy -= p * std::log(p);
            collision += p * p;
        }
        candidates c{memory.data(), memory.size(), -1, false};
        const softmax_statistics found = softmax_of(c);
        EXPECT_NEAR(double(found.log_mass()), std::log(sum), 1e-5);
        EXPECT_NEAR(double(found.entropy()), entropy, 1e-3);
        EXPECT_NEAR(double(found.log_collision()), std::log(collision), 1e-4);
        EXPECT_NEAR(double(found.log_probability(2.0f)), 2.0 - 6.5 - std::log(sum), 1e-5);
        EXPECT_NEAR(double(found.logit_of(found.log_probability(2.0f))), 2.0, 1e-5);
    }
}
TEST(SoftmaxStatistics, OfNoLegalCandidateIsEmpty) {
    for (const std::size_t size : {0u, 1u, 300u}) {
        std::vector<token_data> memory(size, {0, -inf, 0.5f});
        candidates c{memory.data(), memory.size(), -1, false};
        const softmax_statistics found = softmax_of(c);
        EXPECT_EQ(found.legal, 0u);
        EXPECT_EQ(found.mass, 0u);
        EXPECT_EQ(found.maximum, illegal_logit);
        EXPECT_EQ(found.mean_distance(), 0u);
    }
}

}  // namespace
}  // namespace riffle_tests::core_softmax_statistics
