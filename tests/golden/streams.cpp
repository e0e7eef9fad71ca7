// Every chain at every lane width against streams.txt. RIFFLE_GOLDEN_WRITE=FILE writes the file anew instead; its head
// says when that is right.

#include "golden/streams.hpp"

#include <cstdlib>
#include <set>

#include <gtest/gtest.h>

#include "lane_widths.hpp"

namespace {

using namespace riffle_tests;

const streams& checked_streams() {
    static const streams all = all_streams();
    return all;
}

constexpr const char* head =
    R"(# Golden streams: what riffle's chains do under numerics::reproducible, on every compiler, instruction set and machine.
#
# Each line is one chain over 200 steps on rows made from integers: running hashes of the tokens, of the total masses S, of
# the block masses, and of the survivors' ids and logit bits. Tokens alone would not notice a contracted multiplication.
#
# A line that changes means that somebody's seeds give other text than before. Write this file anew only when that is
# wanted and said in the release notes: when the meaning of a stage, the arithmetic (exp, log, tanh, weights), the
# generator or a stream number changes on purpose; or when chains are added, and then the old lines must stay as they are.
# Never because a compiler, a flag, a lane width or another machine gives something else: that is the bug these lines are
# here to find.
# S, block masses and survivors also follow the plan: they may change where another plan takes a mass of the row or leaves
# more in it. The tokens must not.
#
#     RIFFLE_GOLDEN_WRITE=tests/golden/streams.txt riffle_test_golden
#
# tokens           S                block masses     survivors         chain
)";

bool writes() { return std::getenv("RIFFLE_GOLDEN_WRITE") != nullptr; }

TEST(Golden, Write) {
    if (!writes()) GTEST_SKIP() << "only where RIFFLE_GOLDEN_WRITE names a file";
    std::ofstream file(std::getenv("RIFFLE_GOLDEN_WRITE"));
    file << head;
    for (const auto& s : checked_streams()) file << s.typed() << '\n';
    ASSERT_TRUE(file.flush().good());
}

TEST(Golden, TheFileNamesTheseChains) {
    if (writes()) GTEST_SKIP();
    const auto lines = golden_lines();
    ASSERT_FALSE(lines.empty()) << "no golden streams in " << golden_file();
    std::set<std::string> names;
    for (const auto& s : checked_streams()) {
        EXPECT_TRUE(names.insert(s.name).second) << s.name << " is there twice";
        EXPECT_TRUE(lines.contains(s.name)) << s.name << " is not in the file";
    }
    EXPECT_EQ(lines.size(), names.size());
    EXPECT_GE(names.size(), 50u);
    EXPECT_GE(names.size() * steps, 10000u);
}

TEST(Golden, Chains) {
    if (writes()) GTEST_SKIP();
    const auto lines = golden_lines();
    at_every_width([&](int) {
        for (const auto& s : checked_streams())
            if (const auto line = lines.find(s.name); line != lines.end()) {
                EXPECT_EQ(s.typed(), line->second);
            }
    });
}

TEST(Golden, ChainsPutTogetherAtRunTime) {
    if (writes()) GTEST_SKIP();
    const auto lines = golden_lines();
    at_every_width([&](int) {
        for (const auto& s : checked_streams())
            if (const auto line = lines.find(s.name); line != lines.end()) {
                EXPECT_EQ(s.at_run_time(), line->second);
            }
    });
}

}  // namespace
