#pragma once
// What is true of every grammar and of every problem that a text has: for the targets that read one.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <riffle/constraint/grammar_matcher.hpp>
#include <riffle/constraint/parsed.hpp>
#include <riffle/constraint/vocabulary_trie.hpp>

#include "fuzz/fuzz.hpp"

namespace riffle_tests::fuzz {

inline const riffle::vocabulary_trie& few_tokens() {
    static const riffle::vocabulary_trie trie = [] {
        riffle::vocabulary v;
        for (const char* piece :
             {"a", "b", "ab", "aaaa", "0", "1", "\"", "{", "}", "\n", "x", "yz", "\xC3", "\xA9", "é", "日", "", "("})
            v.add(piece);
        v.add("<t>", riffle::token_role::control);
        v.add("</s>", riffle::token_role::control | riffle::token_role::end_of_generation);
        return riffle::vocabulary_trie(v);
    }();
    return trie;
}

/// Where a problem says it is, there it is.
inline void must_have_a_place(const riffle::parse_problem& problem, const std::string& source) {
    must(!problem.sentence.empty(), "a problem has a sentence");
    must(problem.message().size() <= longest_problem + source.size(), "a problem is short");
    must(problem.offset <= source.size(), "a problem lies in the text");
    std::size_t line = 1;
    for (std::size_t i = 0; i < problem.offset; ++i)
        line += source[i] == '\n' || (source[i] == '\r' && (i + 1 == source.size() || source[i + 1] != '\n'));
    must(problem.line == line, "a problem has the line of its place");
    must(problem.column >= 1 && problem.column <= problem.offset + 1, "a problem has a column");
}

/// Follows a text to one of its ends, or for some tokens.
inline void follow(const riffle::grammar& g, std::size_t choice) {
    riffle::grammar_matcher m(g, few_tokens());
    riffle::token_id run[8];
    for (std::size_t step = 0; step < 12; ++step) {
        const bool good = m.check().ok();
        if (m.check() == riffle::status_code::invalid_parameter) return;  // a token that there is not
        const std::size_t count = m.legal_count();
        must(good == (count > 0), "a matcher that is well has a legal token, and no other has one");
        const auto words = m.legal_words();
        std::vector<std::uint32_t> mask(words.begin(), words.end());
        std::vector<riffle::token_id> legal;
        for (riffle::token_id id = 0; std::size_t(id) < few_tokens().size(); ++id) {
            const bool set = !mask.empty() && (mask[std::size_t(id) / 32] >> (id % 32) & 1) != 0;
            must(set == m.allows(id), "the mask says of a token what the matcher says of it");
            if (set) legal.push_back(id);
        }
        must(legal.size() == count, "as many are legal as are said to be");
        const bool complete = m.is_complete();
        must(!m.is_finished() || complete, "what is finished is complete");
        if (m.expected_bytes().empty() && !good) return;
        const std::size_t forced = m.forced_run(std::span<riffle::token_id>(run));
        must(forced == 0 || (count == 1 && run[0] == legal[0]), "what is forced is the only legal token");
        if (legal.empty()) return;
        const riffle::token_id next = legal[(choice + step * 7) % legal.size()];
        must(!m.accept(next).refused, "a legal token is taken");
        if (next == riffle::token_id(few_tokens().size()) - 1) return;
    }
}

}  // namespace riffle_tests::fuzz
