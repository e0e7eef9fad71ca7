// Rows of 16-bit logits under llama_exact: the token is that of the row of the floats that they are.

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/llama_exact.hpp>

#include "half_floats.hpp"
#include "reference/rows.hpp"

namespace riffle_tests::exact_half_rows {
namespace {

using namespace riffle;

template <class Half, class Chain>
void expect_the_tokens_of_the_floats(const Chain& chain) {
    for (const shape s : all_shapes)
        for (const std::size_t size : {std::size_t{1}, std::size_t{40}, std::size_t{3000}, std::size_t{32001}}) {
            SCOPED_TRACE(testing::Message() << name_of(s) << ", " << size);
            const auto halves = narrowed<Half>(make_row(s, size, size + 1));
            const auto values = values_of<Half>(halves);
            Chain of_halves = chain, of_values = chain;
            for (int i = 0; i < 2; ++i) {
                ASSERT_EQ(of_halves.sample(halves), of_values.sample(values));
                ASSERT_EQ(of_halves.last_status().code(), of_values.last_status().code());
                ASSERT_EQ(of_halves.last_status().saw_nan(), of_values.last_status().saw_nan());
            }
            // From a law a token is chosen later, when the row is read once more.
            const weighed law = of_halves.weigh(halves), expected = of_values.weigh(values);
            ASSERT_EQ(law.total(), expected.total());
            const token_id token = of_values.peek(values);
            if (token == null_token) continue;
            of_halves.peek(halves);
            (void)of_halves.weigh(halves);
            (void)of_values.weigh(values);
            of_halves.accept_choice(token);
            of_values.accept_choice(token);
            ASSERT_EQ(of_halves.sample(halves), of_values.sample(values));
            ASSERT_EQ(of_halves.replays().replays, of_values.replays().replays);
        }
}
template <class Half>
void expect_every_chain() {
    expect_the_tokens_of_the_floats<Half>(chain<llama_exact>(greedy{}));
    expect_the_tokens_of_the_floats<Half>(chain<llama_exact>(dist{.seed = 5}));
    expect_the_tokens_of_the_floats<Half>(chain<llama_exact>(
        logit_bias{.biases = {{3, 1.0f}, {9, illegal_logit}}}, penalties{.last_n = 20, .repeat = 1.2f}, top_k{.k = 60},
        typical{.p = 0.9f}, top_p{.p = 0.95f}, min_p{.p = 0.05f}, temperature{.t = 0.8f}, dist{.seed = 42}));
    expect_the_tokens_of_the_floats<Half>(chain<llama_exact>(temperature{.t = 0.8f}, mirostat_v2{.seed = 7}));
    expect_the_tokens_of_the_floats<Half>(chain<llama_exact>(top_p{.p = 0.9f}, dist{.seed = 1}));
}

TEST(ExactHalfRows, OfFloat16) { expect_every_chain<float16>(); }
TEST(ExactHalfRows, OfBfloat16) { expect_every_chain<bfloat16>(); }

}  // namespace
}  // namespace riffle_tests::exact_half_rows
