#include <algorithm>

#include <riffle/wide/mass.hpp>
#include <riffle/wide/pick.hpp>

#include "rows.hpp"

namespace {

using namespace riffle;
using namespace riffle_tests;

TEST(Pick, ByMassIsTheInverseCdfInAscendingId) {
    each_row([](stored_row& row) {
        each_map([&](const auto& m) {
            const auto logits = mapped(row, m);
            const float top = greatest(logits);
            if (top == -inf) return;
            std::vector<std::uint64_t> running;  // Σ w up to each id
            std::vector<std::uint64_t> masses(row.r.blocks());
            std::uint64_t total = 0;
            for (std::size_t i = 0; i < logits.size(); ++i) {
                const auto w = fixed_mass_of(logits[i] - top);
                total += w;
                masses[i / 256] += w;
                running.push_back(total);
            }
            integers random(row.logits.size());
            for (int round = 0; round < 20; ++round) {
                const std::uint64_t target = round == 0   ? 0
                                             : round == 1 ? total - 1
                                                          : multiply_high(random.next(), total);
                const auto expected = std::upper_bound(running.begin(), running.end(), target) - running.begin();
                at_every_width([&](int) {
                    const auto weigh = [&](std::size_t b, std::uint32_t* weights) {
                        wide::weigh_logits(row.r.block(b), block_size, m.fused_maps, top, weights);
                    };
                    const auto found = wide::pick_by_mass(row.r.blocks(), masses.data(), target, weigh);
                    ASSERT_EQ(found.id, token_id(expected)) << "target " << target << " of " << total;
                    ASSERT_EQ(found.weight, fixed_mass_of(logits[std::size_t(expected)] - top));
                });
            }
        });
    });
}

TEST(Pick, WeighsABlock) {
    for (const auto which : families)
        each_map([&](const auto& m) {
            stored_row row(logits_of(which, 256));
            const auto logits = mapped(row, m);
            const float top = greatest(logits);
            if (top == -inf) return;
            at_every_width([&](int) {
                std::uint32_t weights[256];
                wide::weigh_logits(row.r.block(0), block_size, m.fused_maps, top, weights);
                for (std::size_t i = 0; i < 256; ++i) ASSERT_EQ(weights[i], fixed_mass_of(logits[i] - top));
            });
        });
}

/// Noise by the scalar generator.
float plain_noise(token_id id, const draws& d) {
    const auto words = philox({std::uint32_t(id), d.counter(0)[1], d.counter(0)[2], d.counter(0)[3]}, d.seed());
    float v = (float(words[0] >> 1) + 0.5f) * 0x1p-31f;
    v = std::min(v, 0x1.fffffep-1f);
    return -log(minus_log_complement(lanes<1>(v)))[0];
}

TEST(Pick, ByNoiseIsTheGreatestLogitPlusNoise) {
    each_row([](stored_row& row) {
        each_map([&](const auto& m) {
            const auto logits = mapped(row, m);
            const float raw_top = greatest(row.logits);
            if (raw_top == -inf) return;
            for (std::uint32_t position = 0; position < 2; ++position) {
                const draws d(99, {.position = position, .attempt = 0, .sequence = 1},
                              stream_of(stream_kind::gumbel, 0));
                token_id expected = null_token;
                float best = -inf;
                for (std::size_t i = 0; i < logits.size(); ++i) {
                    if (logits[i] == -inf) continue;
                    const float score = logits[i] + plain_noise(token_id(i), d);
                    if (expected < 0 || score > best) expected = token_id(i), best = score;
                }
                at_every_width([&](int) {
                    EXPECT_EQ(wide::pick_by_noise(row.r, row.block_maxima.data(), m.fused_maps, canonical(raw_top), d),
                              expected);
                });
            }
        });
    });
}

// A NaN counts as -inf and must not take its neighbours along.
TEST(Pick, ByNoiseLooksPastNaN) {
    for (std::size_t at = 0; at < 64; ++at) {
        std::vector<float> logits(300, -40.0f);
        logits[at] = 30.0f;
        for (const std::size_t step : {1u, 2u, 4u, 8u, 15u}) logits[(at + step) % 64] = not_a_number;
        stored_row row(logits);
        at_every_width([&](int) {
            EXPECT_EQ(wide::pick_by_noise(row.r, row.block_maxima.data(), fused_maps<>(), 30.0f, draws(1, {}, 0)),
                      token_id(at));
        });
    }
}

TEST(Pick, NoiseIsGumbelAndBounded) {
    long double sum = 0, squares = 0;
    constexpr int count = 200000;
    for (int i = 0; i < count; ++i) {
        const float g = gumbel_noise<lanes<1>>(int_lanes<1>(i), {0, 7, 0, 0}, 5)[0];
        ASSERT_EQ(g, plain_noise(i, draws(5, {.position = 7, .attempt = 0, .sequence = 0}, 0)));
        ASSERT_LT(g, greatest_gumbel_noise);
        sum += static_cast<long double>(g);
        squares += static_cast<long double>(g) * static_cast<long double>(g);
    }
    const auto mean = double(sum / count), variance = double(squares / count) - mean * mean;
    EXPECT_NEAR(mean, 0.5772156649, 0.012);
    EXPECT_NEAR(variance, 1.6449340668, 0.04);
    // The ends of what 31 bits can give.
    for (const std::uint32_t word : {0u, 1u, 2u, 0xfffffffeu, 0xffffffffu, 0x80000000u}) {
        const float v = std::min((float(word >> 1) + 0.5f) * 0x1p-31f, 0x1.fffffep-1f);
        const float g = -log(minus_log_complement(lanes<1>(v)))[0];
        EXPECT_LT(g, greatest_gumbel_noise);
        EXPECT_GT(g, -4.0f);
    }
}

}  // namespace
