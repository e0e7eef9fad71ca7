#include "samplers/single.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<gumbel>() == facts{.keeps_sorted = true, .draws = true, .selects = selecting::by_noise});

TEST(Gumbel, TheNoiseOfATokenIsItsOwn) {
    // removing others, or reordering, cannot change which of two tokens wins
    const auto row = make_row(shape::flat, 400, 3);
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const token_id winner = chain(gumbel{.seed = seed}).peek(row);
        auto fewer = row;
        for (std::size_t i = 0; i < fewer.size(); i += 2)
            if (token_id(i) != winner) fewer[i] = -infinity;
        EXPECT_EQ(chain(gumbel{.seed = seed}).peek(fewer), winner);
        EXPECT_EQ(chain(top_k{.k = 400}, gumbel{.seed = seed}).peek(row), winner);
    }
}

}  // namespace
}  // namespace riffle_tests
