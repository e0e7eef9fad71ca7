#pragma once
// The golden vectors of vectors.txt, read.

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/riffle.hpp>

#include "test_files.hpp"

namespace riffle_tests::published {

/// One case: its seven lines.
struct golden_case {
    std::string name, number, kind;
    std::vector<std::pair<std::string, std::string>> params;  ///< in order; names may repeat
    std::vector<float> logits, logits2;
    std::vector<riffle::token_id> history;
    bool has_ids = false;
    std::vector<riffle::token_id> ids;
    std::vector<double> out;

    std::string title() const { return name + " " + number + " (" + kind + ")"; }
    double real(const char* param) const {
        for (const auto& [key, value] : params)
            if (key == param) return std::strtod(value.c_str(), nullptr);
        ADD_FAILURE() << title() << " has no " << param;
        return 0.0;
    }
    float number_of(const char* param) const { return float(real(param)); }
    std::int32_t integer(const char* param) const { return std::int32_t(real(param)); }
    std::vector<riffle::token_id> tokens(const char* param) const {
        std::vector<riffle::token_id> found;
        for (const auto& [key, value] : params)
            if (key == param) found.push_back(riffle::token_id(std::atoi(value.c_str())));
        return found;
    }
};

inline std::string vectors_file() { return test_file("published/vectors.txt"); }

/// The words of a line behind its key and its number of items; the key must be the one that is due.
inline std::vector<std::string> items_of(const std::string& line, const char* key, std::size_t words_each, int& count) {
    std::istringstream words(line);
    std::string found;
    count = -2;
    words >> found >> count;
    EXPECT_EQ(found, key) << line;
    std::vector<std::string> items;
    while (words >> found) items.push_back(found);
    EXPECT_EQ(items.size(), count < 0 ? 0 : std::size_t(count) * words_each) << line;
    return items;
}

/// All cases, in the order of the file.
inline const std::vector<golden_case>& all_cases() {
    static const std::vector<golden_case> cases = [] {
        std::vector<golden_case> read;
        std::ifstream file(vectors_file());
        std::vector<std::string> lines;
        for (std::string line; std::getline(file, line);)
            if (!line.empty() && line[0] != '#') lines.push_back(line);
        EXPECT_GT(lines.size(), 0u) << "no vectors in " << vectors_file();
        EXPECT_EQ(lines.size() % 7, 0u);
        for (std::size_t i = 0; i + 7 <= lines.size(); i += 7) {
            golden_case c;
            std::istringstream head(lines[i]);
            std::string key;
            head >> key >> c.name >> c.number >> c.kind;
            EXPECT_EQ(key, "case") << lines[i];
            int count = 0;
            const auto params = items_of(lines[i + 1], "params", 2, count);
            for (std::size_t p = 0; p + 1 < params.size(); p += 2) c.params.emplace_back(params[p], params[p + 1]);
            for (const auto& word : items_of(lines[i + 2], "logits", 1, count))
                c.logits.push_back(std::strtof(word.c_str(), nullptr));
            for (const auto& word : items_of(lines[i + 3], "logits2", 1, count))
                c.logits2.push_back(std::strtof(word.c_str(), nullptr));
            for (const auto& word : items_of(lines[i + 4], "history", 1, count))
                c.history.push_back(std::atoi(word.c_str()));
            for (const auto& word : items_of(lines[i + 5], "ids", 1, count)) c.ids.push_back(std::atoi(word.c_str()));
            c.has_ids = count >= 0;
            for (const auto& word : items_of(lines[i + 6], "out", 1, count))
                c.out.push_back(std::strtod(word.c_str(), nullptr));
            read.push_back(std::move(c));
        }
        return read;
    }();
    return cases;
}

/// Calls test(case) for each case of a sampler, of which there must be so many.
template <class Test>
void for_each_case(const char* name, std::size_t expected, Test test) {
    std::size_t count = 0;
    for (const auto& c : all_cases()) {
        if (c.name != name) continue;
        SCOPED_TRACE(c.title());
        test(c);
        ++count;
    }
    EXPECT_EQ(count, expected) << name;
}

}  // namespace riffle_tests::published
