// The cliff of min_k against a walk over sorted logits.

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/samplers/parts/cliff.hpp>

#include "integers.hpp"

namespace riffle_tests::samplers_cliff {
namespace {

using namespace riffle;

void expect_found(const std::vector<float>& logits, const std::string& what) {
    std::vector<float> sorted = logits;
    std::sort(sorted.begin(), sorted.end(), std::greater<float>());
    std::size_t rank = 1;
    float height = -1.0f;
    for (std::size_t i = 1; i < sorted.size(); ++i)
        if (const float relative = (sorted[i - 1] - sorted[i]) / float(i); relative > height) {
            height = relative;
            rank = i;
        }
    std::vector<token_data> memory;
    for (std::size_t i = 0; i < logits.size(); ++i) memory.push_back({token_id(i), logits[i], 0.0f});
    candidates c{memory.data(), memory.size(), -1, false};
    const detail::cliff found = detail::cliff::of(c);
    EXPECT_EQ(found.rank, rank) << what;
    EXPECT_EQ(found.edge, sorted[rank - 1]) << what;
    EXPECT_EQ(found.height, height) << what;

    std::vector<token_id> ids;
    for (const auto& token : c) {
        EXPECT_EQ(token.logit, logits[std::size_t(token.id)]) << what;
        ids.push_back(token.id);
    }
    std::sort(ids.begin(), ids.end());
    for (std::size_t i = 0; i < ids.size(); ++i) ASSERT_EQ(ids[i], token_id(i)) << what;
}

TEST(Cliff, IsWhereASortedWalkFindsIt) {
    integers random(5);
    const auto noise = [&] { return float(random.below(1 << 20)) / 65536.0f; };
    for (const std::size_t size : {1u, 2u, 3u, 100u, 512u, 513u, 1000u, 6000u})
        for (int n = 0; n < 8; ++n) {
            std::vector<std::pair<std::string, std::function<float(std::size_t)>>> kinds{
                {"noise", [&](std::size_t) { return noise(); }},
                {"equal", [&](std::size_t) { return 3.0f; }},
                {"two values", [&](std::size_t) { return float(random.below(2)); }},
                {"even steps", [&](std::size_t i) { return float(i) * 0.125f; }},
                {"neighbouring floats", [&](std::size_t i) { return 1.0f + float(i * 7 % size) * 0x1p-23f; }},
                {"two crowds", [&](std::size_t) { return noise() * 0.01f + (random.below(3) ? 10.0f : -20.0f); }},
                {"a growing fall", [&](std::size_t i) { return -float(i) * float(i); }},
                {"one far below", [&](std::size_t i) { return i == size / 2 ? -1e9f : noise(); }},
                {"over all floats", [&](std::size_t) { return (noise() - 8.0f) * 2e37f; }}};
            for (const auto& [name, logit] : kinds) {
                std::vector<float> logits;
                for (std::size_t i = 0; i < size; ++i) logits.push_back(logit(i));
                expect_found(logits, name + ", " + std::to_string(size));
                if (testing::Test::HasFailure()) return;
            }
        }
}

}  // namespace
}  // namespace riffle_tests::samplers_cliff
