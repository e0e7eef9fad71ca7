#include <riffle/wide/mass.hpp>

#include "rows.hpp"

namespace {

using namespace riffle;
using namespace riffle_tests;

TEST(FastMass, IsClose) {
    each_row([](stored_row& row) {
        each_map([&](const auto& m) {
            const auto logits = mapped(row, m);
            const float top = greatest(logits);
            if (top == -inf) return;
            long double exact = 0;
            for (const float l : logits) exact += std::exp(static_cast<long double>(l - top)) * 0x1p30L;
            at_every_width([&](int) {
                std::vector<std::uint64_t> masses(row.r.blocks(), 77);
                const auto total =
                    wide::find_mass<true>(row.r, row.block_maxima.data(), lowest, m.fused_maps, top, masses.data());
                std::uint64_t sum = 0;
                for (const auto mass : masses) sum += mass;
                EXPECT_EQ(sum, total);
                EXPECT_LT(std::fabs(static_cast<long double>(total) - exact),
                          exact * 1e-5L + static_cast<long double>(logits.size()));
            });
        });
    });
}

}  // namespace
