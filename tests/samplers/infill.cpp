#include "samplers/single.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<infill>() == facts{.applies = true, .keeps_sorted = true});

constexpr std::array<std::size_t, 6> short_rows{1, 2, 31, 100, 257, 300};
TEST(Infill, AgreesWithTheReference) { expect_stage_agrees(variants_of<infill>(), short_rows); }
TEST(Infill, AgreesWithTheReferenceOnLongRows) {
    for (const infill& stage : variants_of<infill>())
        for (const std::size_t size : {2000u, 32000u, 262144u}) {
            auto c = stage | dist{.seed = 5};
            reference::model model{{stage, dist{.seed = 5}}, {}};
            start(view_of(c), model);
            expect_chain_agreement(c, model, make_row(size == 32000 ? shape::holes : shape::random, size, 6), "long");
        }
}

enum : token_id { he, hello, x, y, z, end_of_sequence, end_of_turn, control, empty, named };
vocabulary small_vocabulary() {
    vocabulary v;
    for (const char* piece : {"he", "hello", "x", "y", "z"}) v.add(piece);
    v.add("</s>", token_role::end_of_generation | token_role::control);
    v.add("<eot>", token_role::end_of_generation);
    v.add("hel", token_role::control);
    v.add("");
    return v;
}
/// What stays of tokens with these probabilities, by id, with their logits.
std::vector<std::pair<token_id, double>> left_of(const vocabulary& v,
                                                 std::vector<std::pair<token_id, double>> probabilities) {
    auto c = chain(infill{&v});
    std::vector<token_data> memory;
    for (const auto& [id, p] : probabilities) memory.push_back({id, float(std::log(p)), 0.0f});
    candidates all{memory.data(), memory.size(), -1, false};
    EXPECT_TRUE(c.apply(all));
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), ranks_before));
    std::vector<std::pair<token_id, double>> left;
    for (const auto& token : all) left.emplace_back(token.id, std::round(std::exp(double(token.logit)) * 1e4) / 1e4);
    std::sort(left.begin(), left.end());
    return left;
}
using list = std::vector<std::pair<token_id, double>>;

