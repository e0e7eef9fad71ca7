// Longer chains, put together at random at run time: fused, staged and reference agree.

#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include "chain/pairs.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;
using reference::any_spec;

template <class Stage>
any_spec any_variant(integers& random) {
    const auto all = variants_of<Stage>();
    return all[random.below(all.size())];
}

/// Between 0 and `most`, in steps of 1 / 1024.
float random_share(integers& random, float most) { return float(random.below(1025)) * (most / 1024.0f); }

any_spec random_stage(integers& random) {
    switch (random.below(16)) {
    case 10: return temperature{random_share(random, 4.0f) + 0.01f};
    case 11: return soft_cap{random_share(random, 40.0f)};
    case 12: return top_k{std::int32_t(random.below(1200))};
    case 13: return top_p{random_share(random, 1.0f), random.below(8)};
    case 14: return min_p{random_share(random, 1.0f), random.below(8)};
    case 15: return top_n_sigma{random_share(random, 4.0f)};
    case 0:
    case 1: return any_variant<riffle::temperature>(random);
    case 2: return any_variant<riffle::soft_cap>(random);
    case 3: return any_variant<riffle::top_k>(random);
    case 4: return any_variant<riffle::top_p>(random);
    case 5: return any_variant<riffle::min_p>(random);
    case 6: return any_variant<riffle::top_n_sigma>(random);
    case 7: return any_variant<riffle::logit_bias>(random);
    case 8: return any_variant<riffle::penalties>(random);
    default: return any_variant<riffle::mask>(random);
    }
}
any_spec random_selector(integers& random) {
    switch (random.below(5)) {
    case 0: return riffle::greedy{};
    case 1:
    case 2: return riffle::gumbel{random.next()};
    default: return riffle::dist{random.next()};
    }
}

struct pair_of_chains {
    riffle::dynamic_chain chain;
    reference::model model;

    void push(const any_spec& stage) {
        model.stages.push_back(stage);
        std::visit([&](const auto& spec) { ASSERT_TRUE(chain.push(spec)); }, stage);
    }
};

pair_of_chains random_chain(integers& random, std::size_t stages) {
    pair_of_chains both;
    for (std::size_t i = 0; i + 1 < stages; ++i) both.push(random_stage(random));
    both.push(random_selector(random));
    both.chain.prompt(short_prompt);
    both.model.prompt(short_prompt);
    return both;
}

void expect_random_chains_agree(std::uint64_t seed, std::size_t chains, std::span<const std::size_t> sizes,
                                std::size_t rows) {
    integers random(seed);
    for (std::size_t n = 0; n < chains; ++n) {
        pair_of_chains both = random_chain(random, 2 + random.below(7));
        for (std::size_t r = 0; r < rows; ++r) {
            const shape s = all_shapes[random.below(all_shapes.size())];
            const auto row = make_row(s, sizes[random.below(sizes.size())], random.next());
            expect_agreement_for(2, both.chain.table(), both.chain.state(), both.model, row,
                                 std::string(name_of(s)) + ", chain " + std::to_string(n));
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
}  // namespace riffle_tests
