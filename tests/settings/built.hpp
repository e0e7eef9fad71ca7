#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/llama_exact.hpp>
#include <riffle/settings.hpp>

namespace riffle_tests {

using namespace riffle;
using exact_chain = basic_dynamic_chain<llama_exact>;

inline chain_settings read(const std::string& words) {
    chain_settings s;
    EXPECT_TRUE(s.read(words)) << words << ": " << s.problem();
    EXPECT_EQ(s.problem(), "");
    return s;
}
template <class Chain = dynamic_chain>
Chain built_of(const chain_settings& s, const vocabulary* vocab = nullptr) {
    Chain c;
    const status made = s.build(c, vocab);
    EXPECT_TRUE(made.ok()) << made.message().c_str();
    return c;
}
template <class Chain = dynamic_chain>
Chain built(const std::string& words, const vocabulary* vocab = nullptr) {
    return built_of<Chain>(read(words), vocab);
}

/// The names of a chain's stages.
template <class Chain>
    requires requires(const Chain& c) { c.view(); }
std::vector<std::string> stages_of(const Chain& c) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < c.view().size(); ++i) names.emplace_back(c.view().name(i));
    return names;
}
inline std::vector<std::string> stages_of(const std::string& words, const vocabulary* vocab = nullptr) {
    return stages_of(built(words, vocab));
}
using names = std::vector<std::string>;

/// Words, signs that break, and two tokens that end.
inline const vocabulary& small_vocabulary() {
    static const vocabulary v = [] {
        vocabulary made;
        for (const char* piece : {"a", "b", "\n", " c", ":", "abc", "*"}) made.add(piece);
        made.end_of_sequence = made.add("</s>", token_role::end_of_generation | token_role::control);
        made.end_of_turn = made.add("<end>", token_role::end_of_generation | token_role::control);
        return made;
    }();
    return v;
}

}  // namespace riffle_tests
