#include <cmath>

#include <riffle/wide/moments.hpp>

#include "reference/uint128.hpp"
#include "rows.hpp"

namespace {

using namespace riffle;
using namespace riffle_tests;

using wide_t = reference::uint128;

std::uint32_t plain_deviation(std::uint64_t n, wide_t sum, wide_t squares) {
    const auto variance = std::uint64_t((wide_t{n} * squares - sum * sum) / (wide_t{n} * n));
    auto root = std::uint64_t(std::sqrt(static_cast<long double>(variance << 16)));
    while (wide_t{root} * root > (variance << 16)) --root;
    while (wide_t{root + 1} * (root + 1) <= (variance << 16)) ++root;
    return std::uint32_t(root);
}

float unit(integers& random) { return float(random.below(1u << 24)) * 0x1p-24f; }

/// Holds the pass over the row, whose mapped logits these are, to a plain sum at every width.
template <class Fold>
void expect_plain_sums(stored_row& row, const Fold& map, const std::vector<float>& logits) {
    const float top = greatest(logits);
    if (top == -inf) return;
    std::uint64_t n = 0, sum = 0;
    wide_t squares = 0;
    for (const float l : logits) {
        if (!(l > -inf)) continue;
        const float distance = top - l < 255.99f ? top - l : 255.99f;
        const auto d = std::uint32_t(distance * 65536.0f);
        ++n;
        sum += d;
        squares += std::uint64_t{d} * d;
    }
    at_every_width([&](int) {
        const moments found = wide::find_moments(row.r, row.block_maxima.data(), map, top);
        EXPECT_EQ(found.count, n);
        EXPECT_EQ(found.sum, sum);
        EXPECT_EQ(found.sum_of_squares, (uint128{std::uint64_t(squares), std::uint64_t(squares >> 64)}));
        EXPECT_EQ(found.deviation(), plain_deviation(n, sum, squares));
    });
}

TEST(Moments, AreSumsOfIntegers) {
    each_row([](stored_row& row) {
        each_map([&](const auto& m) { expect_plain_sums(row, m.fused_maps, mapped(row, m)); });
    });
}

/// Up to 45 or 64 nats of root mean square the pass has the upper bits of the squares from a sum of floats.
TEST(Moments, SquaresAreExactAtEveryDistance) {
    integers random(7);
    for (const float distance :
         {0.0f,  0x1p-17f, 0x1.8p-16f, 0.5f,  3.0f,  8.0f,   21.3f,  22.6f,  22.7f,  31.9f,  32.1f,
          45.2f, 45.25f,   45.3f,      63.9f, 64.1f, 127.0f, 181.0f, 181.1f, 255.9f, 256.0f, 1e6f})
        for (const float spread : {0.0f, 0x1.fffp-17f, 1.0f, 20.0f}) {
            SCOPED_TRACE(testing::Message() << distance << " nats, and up to " << spread << " more");
            std::vector<float> logits(256 * 9 + 77);
            for (auto& l : logits) l = -distance - spread * unit(random);
            logits[random.below(std::uint32_t(logits.size()))] = 0.0f;
            stored_row row(logits);
            expect_plain_sums(row, fused_maps<>(), logits);
        }
}

/// The sum of floats alone says whether some distance is to count as 255.99.
TEST(Moments, OneFarTokenAmongNearOnes) {
    integers random(9);
    for (const float distance : {45.0f, 64.0f, 128.0f, 181.5f, 200.0f, 255.98f, 255.99f, 255.995f, 255.9999f, 256.0f,
                                 256.1f, 300.0f, 361.0f, 363.0f, 500.0f, 1000.0f, 1e5f, 3e38f})
        for (int rows = 0; rows < 16; ++rows) {
            SCOPED_TRACE(testing::Message() << "one at " << distance << " nats");
            std::vector<float> logits(256 * 5);
            for (auto& l : logits) l = -unit(random);
            logits[0] = 0.0f;
            logits[1 + random.below(256 * 5 - 1)] = -distance;
            stored_row row(logits);
            expect_plain_sums(row, fused_maps<>(), logits);
        }
}

/// What is added and what is lost again must not depend on how far other blocks are.
TEST(Moments, NearAndFarBlocksAddUp) {
    integers random(8);
    for (int rows = 0; rows < 200; ++rows) {
        std::vector<float> logits(256 * (1 + random.below(40)) + random.below(256));
        float reach = 0.0f;
        for (std::size_t i = 0; i < logits.size(); ++i) {
            if (i % 256 == 0) reach = std::exp2(24.5f * unit(random) - 16.0f);
            logits[i] = random.below(1000) ? -reach * unit(random) : -inf;
        }
        logits[0] = 0.0f;
        stored_row row(logits);
        expect_plain_sums(row, fused_maps<>(), logits);
    }
}

TEST(Moments, DeviationIsThatOfTheLogits) {
    each_row([](stored_row& row) {
        const float top = greatest(row.logits);
        if (top == -inf) return;
        long double n = 0, mean = 0, variance = 0;
        for (const float l : row.logits)
            if (l > -inf) ++n, mean += static_cast<long double>(l);
        mean /= n;
        for (const float l : row.logits)
            if (l > -inf) variance += (static_cast<long double>(l) - mean) * (static_cast<long double>(l) - mean) / n;
        const auto found = wide::find_moments(row.r, row.block_maxima.data(), fused_maps<>(), top).deviation();
        EXPECT_NEAR(double(found) * 0x1p-24, double(std::sqrt(variance)), 1e-3);
    });
}

TEST(Moments, FarTokensCountAs255_99) {
    stored_row row({0.0f, -1e30f, -300.0f, -255.99f, -inf});
    at_every_width([&](int) {
        const moments m = wide::find_moments(row.r, row.block_maxima.data(), fused_maps<>(), 0.0f);
        EXPECT_EQ(m.count, 4u);
        EXPECT_EQ(m.sum, 3 * std::uint64_t(255.99f * 65536.0f));
    });
    EXPECT_EQ(moments().deviation(), 0u);
    moments same;
    for (int i = 0; i < 1000; ++i) same.add(16777215u);
    EXPECT_EQ(same.deviation(), 0u);
}

}  // namespace
