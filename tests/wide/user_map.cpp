// A user's map is an ordinary function template: at -O0 it is called, not inlined, with lanes of 16 floats in a
// function that has no registers for them. It must compile there, and give what one lane gives.
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/riffle.hpp>

#include "integers.hpp"
#include "lane_widths.hpp"

namespace riffle_tests {

struct everything_a_map_can_use {
    template <class V>
    static V map(const V& l) noexcept {
        const V bent = select(l > V(0.0f), l * V(0.5f), greater_of(l, V(-6.0f)));
        const V curved = tanh(bent * V(0.25f)) + exp(lesser_of(-absolute(l), V(0.0f)));
        const V scaled = curved * reciprocal(absolute(l) + V(1.0f));
        const auto even = (truncate(l) & 1) == 0;
        return select(even, scaled + log(absolute(l) + V(1.0f)), V::from_int(truncate(l)) - scaled);
    }
};

TEST(UserMap, GivesAtEveryWidthWhatOneLaneGives) {
    integers random(7);
    std::vector<float> logits(1000);
    for (auto& l : logits) l = random.real(-12, 12);
    at_every_width([&](int) {
        std::vector<const float*> blocks(riffle::block_count(logits.size()));
        std::vector<float> copies(blocks.size() * riffle::block_size);
        riffle::detail::row r;
        r.assign(logits, blocks.data(), copies.data());
        const riffle::fused_maps<everything_a_map_can_use> map{everything_a_map_can_use{}};
        riffle::wide::rewrite(r, map);
        for (std::size_t i = 0; i < logits.size(); ++i) ASSERT_EQ(r.logit(i), map.one(logits[i])) << "at " << logits[i];
    });
}

TEST(UserMap, RunsInAChain) {
    std::vector<float> logits(3000, 1.0f);
    logits[7] = 3.0f;
    auto c = riffle::chain(everything_a_map_can_use{}, riffle::temperature{}, riffle::greedy{});
    EXPECT_EQ(c.sample(logits), 7) << "3 - small is the greatest value of the map here";
}

}  // namespace riffle_tests
