#include <algorithm>
#include <numeric>

#include <riffle/wide/above.hpp>
#include <riffle/wide/nucleus.hpp>

#include "rows.hpp"

namespace {

using namespace riffle;
using namespace riffle_tests;

/// What reaches a logit, behind the map, from the mapped row.
std::uint64_t mass_from(const std::vector<float>& mapped_logits, float cut, float top, std::size_t first,
                        std::size_t last) {
    std::uint64_t mass = 0;
    for (std::size_t i = first; i < last && i < mapped_logits.size(); ++i)
        if (mapped_logits[i] >= cut) mass += fixed_mass_of(mapped_logits[i] - top);
    return mass;
}

template <class Map>
float raw_of(const Map& map, float target, const stored_row& row) {
    return wide::preimage(map.one, target, canonical(greatest(row.logits)));
}

/// A band of a row as tokens, in memory of its own.
struct stored_band {
    explicit stored_band(std::size_t size)
        : memory((size + 255) / 256 * 256), tokens(wide::band_tokens::in(memory.data(), size)) {}
    std::vector<token_data> memory;
    wide::band_tokens tokens;
};

TEST(Nucleus, SplitsTheMassAtALogit) {
    each_row([](stored_row& row) {
        each_map([&](const auto& m) {
            const auto logits = mapped(row, m);
            const float top = greatest(logits);
            if (top == -inf) return;
            for (const float depth : {0.0f, 1.5f, 7.0f, 20.0f}) {
                const float floor = std::max(top - depth, lowest);
                const float raw_floor = raw_of(m, floor, row), cut = raw_of(m, std::max(top - mass_range, lowest), row);
                at_every_width([&](int) {
                    std::vector<std::uint64_t> masses(row.r.blocks(), 77);
                    stored_band band(logits.size());
                    const auto sums = wide::find_split_mass(row.r, row.block_maxima.data(), cut, {raw_floor, raw_floor},
                                                            m.fused_maps, top, masses.data(), band.tokens);
                    EXPECT_EQ(band.tokens.size, 0u);
                    EXPECT_EQ(sums.total, mass_from(logits, lowest, top, 0, logits.size()));
                    EXPECT_EQ(sums.reaching, mass_from(logits, floor, top, 0, logits.size()));
                    for (std::size_t b = 0; b < masses.size(); ++b)
                        ASSERT_EQ(masses[b], mass_from(logits, floor, top, b * 256, b * 256 + 256));
                });
            }
        });
    });
}

TEST(Nucleus, ABandHasItsTokensInAscendingIdByBlock) {
    each_row([](stored_row& row) {
        each_map([&](const auto& m) {
            const auto logits = mapped(row, m);
            const float top = greatest(logits);
            if (top == -inf) return;
            const float low = std::max(top - 6.0f, lowest), high = std::max(top - 5.5f, lowest);
            std::vector<float> expected;
            std::vector<std::uint32_t> ends;
            for (std::size_t i = 0; i < logits.size(); ++i) {
                if (logits[i] >= low && logits[i] < high) expected.push_back(logits[i]);
                if (i % 256 == 255 || i + 1 == logits.size()) ends.push_back(std::uint32_t(expected.size()));
            }
            at_every_width([&](int) {
                stored_band band(logits.size());
                const float cut = raw_of(m, std::max(top - mass_range, lowest), row);
                std::vector<std::uint64_t> masses(row.r.blocks());
                const auto sums = wide::find_split_mass(row.r, row.block_maxima.data(), cut,
                                                        {raw_of(m, low, row), raw_of(m, high, row)}, m.fused_maps, top,
                                                        masses.data(), band.tokens);
                ASSERT_EQ(sums.total, mass_from(logits, lowest, top, 0, logits.size()));
                ASSERT_EQ(sums.reaching, mass_from(logits, low, top, 0, logits.size()));
                ASSERT_EQ(band.tokens.size, expected.size());
                std::uint64_t mass = 0;
                for (std::size_t i = 0; i < expected.size(); ++i) {
                    ASSERT_EQ(std::bit_cast<int>(band.tokens.logits[i]), std::bit_cast<int>(expected[i]));
                    ASSERT_EQ(band.tokens.weights[i], fixed_mass_of(expected[i] - top));
                    mass += band.tokens.weights[i];
                }
                EXPECT_TRUE(std::equal(ends.begin(), ends.end(), band.tokens.ends));
                EXPECT_EQ(wide::part(band.tokens).mass, mass);
            });
        });
    });
}

TEST(Nucleus, EndsWhereTheRunningMassExceedsTheTarget) {
    integers random(3);
    for (const bool coarse : {false, true})
        for (int round = 0; round < 40; ++round) {
            std::vector<float> logits(5000);
            for (auto& l : logits) {
                l = random.real(-9, 0);
                if (coarse) l = std::round(l * 4.0f) / 4.0f;  // hundreds are equal
            }
            logits[7] = 0.0f;
            stored_row row(logits);
            const wide::band of{-4.0f, -3.75f};
            std::vector<std::size_t> order;
            for (std::size_t i = 0; i < logits.size(); ++i)
                if (logits[i] >= of.low && logits[i] < of.high) order.push_back(i);
            std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return logits[a] > logits[b]; });
            std::uint64_t all = 0;
            for (const auto i : order) all += fixed_mass_of(logits[i]);
            const std::uint64_t target = round == 0 ? 0 : round == 1 ? all - 1 : random.next() % all;
            std::vector<bool> kept(logits.size());  // what is above the band stays
            for (std::size_t i = 0; i < logits.size(); ++i) kept[i] = logits[i] >= of.high;
            std::uint64_t running = 0, dropped = 0;
            for (const auto i : order) {
                kept[i] = running <= target;
                if (!kept[i]) dropped += fixed_mass_of(logits[i]);
                running += fixed_mass_of(logits[i]);
            }
            at_every_width([&](int) {
                stored_row now(logits);
                stored_band band(logits.size());
                std::vector<std::uint64_t> masses(now.r.blocks());
                wide::find_split_mass(now.r, now.block_maxima.data(), lowest, of, fused_maps<>(), 0.0f, masses.data(),
                                      band.tokens);
                const auto end = wide::end_of_nucleus(band.tokens, wide::part(band.tokens), target);
                EXPECT_EQ(wide::drop_behind(end, band.tokens, masses), dropped);
                for (std::size_t b = 0; b < masses.size(); ++b) {
                    std::uint64_t of_kept = 0;
                    for (std::size_t i = b * 256; i < b * 256 + 256 && i < logits.size(); ++i)
                        if (kept[i]) of_kept += fixed_mass_of(logits[i]);
                    ASSERT_EQ(masses[b], of_kept);
                }
                wide::hide_below(now.r, now.block_maxima.data(), end.logit);
                wide::hide_ties(end, band.tokens, now.r, end.logit, next_canonical(end.logit), 0, now.r.blocks());
                for (std::size_t i = 0; i < logits.size(); ++i)
                    ASSERT_EQ(now.r.logit(i), kept[i] ? logits[i] : -inf) << i;
            });
        }
}

