#include "samplers/single.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<greedy>() == facts{.keeps_sorted = true, .selects = selecting::greatest});

TEST(Greedy, AgreesWithTheReference) {
    auto c = chain(greedy{});
    reference::model model{{greedy{}}, {}};
    for (const shape s : all_shapes)
        for (const std::size_t size : {1u, 2u, 31u, 255u, 256u, 257u, 1000u, 32000u})
            for (const std::uint64_t seed : {1u, 2u, 3u})
                expect_chain_agreement(c, model, make_row(s, size, seed), name_of(s), 2);
}
TEST(Greedy, AgreesOnTheLongestRows) {
    auto c = chain(greedy{});
    reference::model model{{greedy{}}, {}};
    for (const shape s : {shape::random, shape::tied, shape::sprinkled, shape::descending})
        expect_chain_agreement(c, model, make_row(s, 262144, 1), name_of(s));
}
TEST(Greedy, TakesTheLowestIdAmongEquals) {
    for (const std::size_t size : {5u, 300u, 1000u})
        for (std::size_t first = 0; first < size; first += 37) {
            std::vector<float> row(size, 1.0f);
            for (std::size_t i = first; i < size; i += 3) row[i] = 2.0f;
            EXPECT_EQ(chain(greedy{}).sample(row), token_id(first));
        }
}
TEST(Greedy, ZerosOfBothSignsAndWhatIsUpToTheLeastNormalAreEqual) {
    EXPECT_EQ(chain(greedy{}).sample(std::vector<float>{-1.0f, -0.0f, 0.0f, 1e-40f}), 1);
    EXPECT_EQ(chain(greedy{}).sample(std::vector<float>{-1.0f, -1e-40f, 1e-40f, 0.0f}), 1);
    EXPECT_EQ(chain(greedy{}).sample(std::vector<float>{-1.0f, 1e-40f, 0x1p-126f}), 1);
    EXPECT_EQ(chain(greedy{}).sample(std::vector<float>{-1.0f, 1e-40f, 0x1.000002p-126f}), 2);
}
TEST(Greedy, InfinityIsTheGreatestFloat) {
    EXPECT_EQ(chain(greedy{}).sample(std::vector<float>{1.0f, std::numeric_limits<float>::max(), infinity}), 1);
}
TEST(Greedy, DrawsNothing) {
    auto c = chain(greedy{});
    const auto row = make_row(shape::random, 300, 1);
    const token_id token = c.peek(row);
    c.retry();
    c.accept(3);
    EXPECT_EQ(c.fork(7).peek(row), token);
}

}  // namespace
}  // namespace riffle_tests
