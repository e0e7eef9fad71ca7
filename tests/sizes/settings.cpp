// Numbers that a text can say.

#include <cstddef>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include <riffle/settings.hpp>

#include "reference/agreement.hpp"
#include "sizes/numbers.hpp"

namespace riffle_tests::sizes_settings {
namespace {

using namespace riffle;

/// How many tokens a chain of that text leaves.
std::size_t left_by(const std::string& text, std::span<const float> row) {
    chain_settings settings;
    EXPECT_TRUE(settings.read(text)) << settings.problem();
    dynamic_chain c;
    EXPECT_TRUE(settings.build(c)) << text;
    return c.distribution(row).size();
}

TEST(SizesInTexts, RanksAndLeastNumbers) {
    for (const shape s : {shape::random, shape::equal})
        for (const std::size_t size : {300u, 5000u}) {
            const auto row = make_row(s, size, 1);
            for (const auto n : numbers_around<std::int32_t>(size)) {
                const std::string number = std::to_string(n);
                const std::size_t kept = n == 0 ? size : std::min(size, std::size_t(n));
                EXPECT_EQ(left_by("top_k=" + number + ";dist", row), kept) << number;
                const std::size_t at_least = std::min(size, std::size_t(n));
                EXPECT_GE(left_by("top_p=0.5;min_keep=" + number + ";dist", row), at_least) << number;
                EXPECT_GE(left_by("min_p=0.5;min_keep=" + number + ";dist", row), at_least) << number;
            }
        }
}
TEST(SizesInTexts, NumbersThatFitNoParameterAreRefused) {
    for (const std::uint64_t n : numbers_around<std::uint64_t>(300)) {
        if (n < 0x80000000u) continue;
        for (const char* const name :
             {"top_k", "min_keep", "penalty_last_n", "dry_penalty_last_n", "no_repeat_ngram"}) {
            chain_settings settings;
            const std::string text = std::string(name) + "=" + std::to_string(n);
            EXPECT_FALSE(settings.read(text)) << text;
            EXPECT_NE(settings.problem(), "") << text;
        }
    }
}

}  // namespace
}  // namespace riffle_tests::sizes_settings