TEST(Infill, EndsWhereTheEndIsLikely) {
    const vocabulary v = small_vocabulary();
    // three candidates: above a tenth the end wins
    EXPECT_EQ(left_of(v, {{x, 0.5}, {y, 0.38}, {end_of_sequence, 0.12}}), (list{{end_of_sequence, 0.12}}));
    EXPECT_EQ(left_of(v, {{x, 0.5}, {y, 0.42}, {end_of_sequence, 0.08}}),
              (list{{x, 0.5}, {y, 0.42}, {end_of_sequence, 0.08}}));
    // both ends count together, and the number of candidates does
    EXPECT_EQ(left_of(v, {{x, 0.9}, {y, 0.01}, {end_of_sequence, 0.05}, {end_of_turn, 0.04}}),
              (list{{end_of_sequence, 0.05}, {end_of_turn, 0.04}}));
    EXPECT_EQ(left_of(v, {{x, 0.45}, {y, 0.45}, {control, 0.01}, {empty, 0.01}, {end_of_turn, 0.08}}),
              (list{{end_of_turn, 0.08}}));
}
TEST(Infill, ATextTakesOverWhatItBegins) {
    const vocabulary v = small_vocabulary();
    EXPECT_EQ(left_of(v, {{he, 0.3}, {hello, 0.2}, {x, 0.5}}), (list{{he, 0.5}, {x, 0.5}}));
    EXPECT_EQ(left_of(v, {{he, 0.2}, {hello, 0.3}, {x, 0.5}}), (list{{hello, 0.5}, {x, 0.5}}));
    EXPECT_EQ(left_of(v, {{he, 0.25}, {hello, 0.25}, {x, 0.5}}), (list{{he, 0.5}, {x, 0.5}}));
    // control tokens and empty ones have no text that could begin another
    EXPECT_EQ(left_of(v, {{control, 0.3}, {hello, 0.3}, {x, 0.4}}), (list{{hello, 0.3}, {x, 0.4}, {control, 0.3}}));
    EXPECT_EQ(left_of(v, {{empty, 0.3}, {hello, 0.3}, {x, 0.4}}), (list{{hello, 0.3}, {x, 0.4}, {empty, 0.3}}));
}
TEST(Infill, BeginningsOfAnyLengthAndByte) {
    vocabulary v;
    const std::string bytes[] = {"\xc3", "\xc3\xa4", std::string("\0", 1), std::string("\0\0", 2)};
    for (const std::string one : {"abc", "abcd", "abcde", "abcdef", "abcx", "abcdx", "bbcde"}) v.add(one);
    for (const std::string& one : bytes) v.add(one);
    const auto takes_over = [&](token_id first, token_id second) {
        return left_of(v, {{first, 0.3}, {second, 0.3}, {100, 0.4}}) == list{{first, 0.6}, {100, 0.4}};
    };
    for (token_id first = 0; std::size_t(first) < v.size(); ++first)
        for (token_id second = 0; std::size_t(second) < v.size(); ++second) {
            if (first == second) continue;
            const std::string head(v.piece(first).data(), v.piece(first).size()),
                all(v.piece(second).data(), v.piece(second).size());
            if (head.starts_with(all)) continue;  // then it is the second that begins the first, and takes over too
            EXPECT_EQ(takes_over(first, second), all.starts_with(head)) << first << ", " << second;
        }
}
TEST(Infill, KeepsWhatIsLikelyEnough) {
    const vocabulary v = small_vocabulary();
    EXPECT_EQ(left_of(v, {{x, 0.7}, {y, 0.15}, {z, 0.15}}), (list{{x, 0.7}}));    // a fifth
    EXPECT_EQ(left_of(v, {{x, 0.52}, {y, 0.24}, {z, 0.24}}), (list{{x, 0.52}}));  // a quarter of three
    EXPECT_EQ(left_of(v, {{x, 0.46}, {y, 0.27}, {z, 0.27}}).size(), 3u);
    EXPECT_EQ(left_of(v, {{x, 0.9}, {y, 0.05}, {end_of_turn, 0.05}}), (list{{x, 0.9}, {end_of_turn, 0.05}}));
}
TEST(Infill, EndsWhereNoneIsLikelyEnough) {
    vocabulary v = small_vocabulary();
    for (const char* piece : {"a", "b", "c", "d", "f", "g", "i", "j"}) v.add(piece);
    list even;
    for (token_id id = named; id < named + 8; ++id) even.emplace_back(id, 0.125);
    EXPECT_EQ(left_of(v, even), (list{{named, 0.125}}));  // nothing ends here: the first in rank
    v.end_of_sequence = end_of_sequence;
    v.end_of_turn = end_of_turn;
    EXPECT_EQ(left_of(v, even), (list{{named, 0.125}}));  // no candidate, so never chosen
    even.emplace_back(end_of_sequence, 0.01);
    EXPECT_EQ(left_of(v, even), (list{{end_of_sequence, 0.01}}));
    even.emplace_back(end_of_turn, 0.005);
    EXPECT_EQ(left_of(v, even), (list{{end_of_sequence, 0.01}, {end_of_turn, 0.005}}));
}
TEST(Infill, TokensOutsideTheVocabularyHaveNoText) {
    const vocabulary v;
    EXPECT_EQ(left_of(v, {{7, 0.6}, {900, 0.4}}), (list{{7, 0.6}, {900, 0.4}}));
}
TEST(Infill, NothingLegalStaysNothing) {
    const vocabulary v = small_vocabulary();
    auto c = infill{&v} | greedy{};
    EXPECT_EQ(c.sample(std::vector<float>(5, -infinity)), null_token);
    EXPECT_EQ(c.last_status().code(), status_code::no_legal_token);
}

}  // namespace
}  // namespace riffle_tests
