#include <algorithm>

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
        : peaks(row.peaks), groups((row.r.blocks() + 1) * 16), bins(wide::buckets::count) {}
    std::vector<float> peaks, groups;
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
                const float bound =
                    wide::bound_of_rank(row.r, m.peaks.data(), k, canonical(top), m.groups.data(), m.bins.data());
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
            const float bound =
                wide::bound_of_rank(row.r, m.peaks.data(), k, greatest(row.logits), m.groups.data(), m.bins.data());
            EXPECT_LE(reaching(row.logits, bound), 3 * k + 200) << "k = " << k;
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
                    const float raw = wide::bound_of_rank(row.r, m.peaks.data(), k, canonical(raw_top), m.groups.data(),
                                                          m.bins.data());
                    std::vector<token_data> out(row.r.blocks() * 256);
                    candidates found{out.data(), 0, -1, false};
                    wide::find_greatest(row.r, row.peaks.data(), k, through.raw_cut(maps.one(raw)), through, found);
                    ASSERT_LE(found.size, out.size());
                    found.keep_greatest(k);
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
        const std::size_t padded = wide::pad_peaks(values.data(), size);
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
            at_every_width([&](int) {
                const float found = wide::kth_greatest(values.data(), values.size(), k);
                EXPECT_LE(found, order[k - 1]);
                if (order[k - 1] > -inf) {
                    EXPECT_LE(reaching(values, found), std::max(k + k / 8, reaching(values, order[k - 1])));
                }
            });
    }
}

}  // namespace
