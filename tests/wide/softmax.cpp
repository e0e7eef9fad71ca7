#include <riffle/wide/softmax.hpp>

#include "reference/arithmetic.hpp"
#include "rows.hpp"

namespace {

using namespace riffle;
using namespace riffle_tests;

using wide_t = reference::uint128;

TEST(WideSoftmax, IsThatOfAllMappedLogits) {
    each_row([](stored_row& row) {
        each_map([&](const auto& m) {
            const auto logits = mapped(row, m);
            const float top = greatest(logits);
            if (top == -inf) return;
            std::uint64_t legal = 0, mass = 0;
            float least = greatest_logit;
            wide_t distance = 0, squares = 0;
            for (const float l : logits) {
                if (l == -inf) continue;
                ++legal;
                if (l < least) least = l;
                const std::uint64_t w = reference::fixed_mass(reference::rounded(l - top));
                const float d = top - l < 255.99f ? top - l : 255.99f;
                mass += w;
                distance += wide_t{w} * std::uint32_t(d * 65536.0f);
                squares += w * w >> 8;
            }
            at_every_width([&](int) {
                const softmax_statistics found = wide::find_softmax(row.r, row.block_maxima.data(), -greatest_logit,
                                                                    -greatest_logit, m.fused_maps, top);
                EXPECT_EQ(found.maximum, top);
                EXPECT_EQ(found.minimum, least);
                EXPECT_EQ(found.legal, legal);
                EXPECT_EQ(found.mass, mass);
                EXPECT_EQ(found.distance, (uint128{std::uint64_t(distance), std::uint64_t(distance >> 64)}));
                EXPECT_EQ(found.squares, (uint128{std::uint64_t(squares), std::uint64_t(squares >> 64)}));
            });
        });
    });
}
TEST(WideSoftmax, TakesThePartsThatAreAskedFor) {
    stored_row row(logits_of(family::random, 3000));
    const float top = greatest(row.logits);
    const auto statistics_with = [&]<std::uint8_t Parts>(std::integral_constant<std::uint8_t, Parts>) {
        return wide::find_softmax<Parts>(row.r, row.block_maxima.data(), -greatest_logit, -greatest_logit,
                                         fused_maps<>(), top);
    };
    at_every_width([&](int) {
        const softmax_statistics all = statistics_with(std::integral_constant<std::uint8_t, softmax_part::all>());
        const softmax_statistics none = statistics_with(std::integral_constant<std::uint8_t, 0>());
        const softmax_statistics distances =
            statistics_with(std::integral_constant<std::uint8_t, softmax_part::distances>());
        const softmax_statistics support =
            statistics_with(std::integral_constant<std::uint8_t, softmax_part::support>());
        EXPECT_EQ(none.mass, all.mass);
        EXPECT_EQ(none.distance, uint128{});
        EXPECT_EQ(distances.distance, all.distance);
        EXPECT_EQ(distances.squares, uint128{});
        EXPECT_EQ(support.legal, 3000u);
        EXPECT_EQ(support.minimum, all.minimum);
    });
}
TEST(WideSoftmax, BlocksUnderTheCutWeighNothingAndAreLegal) {
    stored_row row(std::vector<float>(1000, -40.0f));
    row.logits[300] = row.block_maxima[1] = 0.0f;
    row.r.assign(row.logits, row.blocks.data(), row.copies.data());
    at_every_width([&](int) {
        const softmax_statistics found =
            wide::find_softmax(row.r, row.block_maxima.data(), -22.0f, -greatest_logit, fused_maps<>(), 0.0f);
        EXPECT_EQ(found.legal, 1000u);
        EXPECT_EQ(found.minimum, -40.0f);
        EXPECT_EQ(found.mass, std::uint64_t{1} << 30);
        EXPECT_EQ(found.distance, uint128{});
    });
}

}  // namespace
