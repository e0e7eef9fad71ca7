#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/constraint/gbnf.hpp>
#include <riffle/constraint/grammar_matcher.hpp>
#include <riffle/constraint/vocabulary_trie.hpp>

#include "constraint/slow_grammar.hpp"

/// The library's matchers beside texts of the slow reference.
namespace riffle_tests::constraint_walks {

inline riffle::vocabulary vocabulary_of(const slow::words& words) {
    riffle::vocabulary v;
    for (const slow::word& w : words) {
        riffle::token_role role = riffle::token_role::text;
        if (w.is_control) role = role | riffle::token_role::control;
        if (w.is_end) role = role | riffle::token_role::end_of_generation;
        v.add(w.bytes, role);
    }
    return v;
}
inline riffle::vocabulary_trie trie_of(const slow::words& words) {
    return riffle::vocabulary_trie(vocabulary_of(words));
}
/// Words of text, and an end.
inline slow::words words_of(const std::vector<std::string>& pieces) {
    slow::words all;
    for (const std::string& piece : pieces) all.push_back({piece});
    all.push_back({"</s>", true, true});
    return all;
}

inline std::string printed(const std::string& bytes) {
    std::string all;
    for (const char c : bytes) {
        if (c > ' ' && c < 0x7F && c != '\\') all += c;
        else all += "\\x" + slow::hexadecimal(std::uint8_t(c), 2);
    }
    return all;
}
inline std::string printed(const slow::words& words, const std::vector<std::int32_t>& tokens) {
    std::string all;
    for (const std::int32_t id : tokens)
        all += " " + std::to_string(id) + "=" + (id >= 0 ? printed(words[std::size_t(id)].bytes) : "bytes");
    return all;
}

using tokens = std::vector<std::int32_t>;

inline tokens ids_of(std::span<const std::uint32_t> words) {
    tokens all;
    for (std::size_t i = 0; i < words.size() * 32; ++i)
        if (words[i / 32] >> (i % 32) & 1) all.push_back(std::int32_t(i));
    return all;
}

/// What a matcher says of its masks: the same, in all of its forms.
inline void expect_mask(const riffle::grammar_matcher& m, const slow::words& words, const tokens& legal,
                        bool has_ended) {
    EXPECT_EQ(m.legal_count(), legal.size());
    if (!has_ended) {  // for that see GrammarMatcher.HasAsManyWordsAlsoBehindTheEnd
        EXPECT_EQ(m.legal_words().size(), (words.size() + 31) / 32);
    }
    EXPECT_EQ(ids_of(m.legal_words()), legal) << "not as expected:" << printed(words, ids_of(m.legal_words()));
    const std::span<const riffle::token_id> ids = m.legal_ids();
    const std::size_t few = words.size() / 64 > 64 ? words.size() / 64 : 64;
    EXPECT_EQ(tokens(ids.begin(), ids.end()), legal.size() <= few ? legal : tokens());
    const riffle::legal_tokens given = m.legal();
    EXPECT_FALSE(given.are_all);
    EXPECT_EQ(given.count, legal.size());
    tokens contained;
    for (std::size_t i = 0; i < words.size() + 40; ++i)
        if (given.contains(std::int32_t(i))) contained.push_back(std::int32_t(i));
    EXPECT_EQ(contained, legal);
}
/// All that can be asked of a matcher.
inline void expect_agrees(const riffle::grammar_matcher& m, slow::text& text, const slow::words& words,
                          const tokens& legal) {
    expect_mask(m, words, legal, text.has_ended());
    EXPECT_EQ(m.is_complete(), text.is_complete());
    EXPECT_EQ(m.is_finished(), text.is_finished());
    tokens allowed, different;
    for (std::int32_t id = -2; id < std::int32_t(words.size()) + 3; ++id) {
        if (m.allows(id)) allowed.push_back(id);
        EXPECT_EQ(m.can_accept(id).ok(), m.allows(id)) << id;
        if (id < 0 || std::size_t(id) >= words.size()) continue;
        if (m.refused_at(id) != text.refused_at(id)) different.push_back(id);
    }
    EXPECT_EQ(allowed, legal);
    EXPECT_EQ(different, tokens()) << "refused elsewhere:" << printed(words, different);
    const riffle::byte_set expected = m.expected_bytes();
    std::string missing, beyond;
    for (unsigned b = 0; b < 256; ++b) {
        const bool may = text.may_follow(std::uint8_t(b));
        if (may && !expected.contains(std::uint8_t(b))) missing += char(b);
        if (!may && expected.contains(std::uint8_t(b))) beyond += char(b);
    }
    EXPECT_EQ(printed(missing), "");
    EXPECT_EQ(printed(beyond), "");
}
/// After text has come, or an end: what check() has to say.
inline riffle::status_code code_of(const slow::text& text, const tokens& legal) {
    if (text.has_ended()) return riffle::status_code::no_legal_token;
    return legal.empty() ? riffle::status_code::dead_end : riffle::status_code::ok;
}

}  // namespace riffle_tests::constraint_walks
