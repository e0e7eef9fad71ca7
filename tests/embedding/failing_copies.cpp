// Chains that are made, copied, assigned and forked where one allocation fails. What a stage's vector throws comes out,
// and nothing has changed; where riffle itself finds no memory, what was made says out_of_memory.

#include <type_traits>
#include <utility>

#include "embedding/chains.hpp"
#include "embedding/sweep.hpp"

namespace riffle_tests::failing_copies {
namespace {

using namespace riffle;

auto typed(float bias) {
    return penalties{.last_n = 8, .repeat = 1.5f} | logit_bias{{{3, bias}, {900, -bias}}} | top_k{.k = 40} |
           dry{.multiplier = 0.8f, .breakers = {{13}, {198, 25}}} | temperature{.t = 0.8f} | dist{.seed = 1};
}
dynamic_chain at_run_time(float bias) {
    dynamic_chain c;
    c.push(not_twice{});
    c.push(penalties{.last_n = 8, .repeat = 1.5f});
    c.push(logit_bias{{{3, bias}, {900, -bias}}});
    c.push(mirostat_v2{.seed = 3});
    return c;
}
/// f(chain, another of its type), both with a history and warm.
template <class F>
void each_pair(F f) {
    const auto used = [](auto chain) {
        for (const auto& row : rows()) (void)chain.sample(row);
        return chain;
    };
    f(used(typed(2.0f)), used(typed(-3.0f)));
    f(used(at_run_time(2.0f)), used(at_run_time(-3.0f)));
    f(used(any_pipeline(typed(2.0f))), used(any_pipeline(at_run_time(-3.0f))));
}
template <class Chain>
status state_of(Chain& c) {
    (void)c.peek(rows()[0]);
    return c.last_status();
}

TEST(FailingAllocation, OfACopy) {
    each_pair([](const auto& from, const auto&) {
        auto expected = from;
        const token_id next = expected.peek(rows()[0]);
        const auto copied = [&](auto& c) {
            auto copy = c;
            const token_id token = copy.peek(rows()[0]);
            EXPECT_EQ(token, copy.last_status().ok() ? next : null_token);
            return copy.last_status();
        };
        const auto forked = [](auto& c) {
            auto copy = c.fork(7);
            return state_of(copy);
        };
        fail_each_allocation([&] { return from; }, copied, next_tokens);
        fail_each_allocation([&] { return from; }, forked, next_tokens);
    });
}

template <class Chain>
struct two_chains {
    Chain from, to;
};
TEST(FailingAllocation, OfAnAssignment) {
    std::array<token_id, 6> nothing_chosen;
    nothing_chosen.fill(null_token);
    each_pair([&](const auto& from, const auto& to) {
        using chain_type = std::remove_cvref_t<decltype(from)>;
        auto expected_from = from, expected_to = to;
        const auto of_from = next_tokens(expected_from), of_to = next_tokens(expected_to);
        ASSERT_NE(of_from, of_to);
        const auto expect_assignable = [&](two_chains<chain_type>& both) {
            both.to = both.from;
            EXPECT_EQ(next_tokens(both.to), of_from);
            EXPECT_EQ(next_tokens(both.from), of_from);
        };
        fail_each_allocation(
            [&] {
                two_chains<chain_type> both{from, to};
                (void)both.to.reserve(row_length);
                return both;
            },
            [](two_chains<chain_type>& both) {
                both.to = both.from;
                return state_of(both.to);
            },
            [&](two_chains<chain_type>& both, const outcome& found) {
                const auto next = next_tokens(both.to);
                if (found.threw) {
                    EXPECT_EQ(next, of_to) << "it is not as it was";
                } else if (next != of_from) {  // or there is memory for a step now
                    EXPECT_EQ(next, nothing_chosen);
                    EXPECT_EQ(both.to.last_status(), status_code::out_of_memory);
                }
                expect_assignable(both);
            },
            expect_assignable);
    });
}

/// A compiler that takes an assignment for one that throws nothing has no way out where it does.
struct holder_of_any {
    any_pipeline chain;
};
static_assert(!std::is_nothrow_copy_assignable_v<dynamic_chain>);
static_assert(!std::is_nothrow_copy_assignable_v<holder_of_any>);
static_assert(!std::is_nothrow_copy_assignable_v<decltype(typed(1.0f))>);
static_assert(std::is_nothrow_copy_assignable_v<decltype(top_k{} | dist{})>);
static_assert(std::is_nothrow_move_assignable_v<dynamic_chain> && std::is_nothrow_move_constructible_v<dynamic_chain>);
static_assert(std::is_nothrow_move_assignable_v<holder_of_any> && std::is_nothrow_move_constructible_v<holder_of_any>);
static_assert(std::is_nothrow_move_assignable_v<decltype(typed(1.0f))>);
static_assert(std::is_nothrow_move_constructible_v<decltype(typed(1.0f))>);

TEST(FailingAllocation, OfAChainThatIsMade) {
    const auto biases = [] { return logit_bias{{{3, 2.0f}, {900, -2.0f}}}; };
    const auto size_of = [](const logit_bias& b) { return b.biases.size(); };
    fail_each_allocation(
        biases,
        [](logit_bias& b) {
            auto c = chain(top_k{.k = 40}, b, mask{.words = std::vector<std::uint32_t>(40, 0x55555555u)}, dist{});
            return state_of(c);
        },
        size_of);
    fail_each_allocation(
        biases,
        [](logit_bias& b) {
            any_pipeline c = b | top_k{.k = 40} | dist{};
            return state_of(c);
        },
        size_of);
    fail_each_allocation(
        biases,
        [](logit_bias& b) {
            dynamic_chain c;
            for (int i = 0; i < 3; ++i)
                if (const status s = c.push(b); !s.ok()) return s;
            if (const status s = c.push(adaptive_p{}); !s.ok()) return s;
            return state_of(c);
        },
        size_of);
}

}  // namespace
}  // namespace riffle_tests::failing_copies
