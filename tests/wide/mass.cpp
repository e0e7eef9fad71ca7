#include <riffle/wide/mass.hpp>
#include <riffle/wide/preimage.hpp>

#include "rows.hpp"

namespace {

using namespace riffle;
using namespace riffle_tests;

TEST(Mass, IsTheSumOfWeightsByBlock) {
    each_row([](stored_row& row) {
        each_map([&](const auto& m) {
            const auto logits = mapped(row, m);
            const float top = greatest(logits);
            if (top == -inf) return;
            std::vector<std::uint64_t> expected(row.r.blocks());
            std::uint64_t total = 0;
            for (std::size_t i = 0; i < logits.size(); ++i) {
                const std::uint64_t w = fixed_mass_of(logits[i] - top);
                expected[i / 256] += w;
                total += w;
            }
            // With no cut, and with the greatest one under which nothing weighs.
            const float known = greatest(row.logits), sharp = wide::preimage(m.one, top - mass_range, canonical(known));
            for (const float cut : {lowest, sharp})
                at_every_width([&](int) {
                    std::vector<std::uint64_t> masses(row.r.blocks(), 77);
                    EXPECT_EQ(
                        (wide::find_mass<false>(row.r, row.block_maxima.data(), cut, m.fused_maps, top, masses.data())),
                        total);
                    EXPECT_EQ(masses, expected);
                });
        });
    });
}

}  // namespace
