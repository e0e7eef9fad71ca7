#include <riffle/wide/preimage.hpp>

#include "rows.hpp"

namespace {

using namespace riffle;
using namespace riffle_tests;

TEST(Preimage, IsTheLeastFloatThatReaches) {
    each_map([](const auto& m) {
        integers random(71);
        for (int round = 0; round < 2000; ++round) {
            const float known = canonical(round % 2 ? random.any_float() : random.real(-20, 20));
            if (known == -inf) continue;
            float target = m.one(canonical(round % 3 ? known - random.real(0, 20) : known));
            if (target == -inf) target = lowest;
            if (m.one(known) < target) continue;
            const float found = wide::preimage(m.one, target, known);
            EXPECT_LE(found, known);
            EXPECT_GE(m.one(found), target);
            const float below = from_ordered_key(ordered_key(found) - 1);
            if (found > lowest) {
                EXPECT_LT(m.one(below), target) << found;
            }
        }
    });
}

TEST(Preimage, MergedNeighboursComeAlong) {
    // 1 / 1.5 makes some neighbours equal: a cut on one of them must not lose the other.
    const maps<temperature> m({.t = 1.5f});
    int merged = 0;
    for (float l = 1.75f; l < 1.751f; l = std::nextafter(l, 2.0f)) {
        const float next = std::nextafter(l, 2.0f);
        if (m.one(l) != m.one(next)) continue;
        ++merged;
        EXPECT_LE(wide::preimage(m.one, m.one(next), 4.0f), l);
    }
    EXPECT_GT(merged, 0);
}

TEST(Preimage, LeastFloatTakesAtMost32Steps) {
    integers random(72);
    for (int round = 0; round < 2000; ++round) {
        const float a = canonical(random.any_float()), b = canonical(random.any_float());
        const float threshold = std::max(std::min(a, b), lowest), known = std::max(a, b);
        if (known == -inf) continue;
        int steps = 0;
        const float found = wide::least_float(known, [&](float x) {
            ++steps;
            return x >= threshold;
        });
        EXPECT_EQ(found, threshold);
        EXPECT_LE(steps, 32);
    }
    EXPECT_EQ(wide::least_float(5.0f, [](float) { return true; }), lowest);
    EXPECT_EQ(wide::least_float(5.0f, [](float x) { return x >= 5.0f; }), 5.0f);
}

TEST(Preimage, RawCutSeesDenormalsAsZero) {
    const float values[] = {0.0f,       -0.0f, 0x1p-149f, -0x1p-149f, -0x1.fffffcp-127f, 0x1.fffffcp-127f, 0x1p-126f,
                            -0x1p-126f, 1.0f,  -1.0f,     -inf};
    for (const float target : values) {
        if (target != canonical(target)) continue;
        for (const float l : values)
            EXPECT_EQ(l >= wide::raw_cut(canonical(target)), canonical(l) >= canonical(target)) << l << " " << target;
    }
}

}  // namespace
