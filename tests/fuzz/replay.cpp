// The inputs that fuzzing kept, in every leg: tests/fuzz/corpus/TARGET.txt has one a line, in hexadecimal digits.

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fuzz/fuzz.hpp"
#include "test_files.hpp"

namespace riffle_tests::fuzz {
namespace {

void replay(const std::string& target, void (*run)(input)) {
    std::ifstream file(test_file("fuzz/corpus/" + target + ".txt"));
    ASSERT_TRUE(file.is_open());
    std::size_t inputs = 0;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with('#')) continue;
        SCOPED_TRACE(line);
        std::vector<std::uint8_t> bytes;
        for (std::size_t i = 0; i + 1 < line.size(); i += 2)
            bytes.push_back(std::uint8_t(std::stoi(line.substr(i, 2), nullptr, 16)));
        run(input(bytes));
        ++inputs;
    }
    EXPECT_GT(inputs, 10u);
}

TEST(Fuzz, SettingsReplayed) { replay("settings", settings); }
TEST(Fuzz, PresetsReplayed) { replay("presets", presets); }
TEST(Fuzz, CandidatesReplayed) { replay("candidates", candidates); }
TEST(Fuzz, CallsReplayed) { replay("calls", calls); }
TEST(Fuzz, GrammarReplayed) { replay("grammar", grammar); }
TEST(Fuzz, PatternReplayed) { replay("pattern", pattern); }
#if __has_include(<nlohmann/json.hpp>)
TEST(Fuzz, SchemaReplayed) { replay("schema", schema); }
TEST(Fuzz, PayloadReplayed) { replay("payload", payload); }
TEST(Fuzz, CInterfaceReplayed) { replay("c_interface", c_interface); }
#endif
TEST(Fuzz, TriggersReplayed) { replay("triggers", triggers); }
TEST(Fuzz, TokensReplayed) { replay("tokens", tokens); }
TEST(Fuzz, LoadReplayed) { replay("load", load); }
TEST(Fuzz, NgramCacheReplayed) { replay("ngram_cache", ngram_cache); }
TEST(Fuzz, DraftsReplayed) { replay("drafts", drafts); }

}  // namespace
}  // namespace riffle_tests::fuzz
