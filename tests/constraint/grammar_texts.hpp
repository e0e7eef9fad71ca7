#pragma once
// What the tests of grammars share: a vocabulary in which any text can be written, and whether a grammar takes a text.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/constraint/gbnf.hpp>
#include <riffle/constraint/grammar_matcher.hpp>
#include <riffle/constraint/vocabulary_trie.hpp>

namespace riffle_tests::grammar_texts {

/// The 256 bytes, at the ids that are their values; behind them longer pieces of text, control tokens and an end.
class small_model {
public:
    enum : riffle::token_id { none = 256, tool = 257, im_start = 258, end = 259, first_longer = 260 };

    small_model() {
        riffle::vocabulary all;
        for (int byte = 0; byte < 256; ++byte) {
            const char piece = char(byte);
            all.add({&piece, 1});
        }
        all.add("");
        all.add("<tool>", riffle::token_role::control);
        all.add("<|im_start|>", riffle::token_role::control);
        all.add("</s>", riffle::token_role::control | riffle::token_role::end_of_generation);
        for (const std::string_view piece : {"ab",       "abc",      "bc",       "aa",       "aaaa",
                                             "aaaaaaaa", "true",     "false",    "null",     "\":",
                                             "\",",      "{\"",      "\"}",      "],",       "  ",
                                             "\n\n",     "10",       "00",       "é",        "日本",
                                             "語",       "\xC3\x41", "\xE6\x97", "\x97\xA5", "\xA5\xE6\x9C\xAC",
                                             "word",     " word",    "-",        ":",        "ab"})
            all.add(piece);
        trie_ = riffle::vocabulary_trie(all);
    }
    const riffle::vocabulary_trie& trie() const { return trie_; }

private:
    riffle::vocabulary_trie trie_;
};
inline const riffle::vocabulary_trie& tokens() {
    static const small_model model;
    return model.trie();
}

inline bool is_legal(const riffle::grammar_matcher& m, riffle::token_id id) {
    const auto words = m.legal_words();
    return std::size_t(id) / 32 < words.size() && (words[std::size_t(id) / 32] >> (id % 32) & 1) != 0;
}

/// The same text in tokens of the greatest length, and in tokens of a byte each: whether all of them were taken, and
/// the end then is. What the mask says of a token is what becomes of it.
inline bool takes_in_tokens(riffle::grammar_matcher m, std::string_view text, std::size_t longest) {
    for (std::size_t at = 0; at < text.size();) {
        riffle::token_id next = riffle::token_id(static_cast<unsigned char>(text[at]));
        for (riffle::token_id id = small_model::first_longer; std::size_t(id) < tokens().size(); ++id) {
            const riffle::text piece = tokens().piece(id);
            if (piece.size() > tokens().piece(next).size() && piece.size() <= longest &&
                text.substr(at, piece.size()) == std::string_view(piece.data(), piece.size()))
                next = id;
        }
        const bool legal = m.allows(next);
        if (text.size() <= 200) {
            EXPECT_EQ(is_legal(m, next), legal) << "at byte " << at << " of " << text;
        }
        EXPECT_EQ(!m.accept(next).refused, legal) << "at byte " << at << " of " << text;
        if (!legal) return false;
        at += tokens().piece(next).size();
    }
    EXPECT_EQ(m.is_complete(), m.allows(small_model::end)) << text;
    EXPECT_EQ(m.is_complete(), is_legal(m, small_model::end)) << text;
    return m.is_complete();
}

/// Whether a text as a whole is one of a grammar.
inline bool takes(const riffle::grammar& g, std::string_view text) {
    const riffle::grammar_matcher begin(g, tokens());
    riffle::grammar_matcher m = begin;
    const bool taken = m.accept_bytes(text).ok() && m.is_complete();
    if (text.find('\0') == text.npos) {  // no token begins with NUL
        EXPECT_EQ(takes_in_tokens(begin, text, 1), taken) << text;
        EXPECT_EQ(takes_in_tokens(begin, text, 100), taken) << text;
    }
    return taken;
}
inline bool takes(std::string_view source, std::string_view text, std::string_view root = "root") {
    const riffle::parsed<riffle::grammar> g = riffle::parse_gbnf(source, root);
    if (!g) {
        ADD_FAILURE() << g.problem().message() << "\n" << source;
        return false;
    }
    return takes(*g, text);
}

/// Whether some bytes may begin a text.
inline bool begins(std::string_view source, std::string_view bytes) {
    const riffle::parsed<riffle::grammar> g = riffle::parse_gbnf(source);
    EXPECT_TRUE(g.ok()) << g.problem().message();
    return riffle::grammar_matcher(*g, tokens()).accept_bytes(bytes).ok();
}

/// All texts that are taken, and some that are not.
inline void expect_texts(std::string_view source, const std::vector<std::string>& good,
                         const std::vector<std::string>& bad) {
    SCOPED_TRACE(source.substr(0, 300));
    const riffle::parsed<riffle::grammar> g = riffle::parse_gbnf(source);
    ASSERT_TRUE(g.ok()) << g.problem().message();
    for (const std::string& text : good) EXPECT_TRUE(takes(*g, text)) << "not taken: " << text;
    for (const std::string& text : bad) EXPECT_FALSE(takes(*g, text)) << "taken: " << text;
}

}  // namespace riffle_tests::grammar_texts
