#include <riffle/samplers/parts/dry_breakers.hpp>

#include "samplers/single.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<dry>() == facts{.edits = true});

TEST(Dry, AgreesWithTheReference) { expect_stage_agrees(variants_of<dry>(), sizes_of_a_thousand); }
TEST(Dry, AgreesWithTheReferenceOnLongRows) { expect_stage_agrees_on_long_rows(variants_of<dry>()); }

/// What is taken from the logits of tokens 0 ... 9 behind a text.
std::vector<float> taken(const dry& stage, const std::vector<token_id>& text) {
    std::vector<float> logits = logits_behind(stage, text, 10);
    for (float& l : logits) l = 0.0f - l;
    return logits;
}
std::vector<float> only(token_id token, float penalty) {
    std::vector<float> all(10, 0.0f);
    all[std::size_t(token)] = penalty;
    return all;
}
const std::vector<float> nothing(10, 0.0f);
const dry usual_dry{.multiplier = 1.0f, .base = 2.0f, .allowed_length = 2};

TEST(Dry, PenalisesByTheLengthOfTheRepetition) {
    EXPECT_EQ(taken(usual_dry, {2, 3, 5, 2}), nothing);                          // one token repeated
    EXPECT_EQ(taken(usual_dry, {1, 2, 3, 5, 1, 2}), only(3, 1.0f));              // two
    EXPECT_EQ(taken(usual_dry, {0, 1, 2, 3, 5, 0, 1, 2}), only(3, 2.0f));        // three
    EXPECT_EQ(taken(usual_dry, {7, 0, 1, 2, 3, 5, 7, 0, 1, 2}), only(3, 4.0f));  // four
    EXPECT_EQ(taken(usual_dry, {0, 1, 2, 3, 1, 2, 4, 0, 1, 2}),                  // three before a 3, two before a 4
              (std::vector<float>{0, 0, 0, 2.0f, 1.0f, 0, 0, 0, 0, 0}));
    EXPECT_EQ(taken(usual_dry, {1, 1, 1, 1, 1}), only(1, 4.0f));  // overlapping itself
    EXPECT_EQ(taken(usual_dry, {}), nothing);
    EXPECT_EQ(taken(usual_dry, {1}), nothing);
}
TEST(Dry, TheLongestOfSeveralRepetitionsCounts) {
    EXPECT_EQ(taken(usual_dry, {1, 2, 3, 0, 1, 2, 3, 5, 0, 1, 2}), only(3, 2.0f));
    EXPECT_EQ(taken(usual_dry, {0, 1, 2, 3, 1, 2, 3, 5, 0, 1, 2}), only(3, 2.0f));
}
TEST(Dry, PassagesDoNotReachOverABreaker) {
    auto with = [](std::vector<std::vector<token_id>> breakers) {
        dry stage = usual_dry;
        stage.breakers = token_sequences(std::move(breakers));
        return stage;
    };
    const std::vector<token_id> text{0, 1, 2, 3, 5, 0, 1, 2};
    EXPECT_EQ(taken(with({{0}}), text), only(3, 1.0f));     // two tokens behind it
    EXPECT_EQ(taken(with({{1}}), text), nothing);           // one
    EXPECT_EQ(taken(with({{2}}), text), nothing);           // none
    EXPECT_EQ(taken(with({{5}}), text), only(3, 2.0f));     // three, which is all that repeats
    EXPECT_EQ(taken(with({{9}}), text), only(3, 2.0f));     // it does not occur
    EXPECT_EQ(taken(with({{3}}), text), nothing);           // never penalised itself
    EXPECT_EQ(taken(with({{5, 0}}), text), only(3, 1.0f));  // of two tokens
    EXPECT_EQ(taken(with({{0, 5}}), text), only(3, 2.0f));  // in the other order
    EXPECT_EQ(taken(with({{5, 0, 1}}), text), nothing);     // of three
    EXPECT_EQ(taken(with({{0}, {0, 1}}), text), nothing);   // the longer of two that begin there
    EXPECT_EQ(taken(with({{3, 9}}), text), only(3, 2.0f));  // 3 begins a breaker, but does not break alone
    EXPECT_EQ(taken(with({{2, 9}}), text), only(3, 2.0f));  // begun, but not complete
    EXPECT_EQ(taken(with({{0, 1, 2, 3, 5, 0, 1, 2, 7}}), text), only(3, 2.0f));  // longer than the text
    EXPECT_EQ(taken(with({{0, 1, 2, 3, 5, 0, 1, 2}}), text), nothing);           // as long as it
    EXPECT_EQ(taken(with({{}, {-1}, {9}, {9}}), text), only(3, 2.0f));
}
TEST(Dry, LooksAtTheWindowAlone) {
    const std::vector<token_id> text{0, 1, 2, 3, 5, 0, 1, 2};
    for (const auto& [last_n, penalty] :
         {std::pair{-1, 2.0f}, {64, 2.0f}, {8, 2.0f}, {7, 1.0f}, {6, 0.0f}, {2, 0.0f}, {1, 0.0f}, {0, 0.0f}}) {
        dry stage = usual_dry;
        stage.last_n = last_n;
        EXPECT_EQ(taken(stage, text), penalty > 0.0f ? only(3, penalty) : nothing) << last_n;
    }
}
TEST(Dry, IsOff) {
    const std::vector<token_id> text{0, 1, 2, 3, 5, 0, 1, 2};
    for (const dry& off : {dry{}, dry{.multiplier = 1.0f, .base = 0.5f}, dry{.multiplier = 1.0f, .last_n = 0},
                           dry{.multiplier = 1e-40f}, dry{.multiplier = -0.0f}})
        EXPECT_EQ(taken(off, text), nothing) << reference::describe(off);
    EXPECT_EQ(taken(dry{.multiplier = -1.0f, .base = 2.0f}, text), only(3, -2.0f));  // encourages
}
TEST(Dry, ThePenaltyStaysFinite) {
    std::vector<token_id> ones(1000, 1);
    const auto logits = taken(dry{.multiplier = 3e38f, .base = 3e38f, .last_n = -1}, ones);
    EXPECT_GT(logits[1], 1e37f);
    EXPECT_LE(logits[1], std::numeric_limits<float>::max());
    const auto raised = taken(dry{.multiplier = -3e38f, .base = 10.0f, .last_n = -1}, ones);
    EXPECT_LT(raised[1], -1e37f);
    EXPECT_GE(raised[1], std::numeric_limits<float>::lowest());
}
TEST(Dry, AgreesOnTextsOfFewTokens) {
    random_integers random(31);
    const std::size_t texts = how_many(200, 200000, "texts of few tokens");
    for (std::size_t n = 0; n < texts && !testing::Test::HasFailure(); ++n) {
        const std::size_t alphabet = 1 + random.below(4);
        std::vector<token_id> text(random.below(90));
        for (auto& token : text) token = token_id(random.below(alphabet));
        std::vector<std::vector<token_id>> breakers(random.below(4));
        for (auto& breaker : breakers) {
            breaker.resize(random.below(5));
            for (auto& token : breaker) token = token_id(random.below(alphabet));
        }
        const dry stage{.multiplier = 0.1f,
                        .base = 1.0f + float(random.below(5)) * 0.3f,
                        .allowed_length = token_id(random.below(5)),
                        .last_n = token_id(random.below(100)) - 1,
                        .breakers = token_sequences(breakers)};
        auto c = stage | dist{.seed = n};
        reference::model model{{stage, dist{.seed = n}}, {}};
        c.prompt(text);
        model.prompt(text);
        expect_chain_agreement(c, model, make_row(shape::flat, 9, n), "text " + std::to_string(n), 6);
    }
}
TEST(Dry, BreakersAreFoundInTexts) {
    vocabulary v;
    for (const char* piece : {"a", "\n", "b\n", " :", ":", "x:y", "a:", "b"}) v.add(piece);
    const auto has = [&](std::initializer_list<text> strings, std::vector<std::vector<token_id>> expected) {
        const token_sequences found = dry_breakers(v, strings);
        EXPECT_EQ(std::vector<std::vector<token_id>>(found.begin(), found.end()), expected);
    };
    has({"\n"}, {{1}, {2}});
    has({":"}, {{3}, {4}, {5}, {6}});
    has({"a:"}, {{0, 4}, {6}});  // "a" and then ":"
    has({}, {});
    has({""}, {});
}
TEST(Dry, OfStringsTheFirst256Count) {
    vocabulary v;
    for (int i = 0; i < 300; ++i) v.add(std::to_string(1000 + i));
    std::vector<std::string> strings;
    for (int i = 0; i < 300; ++i) strings.push_back(std::to_string(1000 + i));
    const std::vector<text> texts(strings.begin(), strings.end());
    const token_sequences found = dry_breakers(v, texts);
    const auto alone = [](token_id id) { return std::vector<token_id>{id}; };
    EXPECT_EQ(std::count(found.begin(), found.end(), alone(0)), 1);
    EXPECT_EQ(std::count(found.begin(), found.end(), alone(255)), 1);
    EXPECT_EQ(std::count(found.begin(), found.end(), alone(256)), 0);
}
TEST(Dry, OfStringsThatManyPiecesBeginNoMoreCountThanMake2To18Sequences) {
    vocabulary v;
    std::vector<std::string> pieces;
    // (Appended to a string: g++ 12 warns, at -O3, of what insert() does in "x" + std::to_string(i).)
    const auto numbered = [](const char* head, int number) { return std::string(head).append(std::to_string(number)); };
    for (int i = 0; i < 4096; ++i) pieces.push_back(numbered("x", i) + "a");  // each may begin each string
    for (int i = 0; i < 256; ++i) pieces.push_back(numbered("y", 1000 + i));
    for (const std::string& piece : pieces) v.add(piece);
    std::vector<std::string> strings;
    for (int i = 0; i < 256; ++i) strings.push_back(numbered("ay", 1000 + i));
    const std::vector<text> texts(strings.begin(), strings.end());
    const token_sequences found = dry_breakers(v, texts);
    EXPECT_EQ(found.size(), std::size_t{1} << 18);  // of 64 strings
    const std::vector<token_id> of_the_last{0, 4096 + 63}, behind_it{0, 4096 + 64};
    EXPECT_EQ(std::count(found.begin(), found.end(), of_the_last), 1);
    EXPECT_EQ(std::count(found.begin(), found.end(), behind_it), 0);
}
}  // namespace
}  // namespace riffle_tests
