// Explaining a chain under numerics::llama: nothing is drawn and nothing learned by it.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/explain.hpp>
#include <riffle/llama_exact.hpp>

#include "integers.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

std::vector<float> row_at(std::uint64_t step) {
    integers random(step);
    std::vector<float> row(300);
    for (float& logit : row) logit = random.real(-3, 3) + random.real(-3, 3);
    return row;
}
template <class... Stages>
void expect_no_trace(Stages... stages) {
    auto c = chain<llama_exact>(stages...), plain = chain<llama_exact>(stages...);
    for (std::uint64_t step = 0; step < 40; ++step) {
        const auto row = row_at(step);
        const auto before = c.mark();
        const explanation e = explain(c, row);
        EXPECT_TRUE(e.state.ok()) << e.state.message().c_str();
        EXPECT_TRUE(c.mark().stages == before.stages);
        const token_id token = c.sample(row);
        EXPECT_EQ(e.token, token) << step;
        ASSERT_EQ(plain.sample(row), token) << step;
        EXPECT_TRUE(e.fate_of(token).survived);
    }
}
TEST(ExplainLlamaExact, DrawsAndLearnsNothing) {
    expect_no_trace(dist{.seed = 3});
    expect_no_trace(top_k{.k = 40}, top_p{.p = 0.9f}, xtc{.probability = 0.5f, .threshold = 0.05f, .seed = 1},
                    temperature{.t = 0.8f}, dist{.seed = 3});
    expect_no_trace(typical{.p = 0.9f}, mirostat_v2{.tau = 3.0f, .seed = 3});
    expect_no_trace(mirostat{.tau = 3.0f, .n_vocab = 300, .seed = 3});
    expect_no_trace(penalties{.repeat = 1.2f}, adaptive_p{.target = 0.3f, .seed = 3});
    expect_no_trace(top_n_sigma{}, greedy{});
}
TEST(ExplainLlamaExact, SaysWhichStageRemovedAToken) {
    const float illegal = -std::numeric_limits<float>::infinity();
    auto c = chain<llama_exact>(logit_bias{.biases = {{0, illegal}}}, top_k{.k = 2}, dist{.seed = 1});
    const explanation e = explain(c, std::vector<float>{9.0f, 1.0f, 3.0f, 2.0f});
    EXPECT_EQ(e.fate_of(0).stage, 0);
    EXPECT_EQ(e.fate_of(1).stage, 1);
    EXPECT_TRUE(e.fate_of(2).survived);
    EXPECT_TRUE(e.fate_of(3).survived);
    EXPECT_EQ(e.distribution.size(), 2u);
}
TEST(ExplainLlamaExact, ShowsWhatSelectorsThemselvesRemoveAndBend) {
    const auto expect = [](auto c) {
        for (std::uint64_t step = 0; step < 10; ++step) {
            const auto row = row_at(step);
            const explanation e = explain(c, row);
            const auto distribution = c.distribution(row);
            ASSERT_EQ(e.distribution.size(), distribution.size());
            for (std::size_t k = 0; k < distribution.size(); ++k) EXPECT_EQ(e.distribution[k].id, distribution[k].id);
            for (token_id id = 0; id < 300; ++id) {
                bool in_distribution = false;
                for (const auto& token : distribution) in_distribution |= token.id == id;
                EXPECT_EQ(e.fate_of(id).survived, in_distribution) << id;
                EXPECT_TRUE(in_distribution || e.fate_of(id).stage == 0) << id;
            }
            c.sample(row);
        }
    };
    expect(chain<llama_exact>(mirostat_v2{.tau = 1.0f, .seed = 3}));
    expect(chain<llama_exact>(mirostat{.tau = 1.0f, .n_vocab = 300, .seed = 3}));
    expect(chain<llama_exact>(adaptive_p{.target = 0.1f, .seed = 3}));
}
TEST(ExplainLlamaExact, ShowsThePlan) {
    const auto c = chain<llama_exact>(top_k{.k = 2}, temperature{.t = 0.5f}, dist{});
    const std::string words = explain(c);
    EXPECT_NE(words.find("llama"), std::string::npos) << words;
    EXPECT_NE(words.find("top_k"), std::string::npos) << words;
}

}  // namespace
}  // namespace riffle_tests
