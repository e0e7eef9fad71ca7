// Copies of specs may throw; nothing is lost, leaked or aborted then.
#if defined(__cpp_exceptions)

#include <vector>

#include <gtest/gtest.h>

#include <riffle/riffle.hpp>

namespace riffle_tests::chain_copying {
namespace {

using namespace riffle;

bool armed = false;

/// A spec whose copy may fail, as that of a vector may.
struct heavy {
    std::vector<int> content = std::vector<int>(10);
    heavy() = default;
    heavy(heavy&&) noexcept = default;
    heavy& operator=(heavy&&) noexcept = default;
    heavy(const heavy& other) : content(other.content) {
        if (armed) throw 1;
    }
    heavy& operator=(const heavy&) = default;
    ~heavy() = default;
    void apply(candidates&) const noexcept {}
};

template <class Chain>
void expect_copies_throw(Chain& c) {
    const std::vector<float> row{1.0f, 3.0f, 2.0f};
    armed = true;
    EXPECT_THROW(Chain copy(c), int);
    EXPECT_THROW((void)c.fork(1), int);
    armed = false;
    EXPECT_EQ(c.sample(row), 1) << "the chain itself goes on";
    EXPECT_EQ(Chain(c).sample(row), 1);
}

TEST(Copying, OfAPipelineMayThrow) {
    auto c = chain(logit_bias{{{0, 1.0f}}}, heavy{}, greedy{});
    expect_copies_throw(c);
}
TEST(Copying, OfAnAnyPipelineMayThrow) {
    any_pipeline c = chain(logit_bias{{{0, 1.0f}}}, heavy{}, greedy{});
    expect_copies_throw(c);
}
TEST(Copying, OfADynamicChainMayThrow) {
    dynamic_chain c;
    c.push(logit_bias{{{0, 1.0f}}});
    c.push(heavy{});
    c.push(greedy{});
    expect_copies_throw(c);
}

}  // namespace
}  // namespace riffle_tests::chain_copying

#endif
