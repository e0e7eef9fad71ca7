// The peer's sorts, with what they make of equal logits: ours against the host's std::sort and std::partial_sort over
// the same elements, called as llama.cpp calls them. Then its softmax against a plain loop.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/exact/softmax.hpp>
#include <riffle/exact/sort.hpp>

#include "integers.hpp"
#include "lane_widths.hpp"

namespace riffle_tests::exact_sorts {
namespace {

using namespace riffle;
using exact::ranked;

constexpr float infinity = std::numeric_limits<float>::infinity();

// ---- introsort

void expect_order_of_std_sort(const std::vector<float>& keys) {
    std::vector<ranked> expected(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) expected[i] = {keys[i], std::uint32_t(i)};
    std::vector<ranked> sorted = expected;
    sorted.resize(keys.size() + exact::introsort_padding, {infinity, 0xffffffffu});
    std::sort(expected.begin(), expected.end(), exact::greater_key);
    exact::introsort(sorted.data(), keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i)
        if (sorted[i].place != expected[i].place || sorted[i].key != expected[i].key)
            FAIL() << i << " of " << keys.size() << ": " << sorted[i].place << " for " << expected[i].place;
    for (std::size_t i = keys.size(); i < sorted.size(); ++i) ASSERT_EQ(sorted[i].place, 0xffffffffu) << "padding";
}

std::vector<float> keys_of_kind(std::uint32_t kind, std::size_t size, integers& random) {
    std::vector<float> keys(size);
    for (std::size_t i = 0; i < size; ++i) {
        const auto up = float(i), down = float(size - i);
        switch (kind) {
        case 0: keys[i] = random.real(-100, 100); break;
        case 1: keys[i] = float(random.below(8)); break;
        case 2: keys[i] = 1.0f; break;
        case 3: keys[i] = up; break;
        case 4: keys[i] = down; break;
        case 5: keys[i] = std::min(up, down); break;
        case 6: keys[i] = std::max(up, down); break;
        case 7: keys[i] = float(random.below(300)) - 150.0f; break;
        case 8: keys[i] = random.below(9) ? -infinity : random.real(-1, 1); break;
        default: keys[i] = random.below(2) ? infinity : -0.0f * float(random.below(2));
        }
    }
    return keys;
}
constexpr std::uint32_t kinds = 10;

TEST(IntroSort, LeavesEqualsAsStdSortDoes) {
    at_every_width([](int) {
        integers random(41);
        for (std::size_t size = 0; size < 300; ++size)
            for (std::uint32_t kind = 0; kind < kinds && !testing::Test::HasFatalFailure(); ++kind)
                expect_order_of_std_sort(keys_of_kind(kind, size, random));
        for (int round = 0; round < 600 && !testing::Test::HasFatalFailure(); ++round)
            expect_order_of_std_sort(keys_of_kind(random.below(kinds), random.below(6000), random));
        for (std::uint32_t kind = 0; kind < kinds && !testing::Test::HasFatalFailure(); ++kind)
            expect_order_of_std_sort(keys_of_kind(kind, 128256, random));
    });
}

/// Keys that make every partition of std::sort split off little, found by answering its comparisons so (M. McIlroy, "A
/// Killer Adversary for Quicksort", 1999).
std::vector<float> killer(std::size_t size) {
    const auto undecided = float(size);
    std::vector<float> keys(size, undecided);
    std::vector<std::size_t> order(size);
    std::iota(order.begin(), order.end(), std::size_t{0});
    float decided = 0.0f;
    std::size_t candidate = 0;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        if (keys[a] == undecided && keys[b] == undecided) keys[a == candidate ? a : b] = decided++;
        if (keys[a] == undecided) candidate = a;
        else if (keys[b] == undecided) candidate = b;
        return keys[a] < keys[b];
    });
    for (float& key : keys) key = -key;
    return keys;
}
TEST(IntroSort, GoesOnByHeapWhereStdSortDoes) {
    at_every_width([](int) {
        for (const std::size_t size : {100u, 1000u, 5000u}) {
            auto keys = killer(size);
            expect_order_of_std_sort(keys);
            for (float& key : keys) key = std::floor(key / 4);  // with equals
            expect_order_of_std_sort(keys);
        }
    });
}

// ---- the sorts of llama.cpp

bool before(const token_data& a, const token_data& b) { return a.logit > b.logit; }

