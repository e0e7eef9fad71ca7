#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <riffle/explain.hpp>
#include <riffle/riffle.hpp>

#include "chosen_stages.hpp"
#include "surroundings.hpp"

namespace visualiser {

/// One step of a chain, as the page shows it.
struct step_report {
    const std::vector<chosen_stage>& stages;
    std::span<const riffle::token_logprob> ranking;  ///< of the row ahead of the chain
    const riffle::explanation& step;

    /// All of it, with the `shown` likeliest tokens.
    json written(std::size_t shown) const;

    /// The `shown` likeliest tokens of the row, and of what the chain leaves where that has others: id, probability
    /// before, probability in `distribution`, fate. The fate is the index of the stage that removed the token, or
    /// `kept` where none did: tokens that the row itself rules out are not in the ranking.
    json top(std::size_t shown, const std::vector<riffle::token_data>& distribution) const;

private:
    static constexpr int kept = -1;

    int fate(riffle::token_id token) const;
    json written_stage(std::size_t in_chain, std::size_t chosen) const;
    json fallen(std::size_t in_chain) const;
    json curve() const;
};

}  // namespace visualiser
