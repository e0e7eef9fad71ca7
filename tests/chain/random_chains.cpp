// Longer chains, put together at random at run time: fused, staged and reference agree.

#include <cstddef>
#include <vector>

#include "chain/random_stages.hpp"

namespace riffle_tests::chain_random_chains {
namespace {

using namespace riffle;

run_time_chain random_chain(random_integers& random, std::size_t stages) {
    run_time_chain both;
    for (std::size_t i = 0; i + 1 < stages; ++i) both.push(random_stage(random));
    both.push(random_selector(random));
    both.start();
    return both;
}

void expect_random_chains_agree(std::uint64_t seed, std::size_t chains, std::span<const std::size_t> sizes,
                                std::size_t rows) {
    random_integers random(seed);
    for (std::size_t n = 0; n < chains; ++n) {
        run_time_chain both = random_chain(random, 2 + random.below(7));
        for (std::size_t r = 0; r < rows; ++r) {
            const shape s = all_shapes[random.below(all_shapes.size())];
            const auto row = make_row(s, sizes[random.below(sizes.size())], random.next());
            both.expect_agreement(2, row, std::string(name_of(s)) + ", chain " + std::to_string(n));
            if (testing::Test::HasFailure()) return;
        }
    }
}

TEST(RandomChains, ShortRows) {
    expect_random_chains_agree(1, how_many(3000, 1500000, "random chains, 4 rows each"), short_sizes, 4);
}

TEST(RandomChains, RowsOfThousands) {
    constexpr std::array<std::size_t, 4> sizes{4096, 5000, 8191, 32000};
    expect_random_chains_agree(2, how_many(60, 50000, "random chains, 2 rows each"), sizes, 2);
}

TEST(RandomChains, RowsOfAQuarterMillion) {
    constexpr std::array<std::size_t, 2> sizes{262144, 262001};
    expect_random_chains_agree(3, how_many(3, 2500, "random chains, a row each"), sizes, 1);
}

}  // namespace
}  // namespace riffle_tests::chain_random_chains
