#include <algorithm>
#include <utility>
#include <vector>

#include <riffle/wide/max.hpp>
#include <riffle/wide/select.hpp>

#include "rows.hpp"

namespace {

using namespace riffle;
using namespace riffle_tests;

bool before(const token_data& a, const token_data& b) { return a.logit != b.logit ? a.logit > b.logit : a.id < b.id; }

std::size_t reaching(const std::vector<float>& logits, float bound) {
    return std::size_t(std::count_if(logits.begin(), logits.end(), [&](float l) { return l >= bound; }));
}
std::size_t legal(const std::vector<float>& logits) {
    return std::size_t(std::count_if(logits.begin(), logits.end(), [](float l) { return l > -inf; }));
}

struct memory {
    explicit memory(const stored_row& row)
        : block_maxima(row.block_maxima), groups((row.r.blocks() + 1) * 16), bins(wide::buckets::count) {}
    std::vector<float> block_maxima, groups;
    std::vector<std::uint64_t> bins;
};

constexpr std::size_t ranks[] = {1, 2, 5, 40, 200, 1000, 5000, 40000};

TEST(Select, BoundOfRankIsReachedByThatMany) {
    each_row([](stored_row& row) {
        const float top = greatest(row.logits);
        if (top == -inf) return;
        for (const std::size_t k : ranks)
            at_every_width([&](int) {
                memory m(row);
                const float bound = wide::bound_of_rank(row.r, m.block_maxima.data(), k, canonical(top),
                                                        m.groups.data(), false, m.bins.data());
                EXPECT_GE(bound, lowest);
                EXPECT_GE(reaching(row.logits, bound), std::min(k, legal(row.logits))) << "k = " << k;
            });
    });
}

TEST(Select, BoundOfRankIsNotFarTooLow) {
    // On rows in no special order it is what makes select cheap.
    stored_row row(logits_of(family::random, 32000));
    for (const std::size_t k : {1u, 5u, 40u, 200u, 1000u})
        at_every_width([&](int) {
            memory m(row);
            const float bound = wide::bound_of_rank(row.r, m.block_maxima.data(), k, greatest(row.logits),
                                                    m.groups.data(), false, m.bins.data());
            EXPECT_LE(reaching(row.logits, bound), 3 * k + 200) << "k = " << k;
        });
}

TEST(Select, ALargeRankOfAShortRowIsCounted) {
    // Neither the maxima of groups nor a histogram, which would cost more than the row.
    const auto takes_histogram = [](std::size_t size, std::size_t k) {
        stored_row row(logits_of(family::random, size));
        memory m(row);
        std::fill(m.groups.begin(), m.groups.end(), 77.0f);
        std::fill(m.bins.begin(), m.bins.end(), 77);
        const float bound = wide::bound_of_rank(row.r, m.block_maxima.data(), k, greatest(row.logits), m.groups.data(),
                                                false, m.bins.data());
        const bool has_bins = m.bins[0] != 77, has_groups = m.groups[0] != 77.0f;
        EXPECT_EQ(has_bins, has_groups);
        if (!has_bins) {
            EXPECT_LE(reaching(row.logits, bound), k + k / 8);
        }
        return has_bins;
    };
    at_every_width([&](int) {
        for (const std::size_t size : {1000u, 4096u, 16384u}) EXPECT_FALSE(takes_histogram(size, size / 5)) << size;
        EXPECT_TRUE(takes_histogram(32000, 8000));
    });
}

/// What find_greatest asks of the maps.
template <class Maps>
struct mapping {
    const Maps& maps;
    float raw_maximum, top;
    void map(std::span<token_data> tokens) const {
        for (auto& t : tokens) t.logit = maps.one(t.logit);
    }
    float mapped_maximum() const { return top; }
    float raw_cut(float target) const {
        return wide::preimage([&](float l) { return maps.one(l); }, std::min(target, top), raw_maximum);
    }
};

TEST(Select, FindsTheGreatest) {
    each_row([](stored_row& row) {
        each_map([&](const auto& maps) {
            const auto logits = mapped(row, maps);
            const float top = greatest(logits), raw_top = greatest(row.logits);
            if (top == -inf) return;
            std::vector<token_data> order;
            for (std::size_t i = 0; i < logits.size(); ++i)
                if (logits[i] > -inf) order.push_back({token_id(i), logits[i], 0.0f});
            std::sort(order.begin(), order.end(), before);
            for (const std::size_t k : ranks)
                at_every_width([&](int) {
                    memory m(row);
                    const mapping<std::remove_cvref_t<decltype(maps)>> through{maps, canonical(raw_top), top};
                    const float raw = wide::bound_of_rank(row.r, m.block_maxima.data(), k, canonical(raw_top),
                                                          m.groups.data(), false, m.bins.data());
                    std::vector<token_data> out(row.r.blocks() * 256);
                    candidates found{out.data(), 0, -1, false};
                    wide::find_greatest(row.r, row.block_maxima.data(), k, through.raw_cut(maps.one(raw)), through,
                                        found);
                    ASSERT_LE(found.size, out.size());
                    std::sort(found.begin(), found.end(), before);
                    ASSERT_EQ(found.size, std::min(k, order.size())) << "k = " << k;
                    for (std::size_t i = 0; i < found.size; ++i) {
                        ASSERT_EQ(found[i].id, order[i].id) << "k = " << k << ", rank " << i;
                        ASSERT_EQ(found[i].logit, order[i].logit);
                    }
                });
        });
    });
}

TEST(Select, PadPeaks) {
    for (std::size_t size = 0; size < 40; ++size) {
        std::vector<float> values(size + 16, 3.0f);
        const std::size_t padded = wide::pad_maxima(values.data(), size);
        EXPECT_EQ(padded % 16, 0u);
        EXPECT_GE(padded, size);
        EXPECT_LT(padded, size + 16);
        for (std::size_t i = 0; i < padded; ++i) EXPECT_EQ(values[i], i < size ? 3.0f : -inf);
    }
}

TEST(Select, KthGreatestIsAtMostThat) {
    for (const auto which : families) {
        if (which == family::nan || which == family::all_illegal) continue;  // block maxima are never NaN
        auto values = logits_of(which, 320);
        auto order = values;
        std::sort(order.begin(), order.end(), std::greater<>());
        for (const std::size_t k : {1u, 2u, 10u, 100u, 320u})
            for (const std::size_t slack : {k / 8, std::size_t{0}})
                for (const auto& guess :
                     {std::pair{order.back(), order.front()}, std::pair{-inf, inf}, std::pair{-1e30f, 1e30f},
                      std::pair{90.0f, 91.0f}, std::pair{5.0f, 5.0f}, std::pair{3.0f, -3.0f}})
                    at_every_width([&](int) {
                        const float found =
                            wide::kth_greatest(values.data(), values.size(), k, slack, guess.first, guess.second);
                        EXPECT_LE(found, order[k - 1]);
                        if (order[k - 1] > -inf) {
                            EXPECT_LE(reaching(values, found), std::max(k + slack, reaching(values, order[k - 1])));
                        }
                    });
    }
}

TEST(Select, GroupMaximaAreThoseOfDisjointGroups) {
    each_row([](stored_row& row) {
        at_every_width([&](int width) {
            memory m(row);
            wide::find_max(row.r, m.block_maxima.data(), m.groups.data());
            ASSERT_EQ(wide::group_count(row.r), row.r.blocks() * std::size_t(width));
            for (std::size_t g = 0; g < wide::group_count(row.r); ++g) {
                const float* const block = row.r.block(g / std::size_t(width));
                float greatest = -inf;
                for (std::size_t i = g % std::size_t(width); i < block_size; i += std::size_t(width))
                    if (block[i] > greatest) greatest = block[i];
                ASSERT_EQ(m.groups[g], greatest) << g;
            }
        });
    });
}

TEST(Select, KeepsTheGreatestInTheirOrder) {
    for (const auto which : families)
        for (const std::size_t size : {std::size_t{1}, std::size_t{17}, std::size_t{300}, std::size_t{1000}}) {
            auto logits = logits_of(which, size);
            for (float& logit : logits)
                if (logit != logit) logit = -inf;
            for (const std::size_t k : {std::size_t{1}, std::size_t{10}, (size + 1) / 2, size, size + 5})
                at_every_width([&](int) {
                    std::vector<token_data> tokens;
                    for (std::size_t i = 0; i < size; ++i) tokens.push_back({token_id(3 * i), logits[i], 0.0f});
                    std::vector<token_data> expected = tokens;
                    std::erase_if(expected, [](const token_data& t) { return t.logit == -inf; });
                    std::sort(expected.begin(), expected.end(), before);
                    if (expected.size() > k) expected.resize(k);
                    std::sort(expected.begin(), expected.end(), [](auto& a, auto& b) { return a.id < b.id; });
                    candidates c{tokens.data(), size, -1, false};
                    std::vector<float> memory(size + 16);
                    wide::keep_greatest_in_order(c, k, memory.data());
                    ASSERT_EQ(c.size, expected.size()) << "k = " << k;
                    for (std::size_t i = 0; i < c.size; ++i) {
                        ASSERT_EQ(c[i].id, expected[i].id) << "k = " << k << ", rank " << i;
                        ASSERT_EQ(c[i].logit, expected[i].logit);
                    }
                });
        }
}

}  // namespace