int bucket_of_llama(float logit) {
    const float scaled = (128.0f / 20.0f) * logit + 64.0f;
    const int bucket = std::abs(scaled) < 2e9f ? int(scaled) : std::numeric_limits<int>::min();
    return std::min(127, std::max(0, bucket));
}
/// llama_token_data_array_partial_sort, as it is described in the project's notes on llama.cpp: up to 128 by
/// std::partial_sort, more through 128 buckets.
std::vector<token_data> sorted_as_llama(std::vector<token_data> all, std::size_t count) {
    if (count <= 128) {
        std::partial_sort(all.begin(), all.begin() + std::ptrdiff_t(count), all.end(), before);
    } else {
        std::array<std::vector<token_data>, 128> buckets;
        for (const auto& token : all) buckets[std::size_t(bucket_of_llama(token.logit))].push_back(token);
        all.clear();
        for (std::size_t i = 128; i-- > 0 && all.size() < count;) {
            auto& bucket = buckets[i];
            if (all.size() + bucket.size() < count) std::sort(bucket.begin(), bucket.end(), before);
            else
                std::partial_sort(bucket.begin(), bucket.begin() + std::ptrdiff_t(count - all.size()), bucket.end(),
                                  before);
            all.insert(all.end(), bucket.begin(), bucket.end());
        }
    }
    all.resize(count);
    return all;
}

std::vector<token_data> tokens_of(const std::vector<float>& logits, integers& random) {
    std::vector<token_data> tokens(logits.size());
    for (std::size_t i = 0; i < logits.size(); ++i)
        tokens[i] = {token_id(i), logits[i], float(random.below(1000)) * 0.001f};
    return tokens;
}
bool same_bits(const token_data& a, const token_data& b) {
    return a.id == b.id && std::memcmp(&a.logit, &b.logit, sizeof(float)) == 0 &&
           std::memcmp(&a.p, &b.p, sizeof(float)) == 0;
}

TEST(KeepFirstSorted, KeepsWhatLlamaCppKeeps) {
    at_every_width([](int) {
        integers random(42);
        exact::workspace memory;
        for (int round = 0; round < 1500; ++round) {
            const std::size_t size = 1 + random.below(random.below(4) ? 700 : 9000);
            auto logits = keys_of_kind(random.below(kinds), size, random);
            const float scale = random.below(2) ? 1.0f : 0.02f;  // within one bucket, or among many
            for (float& logit : logits) logit *= scale;
            const auto tokens = tokens_of(logits, random);
            const std::size_t count = random.below(3) ? 1 + random.below(std::uint32_t(size)) : size;
            const auto expected = sorted_as_llama(tokens, count);

            auto kept = tokens;
            candidates c{kept.data(), kept.size(), -1, false};
            ASSERT_EQ(exact::keep_first_sorted(c, count, memory), status_code::ok);
            ASSERT_TRUE(c.sorted);
            ASSERT_EQ(c.size, count);
            for (std::size_t i = 0; i < count; ++i) ASSERT_TRUE(same_bits(c[i], expected[i])) << i << " of " << size;
        }
    });
}
TEST(KeepFirstSorted, RefusesNaN) {
    exact::workspace memory;
    for (const std::size_t count : {1u, 128u, 129u, 500u})
        for (const std::size_t at : {0u, 1u, 77u, 499u}) {
            std::vector<token_data> tokens(500, {0, 1.0f, 0.0f});
            tokens[at].logit = std::numeric_limits<float>::quiet_NaN();
            candidates c{tokens.data(), tokens.size(), -1, false};
            EXPECT_EQ(exact::keep_first_sorted(c, count, memory), status_code::no_legal_token);
        }
}

// ---- softmax

TEST(ExactSoftmax, IsAPlainLoop) {
    at_every_width([](int) {
        integers random(43);
        for (int round = 0; round < 1500; ++round) {
            const std::size_t size = 1 + random.below(1200);
            auto logits = keys_of_kind(random.below(kinds), size, random);
            if (random.below(8) == 0) logits[random.below(std::uint32_t(size))] = random.any_float();
            auto expected = tokens_of(logits, random), tokens = expected;
            const bool sorted = random.below(4) == 0;  // believed, whether it is true or not

            float maximum = expected[0].logit, sum = 0.0f;
            for (const auto& token : expected)
                if (!sorted && maximum < token.logit) maximum = token.logit;
            for (auto& token : expected) sum += token.p = exact::libm::exp(token.logit - maximum);
            for (auto& token : expected) token.p /= sum;

            candidates c{tokens.data(), tokens.size(), -1, sorted};
            ASSERT_EQ(exact::softmax(c), status_code::ok);
            for (std::size_t i = 0; i < size; ++i) {
                if (expected[i].p != expected[i].p) {
                    ASSERT_TRUE(tokens[i].p != tokens[i].p) << i;
                } else {
                    ASSERT_TRUE(same_bits(tokens[i], expected[i])) << i << " of " << size;
                }
            }
        }
    });
}

}  // namespace
}  // namespace riffle_tests::exact_sorts
