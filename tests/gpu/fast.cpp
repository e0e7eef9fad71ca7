// numerics::fast on a device: its own exp and log, subgroups. Not the same tokens everywhere, but the same
// distribution.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gpu/device_for_tests.hpp"
#include "reference/rows.hpp"

namespace riffle_tests::gpu_fast {
namespace {

using namespace riffle;

class FastOnDevice : public OnDevice {};

/// How often each token is drawn for one row, by as many sequences; beside what the distribution on the processor says.
template <class Chain>
void expect_distribution(const Chain& chain, std::span<const float> row, const char* what) {
    constexpr std::size_t rows = 256, batches = 24, draws = rows * batches;
    gpu::sampler<Chain> on_device(test_device(), {.vocabulary = std::uint32_t(row.size()), .rows = rows});
    ASSERT_TRUE(on_device.state().ok()) << on_device.state().message().c_str();
    std::vector<std::size_t> counts(row.size());
    for (std::size_t b = 0; b < batches; ++b) {
        std::vector<Chain> chains;
        for (std::size_t r = 0; r < rows; ++r) chains.push_back(chain.fork(std::uint16_t(b * rows + r)));
        std::vector<Chain*> pointers;
        for (auto& c : chains) pointers.push_back(&c);
        std::vector<float> logits;
        for (std::size_t r = 0; r < rows; ++r) logits.insert(logits.end(), row.begin(), row.end());
        std::vector<token_id> tokens(rows);
        on_device.sample(pointers, logits, row.size(), tokens);
        for (const token_id t : tokens) ++counts[std::size_t(t)];
    }
    Chain here = chain;
    const auto distribution = here.distribution(row);
    double chi = 0.0, rest = double(draws), rest_counted = double(draws);
    std::size_t degrees = 0;
    for (const token_data& t : distribution) {
        const double expected = double(t.p) * double(draws), counted = double(counts[std::size_t(t.id)]);
        if (expected < 8.0) continue;
        chi += (counted - expected) * (counted - expected) / expected;
        rest -= expected;
        rest_counted -= counted;
        ++degrees;
    }
    if (rest > 8.0) {
        chi += (rest_counted - rest) * (rest_counted - rest) / rest;
        ++degrees;
    }
    ASSERT_GT(degrees, 5u);
    const double n = double(degrees - 1);
    EXPECT_LT(chi, n + 5.0 * std::sqrt(2.0 * n)) << what << ", " << degrees << " degrees";
}

TEST_F(FastOnDevice, DrawsByTheSameDistribution) {
    const auto row = make_row(shape::random, 700, 3);
    expect_distribution(chain<fast>(temperature{.t = 1.2f}, dist{.seed = 5}), row, "dist over the row");
    expect_distribution(chain<fast>(top_p{.p = 0.9f}, temperature{.t = 1.5f}, dist{.seed = 5}), row, "a nucleus");
    expect_distribution(chain<fast>(min_p{.p = 0.02f}, gumbel{.seed = 5}), row, "gumbel");
    expect_distribution(chain<fast>(top_k{.k = 30}, epsilon_cutoff{.epsilon = 0.01f}, dist{.seed = 5}), row, "cuts");
}
TEST_F(FastOnDevice, FindsTheSameGreatest) {
    auto there = chain<fast>(temperature{.t = 0.7f}, top_k{.k = 10}, greedy{}), here = there;
    gpu::sampler<decltype(there)> on_device(test_device(), {.vocabulary = 3000});
    for (const shape s : all_shapes) {
        const auto row = make_row(s, 3000, 1);
        EXPECT_EQ(on_device.sample(there, row), here.sample(row)) << name_of(s);
    }
}
TEST_F(FastOnDevice, AsksForSubgroupsWhereThereAre) {
    using on_device = gpu::chain_on_device<decltype(chain<fast>(top_k{}, dist{}))>;
    static_assert(!on_device::options.module.precise);
    for (const bool subgroups : {false, true}) {
        if (subgroups && !test_device().context().has_subgroups) continue;
        gpu::device_context context = test_device().context();
        context.has_subgroups = subgroups;
        gpu::kernel kernel;
        EXPECT_TRUE(kernel.create(context, on_device()).ok());
    }
}

}  // namespace
}  // namespace riffle_tests::gpu_fast
