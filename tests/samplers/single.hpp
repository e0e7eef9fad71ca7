#pragma once
// What the tests of single samplers share.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/riffle.hpp>

#include "long_run.hpp"
#include "not_a_number.hpp"
#include "reference/agreement.hpp"
#include "reference/variants.hpp"

namespace riffle_tests {

/// Every variant of a stage that does not select: its narrow form alone, and narrow and wide form in front of dist.
template <class Stage>
void expect_stage_agrees(const std::vector<Stage>& variants, std::span<const std::size_t> sizes) {
    for (const Stage& stage : variants) {
        auto alone = riffle::chain(stage);
        auto drawn = riffle::chain(stage, riffle::dist{.seed = 5});
        reference::model model_alone{{stage}, {}}, model_drawn{{stage, riffle::dist{.seed = 5}}, {}};
        expect_agreement_on_all_shapes(view_of(alone), model_alone, sizes, 1);
        expect_agreement_on_all_shapes(view_of(drawn), model_drawn, sizes, 2);
        if (testing::Test::HasFailure()) return;
    }
}
inline constexpr std::array<std::size_t, 7> sizes_of_a_thousand{1, 2, 31, 255, 256, 257, 1000};

/// The same over rows as long as vocabularies are, a few of each family.
template <class Stage>
void expect_stage_agrees_on_long_rows(const std::vector<Stage>& variants) {
    std::size_t turn = 0;
    for (const Stage& stage : variants) {
        auto drawn = riffle::chain(stage, riffle::dist{.seed = 5});
        reference::model model{{stage, riffle::dist{.seed = 5}}, {}};
        const std::size_t rows = how_many(3, 3 * all_shapes.size(), "rows for each variant");
        for (std::size_t n = 0; n < rows; ++n) {
            const shape s = all_shapes[turn++ % all_shapes.size()];
            start(view_of(drawn), model);
            expect_chain_agreement(drawn, model, make_row(s, turn % 4 == 0 ? 262144 : 32000, turn), name_of(s));
            if (testing::Test::HasFailure()) return;
        }
    }
}

/// Logits of these probabilities.
inline std::vector<float> logits_of(std::initializer_list<double> probabilities) {
    std::vector<float> row;
    for (const double p : probabilities) row.push_back(float(std::log(p)));
    return row;
}

inline std::vector<riffle::token_id> ids_of(std::span<const riffle::token_data> tokens) {
    std::vector<riffle::token_id> ids;
    for (const auto& token : tokens) ids.push_back(token.id);
    std::sort(ids.begin(), ids.end());
    return ids;
}
/// What a chain leaves of a row when it is asked for a token, by id.
template <class Chain>
std::vector<riffle::token_id> wide_survivors_of(Chain chain, std::span<const float> row) {
    chain.peek(row);
    return ids_of(chain.survivors());
}
/// What a chain leaves of the candidates of a row.
inline std::vector<riffle::token_data> applied(chain_view chain, std::span<const float> row) {
    auto memory = candidates_of(row);
    riffle::candidates c{memory.data(), memory.size(), -1, false};
    EXPECT_TRUE(chain.apply(c));
    memory.resize(c.size);
    return memory;
}

/// The logits that a stage's narrow form leaves, by id; -inf for those it drops.
template <class Stage>
std::vector<float> logits_after(const Stage& stage, std::span<const float> row) {
    auto chain = riffle::chain(stage);
    std::vector<float> logits(row.size(), -infinity);
    for (const auto& token : applied(view_of(chain), row)) logits[std::size_t(token.id)] = token.logit;
    return logits;
}

/// The logits of tokens 0 ... size - 1 behind a stage that edits, all 0 before, after a prompt.
template <class Stage>
std::vector<float> logits_behind(const Stage& stage, const std::vector<riffle::token_id>& prompt, std::size_t size) {
    auto narrow = riffle::chain(stage);
    auto wide = riffle::chain(stage, riffle::top_k{1000000}, riffle::greedy{});
    narrow.prompt(prompt);
    wide.prompt(prompt);
    const std::vector<float> row(size, 0.0f);
    std::vector<float> logits(size, -infinity), of_row(size, -infinity);
    for (const auto& token : applied(view_of(narrow), row)) logits[std::size_t(token.id)] = token.logit;
    wide.peek(row);
    for (const auto& token : wide.survivors()) of_row[std::size_t(token.id)] = token.logit;
    EXPECT_EQ(of_row, logits);
    return logits;
}

/// Ids in ascending order after a stage's narrow form.
template <class Stage>
std::vector<riffle::token_id> survivors_of(const Stage& stage, std::span<const float> row) {
    auto chain = riffle::chain(stage);
    return ids_of(applied(view_of(chain), row));
}
inline bool is_subset(const std::vector<riffle::token_id>& part, const std::vector<riffle::token_id>& whole) {
    return std::includes(whole.begin(), whole.end(), part.begin(), part.end());
}

/// A second application changes nothing.
template <class Stage>
void expect_idempotent(const std::vector<Stage>& variants) {
    for (const Stage& stage : variants)
        for (const shape s : all_shapes) {
            auto chain = riffle::chain(stage);
            auto memory = candidates_of(make_row(s, 300, 17));
            riffle::candidates c{memory.data(), memory.size(), -1, false};
            chain.apply(c);
            std::vector<reference::candidate> once;
            for (const auto& token : c) once.push_back({token.id, token.logit});
            chain.apply(c);
            EXPECT_EQ(difference({c.data, c.size}, once), "") << reference::describe(stage) << ", " << name_of(s);
        }
}

/// The variants of a stage in rising order keep more and more.
template <class Stage>
void expect_monotone(const std::vector<Stage>& rising) {
    for (const shape s : all_shapes) {
        const auto row = make_row(s, 700, 21);
        for (std::size_t i = 0; i + 1 < rising.size(); ++i)
            EXPECT_TRUE(is_subset(survivors_of(rising[i], row), survivors_of(rising[i + 1], row)))
                << reference::describe(rising[i]) << " keeps what " << reference::describe(rising[i + 1]) << " drops, "
                << name_of(s);
    }
}

}  // namespace riffle_tests
