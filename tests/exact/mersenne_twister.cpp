#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/exact/mersenne_twister.hpp>

#include "long_run.hpp"

namespace riffle_tests::exact_mersenne_twister {
namespace {

using riffle::exact::mersenne_twister;

TEST(MersenneTwister, TenThousandthWordOfTheDefaultSeed) {
    mersenne_twister random;
    for (int i = 1; i < 10000; ++i) random();
    EXPECT_EQ(random(), 4123659995u);  // [rand.predef]
    EXPECT_EQ(random.words(), 10000u);
}
TEST(MersenneTwister, IsThatOfTheStandardLibrary) {
    for (const std::uint32_t seed : {0u, 1u, 42u, 5489u, 0xFFFFFFFFu}) {
        mersenne_twister ours(seed);
        std::mt19937 theirs(seed);
        for (int i = 0; i < 2000; ++i) ASSERT_EQ(ours(), theirs()) << seed << ", word " << i;
    }
}
TEST(MersenneTwister, TakesTheLowHalfOfASeed) {
    EXPECT_EQ(mersenne_twister(7)(), mersenne_twister(7 + (9ull << 32))());
}

TEST(MersenneTwister, SeeksAnyPosition) {
    std::vector<std::uint32_t> words;
    mersenne_twister random(99);
    for (int i = 0; i < 4000; ++i) words.push_back(random());
    mersenne_twister fresh(99);
    std::uint32_t at = 1;
    for (int i = 0; i < 2000; ++i) {
        for (const std::uint32_t position : {at % 3999, 0u, 623u, 624u, 625u, 1247u, 1248u, 1249u, (at + 300) % 3999}) {
            fresh.seek(position);
            ASSERT_EQ(fresh.words(), position);
            mersenne_twister copy = fresh;
            ASSERT_EQ(copy(), words[position]) << position;
            ASSERT_EQ(copy.words(), position + 1);
        }
        at = at * 1664525u + 1013904223u;
    }
    mersenne_twister unused(99);
    unused.seek(0);
    EXPECT_EQ(unused.words(), 0u);
    EXPECT_EQ(unused(), words[0]);
}

TEST(MersenneTwister, ComesBackAcrossTwoToThe32) {
    if (!long_run("2^32 words, and back")) GTEST_SKIP() << "goes through 2^32 words: tests/run --long";
    mersenne_twister random(5);
    random.seek(0x80000000u);
    random.seek(0xFFFFFFF0u);
    std::vector<std::uint32_t> words;
    for (int i = 0; i < 2000; ++i) words.push_back(random());
    EXPECT_EQ(random.words(), 1984u);
    EXPECT_NE(words[16], mersenne_twister(5)()) << "word 2^32 is not word 0";
    for (const std::uint32_t i : {1999u, 1376u, 16u, 0u}) {
        mersenne_twister copy = random;
        copy.seek(0xFFFFFFF0u + i);
        EXPECT_EQ(copy(), words[i]) << i;
    }
}

// From libstdc++ 12; the numbers differ from those of newer ones where they round to 1 only.
TEST(MersenneTwister, CanonicalDoubles) {
    const std::pair<std::uint32_t, std::vector<double>> golden[] = {
        {0, {0.59284461651668263, 0.84426574425659828, 0.85794561998982988, 0.84725173738433124}},
        {1, {0.99718480823026556, 0.93255736136816547, 0.128124447772306, 0.99904051546527362}},
        {42, {0.79654298428784598, 0.18343478789336848, 0.77969099761266125, 0.59685016158005655}},
        {4242, {0.80856906956176955, 0.24104133666036989, 0.45280400731461307, 0.33380064770730894}},
    };
    for (const auto& [seed, numbers] : golden) {
        mersenne_twister random(seed);
        for (const double number : numbers) EXPECT_EQ(random.canonical_double(), number) << seed;
    }
}
TEST(MersenneTwister, CanonicalFloats) {
    const std::pair<std::uint32_t, std::vector<float>> golden[] = {
        {0, {0.548813522f, 0.592844605f, 0.715189338f, 0.844265759f}},
        {1, {0.41702199f, 0.997184813f, 0.720324516f, 0.932557344f}},
        {42, {0.37454012f, 0.796543002f, 0.95071429f, 0.183434784f}},
        {4242, {0.324949473f, 0.808569074f, 0.940414608f, 0.241041332f}},
    };
    for (const auto& [seed, numbers] : golden) {
        mersenne_twister random(seed);
        for (const float number : numbers) EXPECT_EQ(random.canonical_float(), number) << seed;
    }
}
TEST(MersenneTwister, WhatRoundsToOneIsDrawnAgain) {
    mersenne_twister random(14784396);
    EXPECT_EQ(mersenne_twister(random)(), 0xFFFFFFEFu);
    EXPECT_EQ(random.canonical_float(), float(0xB3B39363u) * 0x1p-32f);
    EXPECT_EQ(random.words(), 2u);
}

}  // namespace
}  // namespace riffle_tests::exact_mersenne_twister
