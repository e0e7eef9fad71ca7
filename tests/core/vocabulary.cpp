#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/core/vocabulary.hpp>

namespace {

using namespace riffle;
using ids = std::vector<token_id>;

std::string piece(const vocabulary& v, token_id id) { return {v.piece(id).data(), v.piece(id).size()}; }

vocabulary some_words() {
    vocabulary v;
    for (const char* p : {"a", "ab", "", "abc", " "}) v.add(p);
    v.add("<end>", token_role::end_of_generation | token_role::control);
    v.add(text("\0b", 2));
    return v;
}

TEST(Vocabulary, GivesWhatWasAdded) {
    const vocabulary v = some_words();
    ASSERT_EQ(v.size(), 7u);
    const std::vector<std::string> pieces{"a", "ab", "", "abc", " ", "<end>", std::string("\0b", 2)};
    for (std::size_t i = 0; i < pieces.size(); ++i) EXPECT_EQ(piece(v, token_id(i)), pieces[i]) << i;
    for (token_id id = 0; id < 7; ++id) {
        EXPECT_EQ(v.ends_generation(id), id == 5);
        EXPECT_EQ(v.is(id, token_role::control), id == 5);
    }
    EXPECT_EQ(vocabulary().add("first"), 0);
    EXPECT_EQ(v.end_of_turn, null_token);
    EXPECT_EQ(v.end_of_sequence, null_token);
}
TEST(Vocabulary, KnowsNothingOfIdsOutside) {
    const vocabulary v = some_words();
    for (const token_id id : {-1, 7, std::numeric_limits<token_id>::min(), std::numeric_limits<token_id>::max()}) {
        EXPECT_FALSE(v.contains(id)) << id;
        EXPECT_EQ(piece(v, id), "") << id;
        EXPECT_FALSE(v.ends_generation(id)) << id;
    }
}
TEST(Vocabulary, TokenisesIntoTheLongestPiecesFromTheLeft) {
    const vocabulary v = some_words();
    EXPECT_EQ(v.tokenise("abcab a"), (ids{3, 1, 4, 0}));
    EXPECT_EQ(v.tokenise("xaxxab"), (ids{0, 1}));  // no piece begins with x
    EXPECT_EQ(v.tokenise("<end>a"), (ids{0}));     // a name is no text
    EXPECT_EQ(v.tokenise(""), ids{});
    EXPECT_EQ(vocabulary().tokenise("abc"), ids{});
    EXPECT_EQ(v.tokenise(std::string(100, 'a')).size(), 64u);
    EXPECT_EQ(v.tokenise(std::string(100, 'a'), 1000).size(), 100u);
    EXPECT_EQ(v.tokenise("abcab a", 2), (ids{3, 1}));
}
TEST(Vocabulary, AsksTheTokeniserOfTheModel) {
    vocabulary v = some_words();
    const token_id model = 40;
    v.use_tokeniser(
        [](const void* given, text words, token_id* out, std::size_t capacity) {
            for (std::size_t i = 0; i < words.size() && i < capacity; ++i)
                out[i] = *static_cast<const token_id*>(given) + token_id(i);
            return words.size();  // more than fit, perhaps
        },
        &model);
    EXPECT_EQ(v.tokenise("xyz"), (ids{40, 41, 42}));
    EXPECT_EQ(v.tokenise(std::string(100, 'x')).size(), 64u);
    EXPECT_EQ(v.tokenise(std::string(100, 'x'), 1000).size(), 100u);
    EXPECT_EQ(v.tokenise("xyz", 2), (ids{40, 41}));
    EXPECT_TRUE(v.tokenise("xyz", 0).empty());
    const vocabulary copy = v;
    EXPECT_EQ(copy.tokenise("x"), ids{40});
}

}  // namespace
