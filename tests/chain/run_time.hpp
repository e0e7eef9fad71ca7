#pragma once
// Chains put together at run time beside the reference's, and every stage with each of its variants. (What knows all
// stages is compiled once, in run_time.cpp.)

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/riffle.hpp>

#include "chain/pairs.hpp"

namespace riffle_tests {

riffle::status push_to(riffle::dynamic_chain& chain, const reference::any_spec& stage);

struct run_time_chain {
    riffle::dynamic_chain chain;
    reference::model model;

    void push(const reference::any_spec& stage);
    void start() { riffle_tests::start(view_of(chain), model); }
    void expect_agreement(std::size_t steps, std::span<const float> row, const std::string& what) {
        expect_chain_agreement(chain, model, row, what, steps);
    }
};

/// The variants of every type of stage, in the order of any_spec: the selectors first.
const std::vector<std::vector<reference::any_spec>>& all_variants();

}  // namespace riffle_tests
