#include <riffle/math/fixed_mass.hpp>
#include <riffle/wide/rewrite.hpp>

#include "rows.hpp"

namespace {

using namespace riffle;
using namespace riffle_tests;

TEST(Rewrite, MapsAPrivateCopy) {
    each_row([](stored_row& row) {
        each_map([&](const auto& m) {
            at_every_width([&](int) {
                stored_row fresh(row.logits);
                wide::rewrite(fresh.r, m.fused_maps);
                for (std::size_t i = 0; i < row.logits.size(); ++i) {
                    ASSERT_EQ(std::bit_cast<int>(fresh.r.logit(i)), std::bit_cast<int>(m.one(row.logits[i])))
                        << "the value of " << row.logits[i];
                    ASSERT_EQ(std::bit_cast<int>(fresh.logits[i]), std::bit_cast<int>(row.logits[i]))
                        << "the caller's row is not ours";
                }
                for (std::size_t i = row.logits.size() % 256; i % 256; ++i)
                    ASSERT_EQ(fresh.r.block(row.r.blocks() - 1)[i], -inf);
            });
        });
    });
}

TEST(Rewrite, MakesInfinityFinite) {
    stored_row row({inf, not_a_number, -inf, 0x1p-149f, -0.0f, 2.0f});
    at_every_width([&](int) {
        stored_row fresh(row.logits);
        wide::rewrite(fresh.r, fused_maps<>());
        const float expected[] = {greatest_logit, -inf, -inf, 0.0f, 0.0f, 2.0f};
        for (std::size_t i = 0; i < 6; ++i)
            EXPECT_EQ(std::bit_cast<int>(fresh.r.logit(i)), std::bit_cast<int>(expected[i]));
    });
}

// Where only a weight is wanted, the last map need not be made canonical.
template <class Fold>
struct uncanonical_pass {
    template <int N>
    static RIFFLE_INLINE void run(const float* const& x, const Fold& map, float top, std::int32_t* const& strict,
                                  std::int32_t* const& for_weights) noexcept {
        for (std::size_t i = 0; i < 1024; i += N) {
            const auto a = fixed_mass(map(lanes<N>::load(x + i)) - lanes<N>(top)),
                       b = fixed_mass(map.for_weights(lanes<N>::load(x + i)) - lanes<N>(map.top(top)));
            for (int lane = 0; lane < N; ++lane)
                strict[i + std::size_t(lane)] = a[lane], for_weights[i + std::size_t(lane)] = b[lane];
        }
    }
};

TEST(Fold, UncanonicalGivesTheSameWeights) {
    each_map([](const auto& m) {
        for (const auto which : families) {
            stored_row row(logits_of(which, 1024));
            const float top = greatest(mapped(row, m));
            if (top == -inf) continue;
            at_every_width([&](int) {
                std::vector<std::int32_t> strict(1024), for_weights(1024);
                wide::run<uncanonical_pass<std::remove_cvref_t<decltype(m.fused_maps)>>>(
                    row.logits.data(), m.fused_maps, top, strict.data(), for_weights.data());
                EXPECT_EQ(strict, for_weights);
            });
        }
    });
}

TEST(Fold, OneIsTheStagedValue) {
    each_map([](const auto& m) {
        integers random(61);
        for (int round = 0; round < 20000; ++round) {
            const float l = canonical(random.any_float());
            ASSERT_EQ(std::bit_cast<int>(canonical(m.fused_maps.one(l))), std::bit_cast<int>(m.one(l))) << l;
        }
        EXPECT_EQ(m.fused_maps.one(-inf), -inf);
    });
}

}  // namespace
