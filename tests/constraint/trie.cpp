// Vocabulary tries: what they say of a vocabulary. What masks make of them is in masks.cpp.

#include <cstddef>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include <riffle/constraint.hpp>

#include "integers.hpp"

namespace riffle_tests::constraint_trie {
namespace {

using namespace riffle;

vocabulary some_words() {
    vocabulary words;
    words.add("a");
    words.add("");
    words.add("abc");
    words.add("a");
    words.add("</s>", token_role::control | token_role::end_of_generation);
    return words;
}

TEST(VocabularyTrie, HasThePieces) {
    vocabulary_trie trie;
    {
        const vocabulary words = some_words();
        trie = vocabulary_trie(words);
    }  // it owns what it needs
    ASSERT_TRUE((trie.check)().ok());
    EXPECT_EQ(trie.size(), 5u);
    EXPECT_EQ(trie.piece(0), "a");
    EXPECT_EQ(trie.piece(1), "");
    EXPECT_EQ(trie.piece(2), "abc");
    EXPECT_EQ(trie.piece(4), "</s>");
    EXPECT_EQ(trie.piece(5), "");
    EXPECT_EQ(trie.piece(-1), "");
}
TEST(VocabularyTrie, FingerprintsArePiecesAndRoles) {
    const auto of = [](const vocabulary& words) { return vocabulary_trie(words).fingerprint(); };
    EXPECT_EQ(of(some_words()), of(some_words()));
    vocabulary longer = some_words(), with_role = some_words(), cut_elsewhere, split;
    longer.add("");
    EXPECT_NE(of(longer), of(some_words()));
    with_role.add("b");
    vocabulary without_role = some_words();
    without_role.add("b", token_role::control);
    EXPECT_NE(of(with_role), of(without_role));
    for (const char* piece : {"ab", "c"}) cut_elsewhere.add(piece);
    for (const char* piece : {"a", "bc"}) split.add(piece);
    EXPECT_NE(of(cut_elsewhere), of(split));
}
TEST(VocabularyTrie, OfMoreBytesThanItHasRoomFor) {
    integers random(1);
    vocabulary all;
    std::string piece(240, ' ');
    for (int n = 0; n < 75'000; ++n) {
        for (char& byte : piece) byte = char(random.next());
        all.add(piece);
    }
    const vocabulary_trie trie(all);
    EXPECT_STREQ((trie.check)().message().c_str(),
                 "vocabulary_trie: tokens = 75000 are too many, or have texts too long");
    const grammar_matcher m(*parse_gbnf(R"(root ::= "a")"), trie);
    EXPECT_STREQ((m.check)().message().c_str(), (trie.check)().message().c_str());
    EXPECT_EQ(m.legal_count(), 0u);
    EXPECT_FALSE(m.allows(3));
}
TEST(VocabularyTrie, OfNothing) {
    const vocabulary_trie none;
    EXPECT_STREQ((none.check)().message().c_str(),
                 "vocabulary_trie: tokens = 0 are none: it was made without a vocabulary");
    EXPECT_EQ(none.size(), 0u);
    EXPECT_EQ(none.fingerprint(), 0u);
    const vocabulary_trie empty{vocabulary()};
    EXPECT_TRUE((empty.check)().ok());
    EXPECT_EQ(empty.size(), 0u);
    const grammar_matcher m(*parse_gbnf("root ::= \"a\""), none);
    EXPECT_EQ((m.check)().code(), status_code::invalid_parameter);
}

}  // namespace
}  // namespace riffle_tests::constraint_trie
