// An explanation that finds no memory at any one of its allocations: std::bad_alloc comes out, and the chain goes on as
// if nobody had asked.

#include <string>

#include <riffle/explain.hpp>
#include <riffle/llama_exact.hpp>

#include "embedding/chains.hpp"
#include "embedding/sweep.hpp"

namespace riffle_tests::failing_explanations {
namespace {

using namespace riffle;

template <class Chain>
void expect_unchanged(const Chain& chain) {
    const auto with_memory = [&] {
        Chain c = chain;
        (void)c.reserve(row_length);
        return c;
    };
    fail_each_allocation(
        with_memory,
        [](Chain& c) {
            const explanation e = explain(c, rows()[0]);
            EXPECT_EQ(e.stages.size(), c.view().size());
            return status();
        },
        next_tokens);
    fail_each_allocation(
        with_memory,
        [](Chain& c) {
            EXPECT_FALSE(explain(c).empty());
            return status();
        },
        next_tokens);
}

TEST(FailingAllocation, OfAnExplanation) {
    expect_unchanged(penalties{.repeat = 1.2f} | top_k{.k = 40} | temperature{.t = 0.8f} | dist{.seed = 1});
    dynamic_chain d;
    d.push(not_twice{});
    d.push(min_p{.p = 0.1f});
    d.push(dist{.seed = 1});
    expect_unchanged(d);
    // Its stages draw as they are applied, and that is taken back.
    expect_unchanged(with<llama_exact>(top_k{.k = 40} | xtc{.probability = 0.5f, .seed = 4} | dist{.seed = 1}));
}

TEST(FailingAllocation, OfWhatIsSaidOfADevice) {
    const auto of = penalties{.repeat = 1.2f} | top_k{.k = 40} | tail_free{} | dist{.seed = 1};
    const std::string expected = explain_device(of);
    fail_each_allocation([] { return std::string(); },
                         [&](std::string& text) {
                             text = explain_device(of);
                             return status();
                         },
                         [](std::string& text, const outcome&) { EXPECT_TRUE(text.empty()); },
                         [&](std::string& text) { EXPECT_EQ(text, expected); });
}

TEST(FailingAllocation, OfTheTextOfAnExplanation) {
    auto c = top_k{.k = 40} | temperature{.t = 0.8f} | dist{.seed = 1};
    const explanation e = explain(c, rows()[0]);
    const std::string expected = e.to_string();
    fail_each_allocation([] { return std::string(); },
                         [&](std::string& text) {
                             text =
                                 e.to_string([](token_id) { return "a text that is longer than a string has room"; });
                             text = e.to_string();
                             return status();
                         },
                         [](std::string&, const outcome&) {}, [&](std::string& text) { EXPECT_EQ(text, expected); });
}

}  // namespace
}  // namespace riffle_tests::failing_explanations
