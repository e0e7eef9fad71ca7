// Chains put together at random, with random parameters: the device, the processor's stages, and what is left between.

#include <array>
#include <string>
#include <variant>
#include <vector>

#include "chain/random_stages.hpp"
#include "gpu/agreement.hpp"
#include "long_run.hpp"

namespace riffle_tests::gpu_random_chains {
namespace {

using namespace riffle;

class RandomChainsOnDevice : public OnDevice {};

using stages = std::vector<reference::any_spec>;

stages random_stages(random_integers& random) {
    stages all;
    const std::size_t count = 1 + random.below(7);
    for (std::size_t i = 0; i < count; ++i) all.push_back(random_stage(random));
    all.push_back(random_selector(random));
    return all;
}
/// Stages of the same types with other parameters.
stages like(const stages& some, random_integers& random) {
    stages all = some;
    for (std::size_t i = 0; i < all.size(); ++i)
        for (int tries = 0; tries < 100; ++tries) {
            auto other = i + 1 < all.size() ? random_stage(random) : random_selector(random);
            if (other.index() != all[i].index()) continue;
            all[i] = std::move(other);
            break;
        }
    return all;
}
dynamic_chain chain_of(const stages& some) {
    dynamic_chain chain;
    for (const auto& stage : some) std::visit([&](const auto& s) { (void)chain.push(s); }, stage);
    (void)chain.prompt(short_prompt);
    return chain;
}

/// Chains of which the device has something to do, until there were so many. A kernel serves all chains of its types,
/// and takes the driver a second to compile, so there are `alike` chains to each.
void expect_chains_agree(std::uint64_t seed, std::size_t count, std::size_t alike, std::span<const std::size_t> sizes,
                         int rows) {
    random_integers random(seed);
    for (std::size_t n = 0; n < count;) {
        const stages first = random_stages(random);
        dynamic_chain chain = chain_of(first);
        const std::uint32_t group_size = 256u << random.below(3);
        device_chain on_device(chain, sizes.back(), group_size, 300);
        if (!on_device.plan().is_useful()) continue;
        for (std::size_t a = 0; a < alike; ++a, ++n) {
            if (a > 0) chain = chain_of(like(first, random));
            if (!chain.last_status().ok()) continue;
            for (int r = 0; r < rows; ++r) {
                const shape s = all_shapes[random.below(all_shapes.size())];
                const auto row = make_row(s, sizes[random.below(sizes.size())], random.next());
                std::string what = std::string(name_of(s)) + " " + std::to_string(row.size()) + ", chain " +
                                   std::to_string(n) + ", group of " + std::to_string(group_size) + ":";
                for (std::size_t i = 0; i < chain.view().size(); ++i) what += std::string(" ") + chain.view().name(i);
                on_device.want(riffle::gpu::wanted(random.below(3)));
                on_device.expect_agreement(row, what);
                if (testing::Test::HasFailure()) return;
            }
        }
    }
}

TEST_F(RandomChainsOnDevice, ShortRows) {
    constexpr std::array<std::size_t, 6> sizes{1, 2, 64, 300, 1000, 1500};
    expect_chains_agree(1, how_many(450, 4500, "random chains on the device, 4 rows each"), 10, sizes, 4);
}
TEST_F(RandomChainsOnDevice, LongRows) {
    constexpr std::array<std::size_t, 3> sizes{32000, 128256, 262144};
    expect_chains_agree(2, how_many(50, 500, "random chains on the device, 2 long rows each"), 5, sizes, 2);
}

}  // namespace
}  // namespace riffle_tests::gpu_random_chains
