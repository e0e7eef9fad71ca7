// What is made for a device without one at hand: modules of chains that are put together at run time, and requests of
// rows, where one allocation fails.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <riffle/gpu/host/chain_on_device.hpp>
#include <riffle/gpu/host/dynamic_on_device.hpp>
#include <riffle/gpu/host/requests.hpp>

#include "embedding/chains.hpp"
#include "embedding/sweep.hpp"

namespace riffle_tests::failing_requests {
namespace {

using namespace riffle;

dynamic_chain made_at_run_time() {
    dynamic_chain c;
    c.push(penalties{.last_n = -1, .repeat = 3.0f});
    c.push(top_k{.k = 40});
    c.push(dist{.seed = 1});
    return c;
}

void expect_a_module_is_made_or_not(const gpu::kernel_options& options) {
    fail_each_allocation(
        made_at_run_time,
        [&](dynamic_chain& c) {
            const gpu::dynamic_on_device<penalties, top_k, dist> on(c, options);
            return on.words().empty() ? status(status_code::out_of_memory) : status();
        },
        next_tokens);
}
TEST(FailingAllocation, OfAModule) { expect_a_module_is_made_or_not({}); }
/// Whose branches are written anew behind what comes after them.
TEST(FailingAllocation, OfAPortableModule) {
    expect_a_module_is_made_or_not({.module = {.portable = true}, .groups_a_row = 0});
}

/// A chain with some tokens behind it, and the request of a row of its own.
template <class Chain>
struct asked {
    explicit asked(Chain c) : chain(std::move(c)) {
        for (token_id token = 0; token < edited_ids; ++token) chain.accept(token * 5);
    }
    static constexpr token_id edited_ids = 200;

    Chain chain;
    std::vector<std::uint32_t> words = std::vector<std::uint32_t>(20000);
    gpu::requests written{};
};
template <class OnDevice, class Make>
void expect_a_row_is_added_or_not(const OnDevice& on, Make make_chain) {
    using asked_chain = asked<decltype(make_chain())>;
    auto undisturbed = asked_chain(make_chain()).chain;
    const auto tokens = next_tokens(undisturbed);
    fail_each_allocation(
        [&] { return asked_chain(make_chain()); },
        [&](asked_chain& a) {
            a.written.begin(a.words, on.layout, 1, row_length);
            return a.written.add(on, a.chain, 0) ? status() : status(status_code::out_of_memory);
        },
        [&](asked_chain& a, const outcome&) {
            EXPECT_EQ(a.written.words(), on.layout.words);
            EXPECT_EQ(a.written.edited_ids(), 0u);
            for (std::size_t i = 0; i < on.layout.words; ++i) EXPECT_EQ(a.words[i], 0u) << "it asks for something";
            EXPECT_EQ(next_tokens(a.chain), tokens);
        },
        [&](asked_chain& a) { EXPECT_EQ(a.written.edited_ids(), std::size_t(asked_chain::edited_ids)); });
}

TEST(FailingAllocation, OfARequest) {
    const auto typed = [] { return penalties{.last_n = -1, .repeat = 3.0f} | top_k{.k = 40} | dist{.seed = 1}; };
    expect_a_row_is_added_or_not(gpu::chain_on_device<decltype(typed())>(), typed);
}
TEST(FailingAllocation, OfARequestOfADynamicChain) {
    auto c = made_at_run_time();
    expect_a_row_is_added_or_not(gpu::dynamic_on_device<penalties, top_k, dist>(c), made_at_run_time);
}

}  // namespace
}  // namespace riffle_tests::failing_requests
