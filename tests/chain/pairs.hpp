#pragma once
// Every ordered pair of stages as a type, a selector behind when neither selects: fused, staged and reference agree
// over all families of rows, all lane widths and several steps.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/riffle.hpp>

#include "long_run.hpp"
#include "reference/agreement.hpp"
#include "reference/variants.hpp"

namespace riffle_tests {

inline constexpr std::array<std::size_t, 9> short_sizes{1, 2, 31, 255, 256, 257, 300, 600, 1000};

/// Puts parameters into a stage of a typed chain and of the reference alike.
template <std::size_t I, class Chain, class Stage>
void set_stage(Chain& chain, reference::model& model, const Stage& stage) {
    riffle::get<I>(chain) = stage;
    model.stages[I] = stage;
}

/// A chain of these types, all combinations of their variants, each with a few rows of the families in turn.
template <class... Stages>
void expect_all_variants_agree() {
    auto chain = riffle::chain(variants_of<Stages>()[0]...);
    reference::model model{{variants_of<Stages>()[0]...}, {}};
    view_of view(chain);
    random_integers random(sizeof...(Stages) + sizeof(chain));
    const std::size_t rows_each = how_many(3, 1000, "rows for each combination of variants");
    const std::array<std::size_t, sizeof...(Stages)> counts{variants_of<Stages>().size()...};
    std::size_t combinations = 1;
    for (const std::size_t count : counts) combinations *= count;
    std::size_t next_shape = random.below(all_shapes.size());
    for (std::size_t combination = 0; combination < combinations; ++combination) {
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            std::size_t rest = combination;
            (
                [&] {
                    set_stage<I>(chain, model, variants_of<Stages>()[rest % counts[I]]);
                    rest /= counts[I];
                }(),
                ...);
        }(std::index_sequence_for<Stages...>());
        start(view, model);
        for (std::size_t n = 0; n < rows_each; ++n) {
            const shape s = all_shapes[next_shape++ % all_shapes.size()];
            const std::size_t size = short_sizes[random.below(short_sizes.size())];
            expect_steps_agree(view, model, make_row(s, size, random.next()), name_of(s), 2);
            if (testing::Test::HasFailure()) return;
        }
    }
}

/// First, then every other stage, then dist; and First directly before each selector. (The other selectors behind every
/// pair would triple what the compiler has to do, and find the same candidates.)
template <class First, class... Seconds>
void expect_pairs_agree() {
    expect_all_variants_agree<First, riffle::greedy>();
    expect_all_variants_agree<First, riffle::dist>();
    expect_all_variants_agree<First, riffle::gumbel>();
    (expect_all_variants_agree<First, Seconds, riffle::dist>(), ...);
}
template <class First>
void expect_pairs_of_agree() {
    expect_pairs_agree<First, riffle::temperature, riffle::soft_cap, riffle::top_k, riffle::top_p, riffle::min_p,
                       riffle::top_n_sigma, riffle::logit_bias, riffle::penalties, riffle::mask>();
}

}  // namespace riffle_tests
