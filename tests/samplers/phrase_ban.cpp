#include <string>

#include "samplers/single.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<phrase_ban>() == facts{.edits = true});

TEST(PhraseBan, AgreesWithTheReference) { expect_stage_agrees(variants_of<phrase_ban>(), sizes_of_a_thousand); }
TEST(PhraseBan, AgreesWithTheReferenceOnLongRows) { expect_stage_agrees_on_long_rows(variants_of<phrase_ban>()); }

using words = std::vector<const char*>;

vocabulary vocabulary_of(const words& pieces) {
    vocabulary v;
    for (const char* piece : pieces) v.add(piece);
    return v;
}
token_id id_of(const vocabulary& v, std::string_view piece) {
    for (token_id id = 0; std::size_t(id) < v.size(); ++id)
        if (v.piece(id) == text(piece)) return id;
    ADD_FAILURE() << piece;
    return null_token;
}
/// Accepts these pieces; the answer is that of the last, and no other asks for anything.
template <class Chain>
int rewind_after(Chain& c, const vocabulary& v, const words& pieces) {
    int back = 0;
    for (const char* piece : pieces) {
        EXPECT_EQ(back, 0) << piece;
        back = c.accept(id_of(v, piece)).rewind;
        EXPECT_EQ(c.last_step().rewind, back);
    }
    return back;
}
/// Which pieces are banned here.
template <class Chain>
std::vector<std::string> banned_in(Chain& c, const vocabulary& v) {
    std::vector<float> row(v.size(), 0.0f);
    auto memory = candidates_of(row);
    candidates all{memory.data(), memory.size(), -1, false};
    c.apply(all);
    std::vector<std::string> pieces;
    for (const auto& token : all)
        if (token.logit == -infinity) pieces.push_back(reference::piece_of(v, token.id));
    std::sort(pieces.begin(), pieces.end());
    // the wide form too
    auto wide = c;
    std::size_t legal = 0;
    for (const auto& token : wide.distribution(row)) legal += token.logit > -infinity;
    EXPECT_EQ(legal + pieces.size(), v.size());
    return pieces;
}
using strings = std::vector<std::string>;

