#pragma once
// A chain with a parameter without meaning: every call answers with the sentence, and changes nothing.

#include <vector>

#include <gtest/gtest.h>

#include <riffle/riffle.hpp>

#include "reference/agreement.hpp"
#include "reference/chain_view.hpp"

namespace riffle_tests {

inline void expect_every_call_refused(chain_view c, const char* sentence) {
    using riffle::null_token;
    const std::vector<float> row{1.0f, 3.0f, 2.0f, 0.5f, -1.0f};
    const std::size_t accepted = c.mark().tokens;
    const auto refused = [&](const char* call) {
        EXPECT_EQ(c.last_status().code(), riffle::status_code::invalid_parameter) << call;
        EXPECT_STREQ(c.last_status().message().c_str(), sentence) << call;
        EXPECT_TRUE(c.survivors().empty()) << call;
        EXPECT_EQ(c.mark().tokens, accepted) << call;
    };
    EXPECT_EQ(c.sample(row), null_token);
    refused("sample");
    EXPECT_EQ(c.last_step().rewind, 0);
    EXPECT_EQ(c.peek(row), null_token);
    refused("peek");
    EXPECT_STREQ(c.try_sample(row).state().message().c_str(), sentence);
    EXPECT_TRUE(c.distribution(row).empty());
    refused("distribution");
    EXPECT_TRUE(c.logprobs(row, 3).empty());
    refused("logprobs");
    EXPECT_EQ(c.sample({}), null_token);
    refused("sample of nothing");
    auto memory = candidates_of(row);
    riffle::candidates all{memory.data(), memory.size(), 2, false};
    EXPECT_STREQ(c.apply(all).message().c_str(), sentence);
    refused("apply");
    EXPECT_EQ(all.selected, -1);  // nothing that an earlier call selected
    ASSERT_EQ(all.size, row.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
        EXPECT_EQ(all[i].id, riffle::token_id(i));
        EXPECT_EQ(all[i].logit, row[i]);
    }
}

}  // namespace riffle_tests
