#include <numeric>

#include <riffle/wide/histogram.hpp>

#include "rows.hpp"

namespace {

using namespace riffle;
using namespace riffle_tests;
using bins = std::vector<std::uint64_t>;

std::size_t plain_bucket(const wide::buckets& by, float logit) {
    const float position = (logit - by.low) * by.scale;
    if (!(position > 0.0f)) return 0;
    return position >= float(wide::buckets::count - 1) ? wide::buckets::count - 1 : std::size_t(position);
}

TEST(Histogram, CountsAndWeighsByBucket) {
    each_row([](stored_row& row) {
        each_map([&](const auto& m) {
            const auto logits = mapped(row, m);
            const float top = greatest(logits);
            if (top == -inf) return;
            for (const float low : {top - 20.8f, top, lowest}) {
                const auto by = wide::buckets::between(low, top);
                bins counts(wide::buckets::count, 5), masses(wide::buckets::count, 5);  // it adds to what is there
                for (const float l : logits) {
                    if (l == -inf) continue;
                    ++counts[plain_bucket(by, l)];
                    masses[plain_bucket(by, l)] += fixed_mass_of(l - top);
                }
                bins found(wide::buckets::count, 5);
                wide::count_by_bucket(row.r, row.block_maxima.data(), m.fused_maps, by, found.data());
                EXPECT_EQ(found, counts);
                found.assign(wide::buckets::count, 5);
                wide::mass_by_bucket(row.r, row.block_maxima.data(), lowest, m.fused_maps, by, top, found.data());
                EXPECT_EQ(found, masses);
                at_every_width([&](int) {  // these passes run at one width only, but are right at all
                    using fold_type = std::remove_cvref_t<decltype(m.fused_maps)>;
                    const float* block_maxima = row.block_maxima.data();
                    found.assign(wide::buckets::count, 5);
                    wide::run<wide::histogram_pass<true, fold_type>>(row.r, block_maxima, lowest, m.fused_maps, by, top,
                                                                     found.data());
                    EXPECT_EQ(found, masses);
                });
            }
        });
    });
}

TEST(Histogram, BucketsRiseWithTheLogit) {
    integers random(41);
    for (int round = 0; round < 200; ++round) {
        const float a = canonical(random.any_float()), b = canonical(random.any_float());
        const auto by = wide::buckets::between(std::max(std::min(a, b), lowest), std::max(std::max(a, b), lowest));
        int previous = 0;
        for (std::int64_t key = ordered_key(lowest); key <= ordered_key(greatest_logit); key += 9999991) {
            const int bucket = by.bucket_of(lanes<1>(from_ordered_key(std::int32_t(key))))[0];
            ASSERT_GE(bucket, previous);
            ASSERT_LT(bucket, int(wide::buckets::count));
            previous = bucket;
        }
    }
}

TEST(Histogram, BucketExceedingWalksDown) {
    integers random(42);
    for (int round = 0; round < 100; ++round) {
        bins all(64);
        for (auto& b : all) b = random.below(3) ? 0 : random.below(1000);
        const auto total = std::accumulate(all.begin(), all.end(), std::uint64_t{0});
        for (const std::uint64_t target : {std::uint64_t{0}, total / 3, total - (total > 0), total, total + 9}) {
            std::size_t expected = 0;
            for (std::size_t b = 0; b < all.size(); ++b)
                if (std::accumulate(all.begin() + std::ptrdiff_t(b), all.end(), std::uint64_t{0}) > target)
                    expected = b;
            EXPECT_EQ(wide::bucket_exceeding(all, target), expected);
        }
    }
}

}  // namespace
