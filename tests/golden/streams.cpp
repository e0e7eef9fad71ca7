// Every chain at every lane width against streams.txt, and what is saved of it half way against saved.txt.
// RIFFLE_GOLDEN_WRITE=FILE and RIFFLE_SAVED_WRITE=FILE write these files anew instead; their heads say when that is
// right.
#include "golden/streams.hpp"

#include <cstdlib>
#include <set>

#include <gtest/gtest.h>

#include "golden/saved.hpp"
#include "lane_widths.hpp"

namespace {

using namespace riffle_tests;

const streams& checked_streams() {
    static const streams all = all_streams();
    return all;
}

constexpr const char* head =
    R"(# Golden streams: what riffle's chains do under numerics::reproducible, on every compiler, instruction set
# and machine.
#
# Each line is one chain over 200 steps on rows made from integers: running hashes of the tokens, of the total masses S,
# of the block masses, and of the survivors' ids and logit bits. Tokens alone would not notice a contracted
# multiplication.
#
# A line that changes means that somebody's seeds give other text than before. Write this file anew only when that is
# wanted and said in the release notes: when the meaning of a stage, the arithmetic (exp, log, tanh, weights), the
# generator or a stream number changes on purpose; or when chains are added, and then the old lines must stay as they
# are. Never because a compiler, a flag, a lane width or another machine gives something else: that is the bug these
# lines are here to find.
# S, block masses and survivors also follow the plan: they may change where another plan takes a mass of the row or
# leaves more in it. The tokens must not.
#
#     RIFFLE_GOLDEN_WRITE=tests/golden/streams.txt riffle_test_golden
#
# tokens           S                block masses     survivors         chain
)";

constexpr const char* head_of_saved =
    R"(# What save writes of the chains of streams.txt behind 100 of their 200 steps: the same bytes on every compiler,
# instruction set and machine.
#
# Each line is one chain: how many bytes, and a hash of them; or why it cannot be saved. A chain that loads them goes on
# with the line that streams.txt has.
#
# A line that changes means that files which somebody's engine has kept are not what is read now. Write this file anew
# only where the format gets another version; where the meaning of a stage changes, as for streams.txt; or when chains
# are added, and then the old lines must stay as they are.
#
#     RIFFLE_SAVED_WRITE=tests/golden/saved.txt riffle_test_golden
#
# bytes hash            chain
)";

/// The file that is to be written in place of tests.
const char* written_file(const char* variable) { return std::getenv(variable); }
bool writes() { return written_file("RIFFLE_GOLDEN_WRITE") || written_file("RIFFLE_SAVED_WRITE"); }

template <class LineOf>
void write_lines(const char* variable, const char* its_head, LineOf line_of_stream) {
    if (!written_file(variable)) GTEST_SKIP() << "only where " << variable << " names a file";
    std::ofstream file(written_file(variable));
    file << its_head;
    for (const auto& s : checked_streams()) file << line_of_stream(s) << '\n';
    ASSERT_TRUE(file.flush().good());
}
TEST(Golden, Write) {
    write_lines("RIFFLE_GOLDEN_WRITE", head, [](const stream& s) { return line_of(s, s.typed()); });
}
TEST(Golden, WriteWhatIsSaved) {
    write_lines("RIFFLE_SAVED_WRITE", head_of_saved,
                [](const stream& s) { return resumed(s, s.typed(), s.typed()).saved; });
}

TEST(Golden, TheFilesNameTheseChains) {
    if (writes()) GTEST_SKIP();
    for (const char* const name_of_file : {"streams.txt", "saved.txt"}) {
        const auto lines = golden_lines(name_of_file);
        ASSERT_FALSE(lines.empty()) << "no lines in golden/" << name_of_file;
        std::set<std::string> names;
        for (const auto& s : checked_streams()) {
            EXPECT_TRUE(names.insert(s.name).second) << s.name << " is there twice";
            EXPECT_TRUE(lines.contains(s.name)) << s.name << " is not in " << name_of_file;
        }
        EXPECT_EQ(lines.size(), names.size());
        EXPECT_GE(names.size(), 50u);
        EXPECT_GE(names.size() * steps, 10000u);
    }
}

TEST(Golden, Chains) {
    if (writes()) GTEST_SKIP();
    const auto lines = golden_lines();
    at_every_width([&](int) {
        for (const auto& s : checked_streams())
            if (const auto line = lines.find(s.name); line != lines.end()) {
                EXPECT_EQ(line_of(s, s.typed()), line->second);
            }
    });
}

TEST(Golden, ChainsPutTogetherAtRunTime) {
    if (writes()) GTEST_SKIP();
    const auto lines = golden_lines();
    at_every_width([&](int) {
        for (const auto& s : checked_streams())
            if (const auto line = lines.find(s.name); line != lines.end()) {
                EXPECT_EQ(line_of(s, s.at_run_time()), line->second);
            }
    });
}

/// Saved as a type and loaded into a chain put together at run time, and the other way round.
TEST(Golden, ChainsThatAreSavedAndLoadedHalfWay) {
    if (writes()) GTEST_SKIP();
    const auto lines = golden_lines(), saved = saved_lines();
    at_every_width([&](int) {
        for (const auto& s : checked_streams()) {
            const auto line = lines.find(s.name), of_bytes = saved.find(s.name);
            if (line == lines.end() || of_bytes == saved.end()) continue;
            for (const resumed_stream& found :
                 {resumed(s, s.typed(), s.at_run_time()), resumed(s, s.at_run_time(), s.typed())}) {
                EXPECT_EQ(found.line, line->second);
                EXPECT_EQ(found.saved, of_bytes->second);
            }
        }
    });
}

/// A stage of the user's without a name is known by none in a file.
TEST(Golden, ChainsOfNamedStagesCanBeSaved) {
    if (writes()) GTEST_SKIP();
    for (const auto& [name, line] : saved_lines()) {
        bool is_named = true;
        for (const char* const stage : {"bend", "squeeze", "drop_some"}) is_named &= name.find(stage) == name.npos;
        EXPECT_EQ(line.starts_with("save: stage = "), !is_named) << line;
    }
}

}  // namespace
