// What stages are told (ids, sequences, phrases, vocabularies), made and changed where one allocation fails.

#include <string>
#include <utility>
#include <vector>

#include "embedding/chains.hpp"
#include "embedding/sweep.hpp"

namespace riffle_tests::failing_sets {
namespace {

using namespace riffle;

constexpr auto nothing = [] { return 0; };
constexpr auto same = [](int& object) { return object; };

TEST(FailingAllocation, OfATokenSet) {
    const auto made = [] { return token_set{1, 5, 70}; };
    const auto ids = [](const token_set& s) {
        std::vector<token_id> all;
        s.each([&](token_id id) { all.push_back(id); });
        all.push_back(s.left_out());
        all.push_back(token_id(s.size()));
        all.insert(all.end(), s.ids().begin(), s.ids().end());
        return all;
    };
    fail_each_allocation(nothing, throwing([](int& n) { n += token_set{1, 5, 70000}.contains(5); }), same);
    fail_each_allocation(made, throwing([](token_set& s) { s.add(100000); }), ids);
    const token_set other{-1, 3, 90000, 5, 7, 9, 11, 13};  // its words and its list need memory
    fail_each_allocation(made, throwing([&](token_set& s) { s = other; }), ids);
}

TEST(FailingAllocation, OfTokenSequences) {
    const auto made = [] { return token_sequences{{13}, {198, 25, 7}, {4, 4}}; };
    const auto all = [](const token_sequences& s) { return std::vector<std::vector<token_id>>(s.begin(), s.end()); };
    const token_sequences other{{1, 2, 3, 4, 5, 6, 7, 8}, {9, 9, 9, 9, 9}, {13}};
    fail_each_allocation(nothing, throwing([](int& n) {
                             n += int(token_sequences{{13}, {198, 25}, {}}.size());
                         }),
                         same);
    fail_each_allocation(made, throwing([&](token_sequences& s) { s = other; }), all);
}

TEST(FailingAllocation, OfPhrases) {
    const auto made = [] { return phrase_set{"tapestry", "a testament to"}; };
    const auto print = [](const phrase_set& s) { return s.fingerprint(); };
    const phrase_set other{"shivers down", "spine", "barely above a whisper"};
    fail_each_allocation(nothing, throwing([](int& n) { n += int(phrase_set{"he", "hers"}.fingerprint() & 1); }), same);
    fail_each_allocation(made, throwing([&](phrase_set& s) { s = other; }), print);
}

constexpr const char* pieces[] = {"a", "b", "ab", "c:", " and", "then", "\n"};
vocabulary some_words() {
    vocabulary v;
    for (const char* piece : pieces) v.add(piece);
    v.end_of_turn = 3;
    return v;
}
std::string texts(const vocabulary& v) {
    std::string all = std::to_string(v.end_of_turn);
    for (token_id id = 0; v.contains(id); ++id) {
        all.append(v.piece(id).data(), v.piece(id).size());
        all += v.is(id, token_role::control) ? "!" : "|";
    }
    return all;
}
TEST(FailingAllocation, OfAVocabulary) {
    fail_each_allocation(some_words, throwing([](vocabulary& v) {
                             EXPECT_EQ(v.add("a piece of some length, so that it needs memory", token_role::control),
                                       7);
                         }),
                         texts);
    vocabulary other;
    for (int i = 0; i < 100; ++i) other.add("other", token_role::control);
    fail_each_allocation(some_words, throwing([&](vocabulary& v) { v = other; }), texts);
    fail_each_allocation(some_words, throwing([](vocabulary& v) { EXPECT_EQ(v.tokenise("abc:ab").size(), 3u); }),
                         texts);
    fail_each_allocation(some_words, throwing([](vocabulary& v) {
                             EXPECT_EQ(dry_breakers(v, {":", "b", " and then"}).size(), 4u);
                         }),
                         texts);
}

}  // namespace
}  // namespace riffle_tests::failing_sets
