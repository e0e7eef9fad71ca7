#pragma once
// Whether a chain's fused run over a row, its staged run over candidates and the reference agree, bit for bit.

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/riffle.hpp>

#include "reference/rows.hpp"
#include "reference/stages.hpp"

namespace riffle_tests {

/// The lane widths of this machine; where RIFFLE_TEST_LANES forces one, only that.
inline const std::vector<int>& lane_widths() {
    static const std::vector<int> widths = [] {
        std::vector<int> found;
        const int before = riffle::wide::forced_width;
        for (const int width : {4, 8, 16})
            if (before == 0 ? riffle::wide::force_width(width) : width == before) found.push_back(width);
        riffle::wide::force_width(before);
        return found;
    }();
    return widths;
}

/// Runs passes at one width as long as it lives.
class at_width {
public:
    explicit at_width(int width) : before_(riffle::wide::forced_width) { riffle::wide::force_width(width); }
    at_width(const at_width&) = delete;
    at_width& operator=(const at_width&) = delete;
    ~at_width() { riffle::wide::force_width(before_); }

private:
    int before_;
};

inline std::vector<riffle::token_data> candidates_of(std::span<const float> row) {
    std::vector<riffle::token_data> all;
    all.reserve(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) all.push_back({riffle::token_id(i), row[i], 0.0f});
    return all;
}

/// "" when both hold the same ids with the same logit bits, in whatever order; else the first difference.
inline std::string difference(std::span<const riffle::token_data> found, std::vector<reference::candidate> expected) {
    std::vector<reference::candidate> present;
    for (const auto& token : found) present.push_back({token.id, token.logit});
    const auto by_id = [](const reference::candidate& a, const reference::candidate& b) {
        return a.id != b.id ? a.id < b.id : reference::bits_of(a.logit) < reference::bits_of(b.logit);
    };
    std::sort(present.begin(), present.end(), by_id);
    std::sort(expected.begin(), expected.end(), by_id);
    for (std::size_t i = 0; i < std::min(present.size(), expected.size()); ++i)
        if (present[i].id != expected[i].id ||
            reference::bits_of(present[i].logit) != reference::bits_of(expected[i].logit))
            return reference::print("id %g logit %.9g, expected id %g logit %.9g", present[i].id,
                                    double(present[i].logit), expected[i].id, double(expected[i].logit));
    if (present.size() != expected.size())
        return reference::print("%g survivors, expected %g", double(present.size()), double(expected.size()));
    return "";
}

/// survivors() must be in the order of ranks, with p = w / S.
inline std::string difference_of_law(std::span<const riffle::token_data> survivors) {
    std::uint64_t total = 0;
    for (const auto& s : survivors) total += reference::fixed_mass(reference::rounded(s.logit - survivors[0].logit));
    for (std::size_t i = 0; i < survivors.size(); ++i) {
        if (i > 0 &&
            !reference::by_rank({survivors[i - 1].id, survivors[i - 1].logit}, {survivors[i].id, survivors[i].logit}))
            return reference::print("survivor %g is out of order", double(i));
        const auto w = reference::fixed_mass(reference::rounded(survivors[i].logit - survivors[0].logit));
        if (survivors[i].p != float(double(w) / double(total)))
            return reference::print("survivor %g has p = %.9g", double(i), double(survivors[i].p));
    }
    return "";
}

/// One row through a chain (given by its table and state, so that this is compiled once) and through the reference.
/// Returns the token; failures are reported through GoogleTest.
inline riffle::token_id expect_agreement(const riffle::stage_table& table, riffle::chain_state& state,
                                         const reference::model& model, std::span<const float> row,
                                         const std::string& what) {
    const reference::state_between expected = model.run(row);
    const auto where = [&] {
        return what + ", " + std::to_string(row.size()) + " logits, position " + std::to_string(model.now.at.position) +
               ": " + reference::describe(model);
    };

    std::vector<riffle::token_data> memory = candidates_of(row);
    riffle::candidates staged{memory.data(), memory.size(), -1, false};
    const riffle::status applied = state.apply(table, staged);
    const bool selecting = reference::selects(model.stages.back());
    EXPECT_EQ(applied.code(),
              selecting && expected.token < 0 ? riffle::status_code::no_legal_token : riffle::status_code::ok)
        << "staged, " << where();
    EXPECT_EQ(difference({staged.data, staged.size}, expected.left), "") << "staged, " << where();
    const riffle::token_id staged_token =
        staged.selected < 0 ? riffle::null_token : staged[std::size_t(staged.selected)].id;
    EXPECT_EQ(staged_token, expected.token) << "staged, " << where();
    if (!selecting) return expected.token;

    const riffle::plan& plan = table.plan_for(table.bridge(row.size()));
    for (const int width : lane_widths()) {
        const at_width forced(width);
        const auto fused_where = [&] { return "fused, " + std::to_string(width) + " lanes, " + where(); };
        EXPECT_EQ(state.peek(table, row), expected.token) << fused_where();
        EXPECT_EQ(state.last_status().code(),
                  expected.token < 0 ? riffle::status_code::no_legal_token : riffle::status_code::ok)
            << fused_where();
        if (expected.token < 0) {
            EXPECT_TRUE(state.survivors().empty()) << fused_where();
            continue;
        }
        if (plan.has(riffle::pass::mass) && plan.has(riffle::pass::pick)) {
            EXPECT_EQ(state.machine().total_mass(), expected.mass) << fused_where();
        }
        const auto survivors = state.survivors();
        EXPECT_FALSE(survivors.empty()) << fused_where();
        if (survivors.empty()) continue;
        EXPECT_EQ(difference_of_law(survivors), "") << fused_where();
        if (plan.has(riffle::pass::pick)) {  // nothing but the token was materialised
            EXPECT_EQ(survivors.size(), 1u) << fused_where();
            EXPECT_EQ(survivors[0].id, expected.token) << fused_where();
            const auto same_id = [&](const reference::candidate& c) { return c.id == expected.token; };
            const auto chosen = std::find_if(expected.left.begin(), expected.left.end(), same_id);
            EXPECT_EQ(reference::bits_of(survivors[0].logit), reference::bits_of(chosen->logit)) << fused_where();
        } else {
            EXPECT_EQ(difference(survivors, expected.left), "") << fused_where();
        }
    }
    return expected.token;
}

/// The same for several steps: what is sampled is accepted everywhere.
inline void expect_agreement_for(std::size_t steps, riffle::stage_table& table, riffle::chain_state& state,
                                 reference::model& model, std::span<const float> row, const std::string& what) {
    for (std::size_t step = 0; step < steps && !testing::Test::HasFailure(); ++step) {
        const riffle::token_id token = expect_agreement(table, state, model, row, what);
        const riffle::token_id accepted = token < 0 ? riffle::token_id(step % 7) : token;
        state.accept(table, accepted);
        model.accept(accepted);
    }
}

/// Typed chains: the table and state of `chain` against the reference.
template <class Chain>
void expect_chain_agreement(Chain& chain, reference::model& model, std::span<const float> row, const std::string& what,
                            std::size_t steps = 1) {
    auto&& table = chain.table();
    expect_agreement_for(steps, table, chain.state(), model, row, what);
}

}  // namespace riffle_tests
