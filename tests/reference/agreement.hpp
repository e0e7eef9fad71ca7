#pragma once
// Whether a chain's fused run over a row, its staged run over candidates and the reference agree, bit for bit.

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/riffle.hpp>

#include "reference/chain_view.hpp"
#include "reference/rows.hpp"
#include "reference/stages.hpp"

// The machine of all chains is compiled once, in agreement.cpp.
extern template class riffle::basic_cpu_machine<riffle::stage_list>;
extern template class riffle::basic_chain_state<riffle::cpu_machine>;

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
std::string difference(std::span<const riffle::token_data> found, std::vector<reference::candidate> expected);
/// Of those that weigh something alone: a distribution that was taken from the row has no others.
std::string difference_in_distribution(std::span<const riffle::token_data> found,
                                       std::vector<reference::candidate> expected);

/// One row through a chain, given by its stages and state, and through the reference. Returns the token; failures are
/// reported through GoogleTest.
riffle::token_id expect_agreement(const riffle::stage_list& stages, riffle::chain_state& state,
                                  const reference::model& model, std::span<const float> row, const std::string& what);

/// A prompt, with repetitions and a token beyond most rows.
inline const std::vector<riffle::token_id> short_prompt{1, 5, 3, 5, 0, 700, 1, 1};
/// Both at the beginning, behind that prompt.
void start(chain_view chain, reference::model& model);

/// The same for several steps: what is sampled is accepted everywhere, and taken back where a stage asks for it (but
/// for every third place, where it stays).
void expect_steps_agree(chain_view chain, reference::model& model, std::span<const float> row, const std::string& what,
                        std::size_t steps);
template <class Chain>
void expect_chain_agreement(Chain& chain, reference::model& model, std::span<const float> row, const std::string& what,
                            std::size_t steps = 1) {
    expect_steps_agree(view_of(chain), model, row, what, steps);
}

/// Rows of every family in each of these sizes, from the beginning for each row.
void expect_agreement_on_all_shapes(chain_view chain, reference::model& model, std::span<const std::size_t> sizes,
                                    std::size_t steps);

}  // namespace riffle_tests