TEST(Nucleus, ABandIsGuessedFromASample) {
    const auto by = wide::buckets::between(-20.0f, 0.0f);
    std::vector<std::uint64_t> bins(wide::buckets::count, 1000);
    const wide::band of = wide::band_of(bins, by, 100000.0, 0, 0.0f);  // a hundred buckets are left out
    EXPECT_EQ(by.bucket_of(lanes<1>(of.low))[0], 93);
    EXPECT_EQ(by.bucket_of(lanes<1>(of.high))[0], 108);
    // Two hundred buckets of which each holds a thousandth of a token, or a thousand of them.
    const wide::band few = wide::band_of(std::vector<std::uint64_t>(bins.size(), 1), by, 100.0, 4096, 0.0f);
    EXPECT_EQ(by.bucket_of(lanes<1>(few.low))[0], 40);
    EXPECT_EQ(by.bucket_of(lanes<1>(few.high))[0], 161);
    EXPECT_TRUE(wide::band_of(bins, by, 0.0, 0, 0.0f).empty()) << "nothing is left out";
    EXPECT_TRUE(wide::band_of(bins, by, 1e9, 0, 0.0f).empty()) << "all is left out";
    EXPECT_TRUE(wide::band().empty());
    // The band reaches up to the greatest logit where so much may be left out, as long as its lower end is known.
    EXPECT_EQ(wide::band_of(bins, by, 990000.0, 0, 0.0f).high, next_canonical(0.0f));
}

}  // namespace
