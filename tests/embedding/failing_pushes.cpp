// Chains put together at run time where one allocation of a push fails.

#include <utility>

#include "embedding/chains.hpp"
#include "embedding/sweep.hpp"

namespace riffle_tests::failing_pushes {
namespace {

using namespace riffle;

dynamic_chain begun() {
    dynamic_chain c;
    c.push(penalties{.last_n = 8, .repeat = 1.5f});
    c.push(top_k{.k = 200});
    c.accept(7);
    c.accept(8);
    return c;
}
dynamic_chain end_of_chain() {
    dynamic_chain c;
    c.push(logit_bias{{{3, 1.0f}, {4, 2.0f}}});
    c.push(mirostat_v2{.seed = 3});
    return c;
}
/// The chain without what was to be pushed: behind std::bad_alloc it is as it was, and behind a status it says so until
/// it is another chain.
void expect_nothing_pushed(dynamic_chain& c, const outcome& found, std::size_t stages) {
    EXPECT_EQ(c.view().size(), stages);
    if (!found.threw) {
        EXPECT_EQ(c.push(temperature{}), status_code::out_of_memory);
        EXPECT_EQ(c.sample(rows()[0]), null_token);
        EXPECT_EQ(c.last_status(), status_code::out_of_memory);
        c = begun();
    }
    dynamic_chain expected = begun();
    for (auto* each : {&c, &expected}) {
        EXPECT_TRUE(each->rewind(1).ok()) << "a chain without stages that change goes back any way";
        EXPECT_TRUE(each->push(dist{.seed = 5}).ok());
    }
    EXPECT_EQ(next_tokens(c), next_tokens(expected));
}

TEST(FailingAllocation, OfAPush) {
    const auto expect_usable = [](dynamic_chain& c) {
        EXPECT_EQ(c.view().size(), 3u);
        EXPECT_TRUE(c.push(dist{}).ok());
        EXPECT_NE(c.sample(rows()[0]), null_token);
    };
    const auto nothing_pushed = [](dynamic_chain& c, const outcome& found) { expect_nothing_pushed(c, found, 2); };
    const logit_bias biases{{{3, 1.0f}, {4, 2.0f}}};
    fail_each_allocation(
        begun, [&](dynamic_chain& c) { return c.push(biases); }, nothing_pushed, expect_usable);
    fail_each_allocation(
        begun, [](dynamic_chain& c) { return c.push(not_twice{}); }, nothing_pushed, expect_usable);
    fail_each_allocation([] { return dynamic_chain(); }, [](dynamic_chain& c) { return c.push(top_k{.k = 200}); },
                         [](dynamic_chain& c, const outcome& found) {
                             EXPECT_EQ(c.view().size(), 0u);
                             EXPECT_EQ(c.push(greedy{}).ok(), found.threw);
                         },
                         [](dynamic_chain& c) { EXPECT_TRUE(c.push(greedy{}).ok()); });
}

TEST(FailingAllocation, OfAnAppendedChain) {
    const dynamic_chain end = end_of_chain();
    fail_each_allocation(
        begun, [&](dynamic_chain& c) { return c.append(end); },
        [](dynamic_chain& c, const outcome& found) { expect_nothing_pushed(c, found, 2); },
        [](dynamic_chain& c) {
            EXPECT_EQ(c.view().size(), 4u);
            EXPECT_NE(c.sample(rows()[0]), null_token);
        });
}

#if !defined(__cpp_exceptions) && GTEST_HAS_DEATH_TEST
TEST(FailingAllocationDeathTest, OfAVectorEndsAProgramWithoutExceptions) {
    dynamic_chain c = begun();
    EXPECT_DEATH(
        {
            const failing_allocation lists(1, true);
            c.push(greedy{});
        },
        "");
}
#endif

}  // namespace
}  // namespace riffle_tests::failing_pushes
