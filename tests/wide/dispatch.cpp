#include <algorithm>
#include <vector>

#include <riffle/wide/dispatch.hpp>

#include "lane_widths.hpp"

namespace {

using namespace riffle;

struct width_pass {
    template <int N>
    static RIFFLE_INLINE int run(int add) noexcept {
        return N + add;
    }
};

TEST(Dispatch, RunsAtTheForcedWidth) {
    std::vector<int> seen;
    riffle_tests::at_every_width([&](int width) {
        seen.push_back(width);
        EXPECT_EQ(wide::width(), width);
        EXPECT_EQ(wide::run<width_pass>(100), 100 + width);
    });
    ASSERT_FALSE(seen.empty());
    EXPECT_EQ(seen.front(), 4);
    EXPECT_EQ(seen.back(), wide::widest());
}

TEST(Dispatch, RefusesWidthsThatAreNotThere) {
    const int before = wide::forced_width;
    for (const int width : {-4, 1, 2, 5, 32, 64}) EXPECT_FALSE(wide::force_width(width));
    EXPECT_EQ(wide::forced_width, before);
    EXPECT_TRUE(wide::force_width(0));
    EXPECT_EQ(wide::width(), wide::widest());
    EXPECT_EQ(wide::force_width(16), wide::widest() == 16);
    wide::forced_width = before;
}

}  // namespace