TEST(PhraseBan, SeesAPhraseHoweverItIsSplit) {
    const vocabulary v = vocabulary_of({"b", "a", "d", "ba", "ad", "bad", "xba", "dy", "", "x", "xbady", "abad"});
    const auto back = [&](const words& pieces) {
        auto c = phrase_ban{&v, {"bad"}} | dist{};
        return rewind_after(c, v, pieces);
    };
    EXPECT_EQ(back({"b", "a", "d"}), 3);
    EXPECT_EQ(back({"ba", "d"}), 2);
    EXPECT_EQ(back({"b", "ad"}), 2);
    EXPECT_EQ(back({"bad"}), 1);
    EXPECT_EQ(back({"xba", "dy"}), 2);
    EXPECT_EQ(back({"x", "b", "a", "dy"}), 3);
    EXPECT_EQ(back({"b", "", "a", "", "", "d"}), 6);
    EXPECT_EQ(back({"xbady"}), 1);
    EXPECT_EQ(back({"b", "b", "a", "d"}), 3);
    EXPECT_EQ(back({"ba", "ba", "d"}), 2);
    EXPECT_EQ(back({"ba", "x", "d"}), 0);
    EXPECT_EQ(back({"b", "a", ""}), 0);
}
TEST(PhraseBan, BansTheTokenThatBeganItAtThatPlace) {
    const vocabulary v = vocabulary_of({"b", "a", "d", "xba"});
    auto c = phrase_ban{&v, {"bad"}} | dist{};
    EXPECT_EQ(rewind_after(c, v, {"a", "xba", "d"}), 2);
    EXPECT_TRUE(c.rewind(2));
    EXPECT_EQ(banned_in(c, v), (strings{"xba"}));
    c.accept(id_of(v, "a"));
    EXPECT_EQ(banned_in(c, v), (strings{}));  // elsewhere
    c.rewind(1);
    EXPECT_EQ(banned_in(c, v), (strings{"xba"}));  // back again
    c.rewind(1);
    EXPECT_EQ(banned_in(c, v), (strings{}));
    c.accept(id_of(v, "d"));
    EXPECT_EQ(banned_in(c, v), (strings{}));  // another text before
    c.rewind(1);
    c.accept(id_of(v, "a"));
    EXPECT_EQ(banned_in(c, v), (strings{"xba"}));  // whichever way it came to be
    c.reset();
    c.accept(id_of(v, "a"));
    EXPECT_EQ(banned_in(c, v), (strings{}));
}
TEST(PhraseBan, PhrasesThatBeginAtTheSamePlaceAddUp) {
    const vocabulary v = vocabulary_of({"a", "b", "c", "ab", "x"});
    auto c = phrase_ban{&v, {"ac", "bc", "abb"}} | dist{};
    EXPECT_EQ(rewind_after(c, v, {"x", "a", "c"}), 2);
    c.rewind(2);
    EXPECT_EQ(rewind_after(c, v, {"b", "c"}), 2);
    c.rewind(2);
    EXPECT_EQ(rewind_after(c, v, {"ab", "b"}), 2);
    c.rewind(2);
    EXPECT_EQ(banned_in(c, v), (strings{"a", "ab", "b"}));
}
TEST(PhraseBan, OfSeveralPhrasesTheOneThatBeginsFirstCounts) {
    const vocabulary v = vocabulary_of({"a", "b", "c", "d", "dab"});
    auto c = phrase_ban{&v, {"cd", "bcd", "abx", "d"}} | dist{};
    EXPECT_EQ(rewind_after(c, v, {"a", "b", "c", "d"}), 3);
    c.reset();
    EXPECT_EQ(rewind_after(c, v, {"c", "dab"}), 2);
    c.reset();
    EXPECT_EQ(rewind_after(c, v, {"a", "d"}), 1);
}
TEST(PhraseBan, LettersAreAlikeInEitherCaseUnlessSameCase) {
    const vocabulary v = vocabulary_of({"a", "A", "b", "B", "\xc3\xa4", "\xc3\x84", "[", "{", "@", "`"});
    const auto back = [&](const phrase_ban& stage, const words& pieces) {
        auto c = stage | dist{};
        return rewind_after(c, v, pieces);
    };
    const std::vector<text> phrases{"aB", "\xc3\xa4", "[", "@"};
    const phrase_ban either{&v, phrase_set(phrases)}, same{&v, phrase_set(phrases, true)};
    for (const words& pieces : {words{"a", "b"}, {"A", "b"}, {"a", "B"}, {"A", "B"}})
        EXPECT_EQ(back(either, pieces), 2);
    EXPECT_EQ(back(same, {"a", "B"}), 2);
    for (const words& pieces : {words{"a", "b"}, {"A", "b"}, {"A", "B"}}) EXPECT_EQ(back(same, pieces), 0);
    EXPECT_EQ(back(either, {"\xc3\xa4"}), 1);
    EXPECT_EQ(back(either, {"\xc3\x84"}), 0);  // ASCII alone
    EXPECT_EQ(back(either, {"["}), 1);
    EXPECT_EQ(back(either, {"{"}), 0);
    EXPECT_EQ(back(either, {"@"}), 1);
    EXPECT_EQ(back(either, {"`"}), 0);
}
TEST(PhraseBan, PromptsAreNotLookedAt) {
    const vocabulary v = vocabulary_of({"b", "a", "d"});
    auto c = phrase_ban{&v, {"bad"}} | dist{};
    EXPECT_TRUE(c.prompt(std::vector<token_id>{0, 1, 2, 0, 1}));
    EXPECT_EQ(c.last_step().rewind, 0);
    EXPECT_EQ(rewind_after(c, v, {"d"}), 0);
    EXPECT_EQ(rewind_after(c, v, {"b", "a", "d"}), 3);
    c.rewind(1);
    c.prompt(std::vector<token_id>{2});
    EXPECT_EQ(rewind_after(c, v, {"d"}), 0);
}
TEST(PhraseBan, RewindingIsAsIfNothingHadBeenSampled) {
    const vocabulary v = vocabulary_of({"b", "a", "d", "x"});
    const std::vector<float> row{1.0f, 0.5f, 0.7f, 0.2f};
    auto never = phrase_ban{&v, {"bad"}} | dist{.seed = 3};
    rewind_after(never, v, {"x", "b"});
    auto c = never;
    EXPECT_EQ(rewind_after(c, v, {"b", "a", "d"}), 3);
    EXPECT_TRUE(c.rewind(3));
    const auto m = c.mark(), expected = never.mark();
    EXPECT_EQ(m.stages, expected.stages);
    EXPECT_EQ(m.prefix_hash, expected.prefix_hash);
    EXPECT_EQ(m.position, expected.position);
    // another token than the banned one: all is alike from there on, and the b from before the rewind still counts
    EXPECT_EQ(rewind_after(c, v, {"a", "d"}), 3);
    EXPECT_EQ(rewind_after(never, v, {"a", "d"}), 3);
    c.rewind(2);  // less than was asked for: the phrase is still begun
    EXPECT_EQ(rewind_after(c, v, {"a", "x"}), 0);
    never.rewind(2);
    rewind_after(never, v, {"a", "x"});
    for (int i = 0; i < 50; ++i) {
        const token_id token = never.peek(row);
        ASSERT_EQ(c.peek(row), token) << i;
        const int back = c.accept(token).rewind;
        ASSERT_EQ(never.accept(token).rewind, back);
    }
}
TEST(PhraseBan, MarksTakeBackTheTextButNotTheBans) {
    const vocabulary v = vocabulary_of({"b", "a", "d"});
    auto c = phrase_ban{&v, {"bad"}} | dist{};
    rewind_after(c, v, {"d"});
    const auto at_d = c.mark();
    rewind_after(c, v, {"b"});
    const auto at_b = c.mark();
    EXPECT_EQ(rewind_after(c, v, {"a", "d"}), 3);
    EXPECT_TRUE(c.rollback(at_b));
    EXPECT_EQ(rewind_after(c, v, {"a", "d"}), 3);
    EXPECT_TRUE(c.rollback(at_d));
    EXPECT_EQ(banned_in(c, v), (strings{"b"}));
    const auto copy = c;
    auto other = copy;
    EXPECT_EQ(banned_in(other, v), (strings{"b"}));
}
/// "a" as so many tokens, and "b" as the last.
vocabulary many_of_one_letter(int count) {
    vocabulary v;
    for (int i = 0; i < count; ++i) v.add("a");
    v.add("b");
    return v;
}
TEST(PhraseBan, APlaceCanHaveSixtyFourBansAndThenKeepsThePhrase) {
    const vocabulary v = many_of_one_letter(70);
    auto c = phrase_ban{&v, {"a"}} | greedy{};
    const std::vector<float> row(71, 0.0f);
    for (token_id id = 0; id < 64; ++id) {
        EXPECT_EQ(c.sample(row), id);
        ASSERT_EQ(c.last_step().rewind, 1);
        EXPECT_TRUE(c.last_step().state.ok());
        c.rewind(1);
    }
    EXPECT_EQ(c.sample(row), 64);  // it would go round for ever if an older ban were forgotten now
    EXPECT_EQ(c.last_step().rewind, 0);
    EXPECT_EQ(c.last_step().state.code(), status_code::stage_failed);
    EXPECT_STREQ(c.last_step().state.message().c_str(), "phrase_ban: a stage failed, or refused the token");
    EXPECT_EQ(c.sample(row), 0);  // the next place
    EXPECT_EQ(c.last_step().rewind, 1);
    EXPECT_TRUE(c.last_step().state.ok());
}
TEST(PhraseBan, ABannedBeginningThatIsAcceptedAgainIsBannedOnce) {
    const vocabulary v = many_of_one_letter(3);
    auto c = phrase_ban{&v, {"a"}} | dist{};
    for (int i = 0; i < 200; ++i) {
        EXPECT_EQ(c.accept(1).rewind, 1);
        EXPECT_TRUE(c.rewind(1));
    }
    EXPECT_EQ(c.accept(0).rewind, 1);
    EXPECT_TRUE(c.rewind(1));
    EXPECT_EQ(banned_in(c, v), (strings{"a", "a"}));
}
TEST(PhraseBan, OfPlacesThatTheTextHasLeftTheNewestSixtyFourBansAreKept) {
    const vocabulary v = many_of_one_letter(40);
    auto c = phrase_ban{&v, {"a"}} | dist{};
    const auto ban_at = [&](token_id place, int count) {  // a first token after which so many are banned
        EXPECT_TRUE(c.prompt(std::vector<token_id>{place}));
        for (token_id id = 0; id < count; ++id) {
            EXPECT_EQ(c.accept(id).rewind, 1);
            EXPECT_TRUE(c.rewind(1));
        }
    };
    const auto bans_at = [&](token_id place, const auto& beginning) {
        EXPECT_TRUE(c.rollback(beginning));
        EXPECT_TRUE(c.prompt(std::vector<token_id>{place}));
        const std::size_t bans = banned_in(c, v).size();
        EXPECT_TRUE(c.rollback(beginning));
        return bans;
    };
    const auto beginning = c.mark();
    ban_at(3, 30);
    EXPECT_TRUE(c.rollback(beginning));
    ban_at(5, 20);
    EXPECT_TRUE(c.rollback(beginning));
    ban_at(7, 40);  // the first place pays
    EXPECT_EQ(bans_at(3, beginning), 4u);
    EXPECT_EQ(bans_at(5, beginning), 20u);
    EXPECT_EQ(bans_at(7, beginning), 40u);
}
TEST(PhraseBan, GoingBackEndsAfterTenThousandTimesWithoutALongerText) {
    // Forty beginnings, and forty ways to go on from each: more than can be remembered.
    vocabulary v;
    for (const char* letter : {"a", "b"})
        for (int i = 0; i < 40; ++i) v.add(letter);
    auto c = phrase_ban{&v, {"bab", "bb", "aba", "aa"}} | greedy{};
    const std::vector<float> row(v.size(), 1.0f);
    int times_back = 0, refused = 0;
    for (std::size_t generated = 0; generated < 5; ++generated) {
        ASSERT_NE(c.sample(row), null_token);
        const step last = c.last_step();
        refused += last.state.code() == status_code::stage_failed;
        if (last.rewind == 0) continue;
        ASSERT_LT(++times_back, 50000);
        ASSERT_TRUE(c.rewind(std::size_t(last.rewind)));
        generated -= std::size_t(last.rewind);
    }
    EXPECT_GE(times_back, 10000);
    EXPECT_GT(refused, 0);
}
TEST(PhraseBan, WhatTheCallerTakesBackIsNoAttempt) {
    const vocabulary v = many_of_one_letter(3);
    auto c = phrase_ban{&v, {"a"}} | dist{};
    c.accept(3);
    const auto beginning = c.mark();
    for (int i = 0; i < 11000; ++i) {  // another way of going on, with a phrase in it
        EXPECT_TRUE(c.rollback(beginning));
        EXPECT_EQ(c.accept(0).rewind, 1);
        EXPECT_TRUE(c.rewind(1));
        EXPECT_TRUE(c.accept(3).state.ok());
        EXPECT_TRUE(c.accept(3).state.ok());
    }
}
TEST(PhraseBan, OtherPhrasesBeginAnew) {
    const vocabulary v = vocabulary_of({"ab", "z", "xyz"});
    auto c = phrase_ban{&v, {"abc and much more", "xyz"}} | greedy{};
    c.accept(0);
    const auto within = c.mark();
    for (const char* other :
         {"z", "x", "bz", "qqz"}) {  // "ab" is the beginning of none of them, two bytes of one or not
        get<phrase_ban>(c).phrases = {other};
        EXPECT_EQ(c.accept(1).rewind, std::string(other) == "z" ? 1 : 0) << other;
        EXPECT_TRUE(c.rollback(within));
        EXPECT_EQ(c.accept(1).rewind, std::string(other) == "z" ? 1 : 0) << other << ", after going back";
        EXPECT_TRUE(c.rollback(within));
    }
    get<phrase_ban>(c).phrases = {};
    EXPECT_EQ(c.accept(2).rewind, 0);
}
TEST(PhraseBan, APlaceWhereAllIsBannedHasNoToken) {
    const vocabulary v = vocabulary_of({"a", "A", "aa"});
    auto c = phrase_ban{&v, {"a"}} | dist{};
    const std::vector<float> row(3, 0.0f);
    for (int i = 0; i < 3; ++i) {
        ASSERT_NE(c.sample(row), null_token);
        ASSERT_EQ(c.last_step().rewind, 1);
        c.rewind(1);
    }
    EXPECT_EQ(c.sample(row), null_token);
    EXPECT_EQ(c.last_status().code(), status_code::no_legal_token);
}
TEST(PhraseBan, APhraseOfTooManyTokensCannotBeTakenBack) {
    const vocabulary v = vocabulary_of({"a", "b"});
    const std::string fits(128, 'a'), too_long(129, 'a');
    const auto status_after = [&](const std::string& phrase) {
        auto c = phrase_ban{&v, {phrase}} | dist{};
        rewind_after(c, v, {"b", "b"});
        int back = 0;
        for (std::size_t i = 0; i < phrase.size(); ++i) {
            EXPECT_EQ(back, 0);
            back = c.accept(0).rewind;
        }
        EXPECT_EQ(std::size_t(back), phrase.size());
        return c.rewind(std::size_t(back)).code();
    };
    EXPECT_EQ(status_after(fits), status_code::ok);
    EXPECT_EQ(status_after(too_long), status_code::rewind_too_far);
}
TEST(PhraseBan, StreamsNeverHaveThePhrase) {
    const vocabulary v = vocabulary_of({"b", "a", "d", "ba", "ad", "c", "bac", "", "aB", "D"});
    const strings phrases{"bad", "ab", "dc", "bb", "adda"};
    const std::vector<text> texts(phrases.begin(), phrases.end());
    const std::vector<float> row(v.size(), 0.0f);
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        auto c = phrase_ban{&v, phrase_set(texts)} | dist{.seed = seed};
        strings pieces;
        std::size_t rewinds = 0;
        for (int i = 0; i < 6000 && pieces.size() < 1500; ++i) {
            const token_id token = c.sample(row);
            ASSERT_NE(token, null_token);
            pieces.push_back(reference::piece_of(v, token));
            if (const int back = c.last_step().rewind) {
                ASSERT_TRUE(c.rewind(std::size_t(back)));
                pieces.resize(pieces.size() - std::size_t(back));
                ++rewinds;
            }
            ASSERT_EQ(c.mark().tokens, pieces.size());
        }
        std::string whole;
        for (const auto& piece : pieces)
            for (const char l : piece) whole += reference::folded(l);
        EXPECT_GE(pieces.size(), 150u);
        EXPECT_GT(rewinds, 100u);
        for (const auto& phrase : phrases) EXPECT_EQ(whole.find(phrase), std::string::npos) << phrase;
    }
}
TEST(PhraseBan, TextWithoutThePhraseIsWhatItWouldHaveBeen) {
    const vocabulary v = vocabulary_of({"b", "a", "d", "c", "e", "f"});
    const std::vector<float> row(v.size(), 0.0f);
    auto c = phrase_ban{&v, {"bad"}} | dist{.seed = 8};
    auto plain = chain(dist{.seed = 8});
    int banned = 0;
    for (int i = 0; i < 2000; ++i) {
        const token_id free = plain.peek(row);
        const bool here = !banned_in(c, v).empty();
        const token_id token = c.sample(row);
        if (!here) {
            ASSERT_EQ(token, free) << i;
        }
        plain.accept(token);
        if (const int back = c.last_step().rewind) {
            c.rewind(std::size_t(back));
            plain.rewind(std::size_t(back));
            ++banned;
        }
    }
    EXPECT_GT(banned, 3);
}
TEST(PhraseBan, TwoOfThemAskForTheLongerWay) {
    const vocabulary v = vocabulary_of({"b", "a", "d"});
    auto c = phrase_ban{&v, {"ad"}} | phrase_ban{&v, {"bad"}} | dist{};
    EXPECT_EQ(rewind_after(c, v, {"b", "a", "d"}), 3);
}
TEST(PhraseBan, WithoutPhrasesItNeedsNoVocabulary) {
    EXPECT_EQ((phrase_ban{} | greedy{}).sample(std::vector<float>{1.0f, 2.0f}), 1);
    EXPECT_EQ((phrase_ban{nullptr, {"", ""}} | greedy{}).sample(std::vector<float>{1.0f, 2.0f}), 1);
}

}  // namespace
}  // namespace riffle_tests
