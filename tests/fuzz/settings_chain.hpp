#pragma once
// What holds for the chain of any settings that could be read.

#include <cstddef>
#include <vector>

#include <riffle/settings.hpp>

#include "fuzz/fuzz.hpp"

namespace riffle_tests::fuzz {

/// Where a chain can be built, it draws tokens of the row or says why not.
inline void must_sample(riffle::chain_settings& settings) {
    riffle::dynamic_chain chain;
    if (!settings.build(chain).ok()) return;
    std::vector<float> row(300);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = float(i * 37 % 101) / 8.0f;
    for (int step = 0; step < 3; ++step) {
        const riffle::token_id token = chain.sample(row);
        must_be_token_of(token, row, chain.last_status());
    }
}

}  // namespace riffle_tests::fuzz
