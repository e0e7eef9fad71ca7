// Drafts that keep to the masks of a chain.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/constraint.hpp>
#include <riffle/riffle.hpp>
#include <riffle/speculative.hpp>

namespace riffle_tests::speculative_legal_drafts {
namespace {

using namespace riffle;

/// A token for each of these letters, and an end.
const std::string letters = "abcdex";
constexpr token_id end_of_text = 6;
const vocabulary& words() {
    static const vocabulary made = [] {
        vocabulary v;
        for (const char& letter : letters) v.add(text(&letter, 1));
        v.add("</s>", token_role::end_of_generation | token_role::control);
        return v;
    }();
    return made;
}
const vocabulary_trie& trie() {
    static const vocabulary_trie made(words());
    return made;
}
auto chain_of(const char* grammar_text) {
    const auto parsed = parse_gbnf(grammar_text);
    EXPECT_TRUE(parsed) << parsed.problem().message().c_str();
    return constrain{grammar_matcher(*parsed, trie())} | dist{.seed = 1};
}
draft draft_of(const char* text) {
    draft made;
    for (; *text; ++text) made.push(token_id(letters.find(*text)));
    return made;
}
std::string text_of(const draft& d) {
    std::string text;
    for (const token_id token : d.tokens()) text += token == end_of_text ? '.' : letters[std::size_t(token)];
    return text;
}

TEST(LegalDrafts, AreCutAheadOfTheFirstTokenThatIsNot) {
    auto chain = chain_of("root ::= \"a\" [bc]+ \"d\"");
    for (const auto& [drafted, legal] :
         {std::pair{"abcbd", "abcbd"}, {"abxb", "ab"}, {"b", ""}, {"", ""}, {"adb", "a"}}) {
        draft d = draft_of(drafted);
        const checkpoint place = chain.mark();
        EXPECT_EQ(keep_legal(chain, d), std::strlen(legal));
        EXPECT_EQ(text_of(d), legal);
        EXPECT_EQ(chain.mark().tokens, place.tokens);
        EXPECT_EQ(chain.mark().stages, place.stages);
    }
}
TEST(LegalDrafts, EndWithTheText) {
    auto chain = chain_of("root ::= \"ab\"");
    draft d = draft_of("ab");
    d.push(end_of_text);
    d.push(0);
    EXPECT_EQ(keep_legal(chain, d), 2u);  // behind it the grammar is done
    EXPECT_EQ(text_of(d), "ab");
    auto open_ended = chain_of("root ::= \"a\" \"b\"*");
    d = draft_of("ab");
    d.push(end_of_text);
    d.push(0);
    EXPECT_EQ(keep_legal(open_ended, d), 3u);
    EXPECT_EQ(text_of(d), "ab.");
}
TEST(LegalDrafts, GetWhatAConstraintForces) {
    auto chain = chain_of("root ::= \"abc\" [de] \"ab\"");
    draft d;
    EXPECT_EQ(draft_forced(chain, d, 10), 3u);
    EXPECT_EQ(text_of(d), "abc");
    d.push(token_id(letters.find('e')));
    EXPECT_EQ(draft_forced(chain, d, 10), 2u);
    EXPECT_EQ(text_of(d), "abceab");
    d = draft_of("ax");
    EXPECT_EQ(draft_forced(chain, d, 10), 0u);  // what is there is not legal
    d.clear();
    EXPECT_EQ(draft_forced(chain, d, 2), 2u);
    EXPECT_EQ(chain.mark().tokens, 0u);
}
/// Always proposes the same letters.
struct fixed_drafter {
    const char* text;
    void accept(std::span<const token_id>) noexcept {}
    std::size_t propose(draft& d, std::size_t most) noexcept {
        std::size_t added = 0;
        for (const char* at = text; *at && d.size() < most; ++at) added += d.push(token_id(letters.find(*at)));
        return added;
    }
    void reset() noexcept {}
    std::size_t bytes() const noexcept { return 0; }
};
TEST(LegalDrafts, JoinADrafterWithWhatIsForced) {
    auto chain = chain_of("root ::= \"ab\" [cd] [cd] \"ea\" [cd]");
    fixed_drafter drafts{"cd"};
    draft d;
    EXPECT_EQ(propose_legal(chain, drafts, d, 20), 6u);
    EXPECT_EQ(text_of(d), "abcdea");
    fixed_drafter wrong{"cxa"};
    d.clear();
    EXPECT_EQ(propose_legal(chain, wrong, d, 20), 3u);
    EXPECT_EQ(text_of(d), "abc");
    d.clear();
    EXPECT_EQ(propose_legal(chain, drafts, d, 3), 3u);
    EXPECT_EQ(text_of(d), "abc");
}
TEST(LegalDrafts, OfMasksAndOfChainsWithoutAny) {
    auto masked = mask{{0b000110u}} | allowed_tokens{{1, 3}} | mask{{0b000010u}} | dist{};
    draft d;
    EXPECT_EQ(draft_forced(masked, d, 4), 4u);
    EXPECT_EQ(text_of(d), "bbbb");
    auto plain = top_k{3} | dist{};
    d = draft_of("abc");
    EXPECT_EQ(keep_legal(plain, d), 3u);
    EXPECT_EQ(draft_forced(plain, d, 9), 0u);
    fixed_drafter drafts{"cd"};
    EXPECT_EQ(propose_legal(plain, drafts, d, 9), 2u);
}
TEST(LegalDrafts, LeaveTheTextAsItIsWithoutDrafts) {
    const std::vector<float> row{1.0f, 2.0f, 1.5f, 2.5f, 0.5f, 3.0f, 0.0f};
    const auto begun = chain_of("root ::= (\"ab\" [cd] \"e\")* \"x\"");
    std::string expected;
    auto plain = begun;
    while (expected.size() < 40) {
        const token_id token = plain.sample(row);
        if (token < 0 || token == end_of_text) break;
        expected += letters[std::size_t(token)];
    }
    auto chain = begun;
    speculator<> verifier;
    suffix_automaton drafts;
    draft d;
    std::string text;
    const token_id ends[] = {end_of_text};
    for (bool finished = false; !finished && text.size() < expected.size();) {
        d.clear();
        propose_legal(chain, drafts, d, 8);
        const verified& round = verifier.verify(chain, d, [&](std::size_t) { return std::span(row); }, ends);
        ASSERT_TRUE(round.state) << round.state.message().c_str();
        drafts.accept(round.tokens);
        for (const token_id token : round.tokens)
            if (token != end_of_text) text += letters[std::size_t(token)];
        finished = round.finished;
    }
    EXPECT_EQ(text.substr(0, expected.size()), expected);
}

}  // namespace
}  // namespace riffle_tests::speculative_legal_drafts
