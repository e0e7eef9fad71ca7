#include <set>

#include "samplers/single.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<no_repeat_ngram>() == facts{.edits = true});

TEST(NoRepeatNgram, AgreesWithTheReference) {
    expect_stage_agrees(variants_of<no_repeat_ngram>(), sizes_of_a_thousand);
}
TEST(NoRepeatNgram, AgreesWithTheReferenceOnLongRows) {
    expect_stage_agrees_on_long_rows(variants_of<no_repeat_ngram>());
}

/// What is banned of tokens 0 ... 9 behind a text.
std::vector<token_id> banned(const no_repeat_ngram& stage, const std::vector<token_id>& text) {
    std::vector<token_id> found;
    const auto logits = logits_behind(stage, text, 10);
    for (std::size_t id = 0; id < logits.size(); ++id)
        if (logits[id] == -infinity) found.push_back(token_id(id));
    return found;
}
using token_list = std::vector<token_id>;

TEST(NoRepeatNgram, BansWhatWouldCompleteOne) {
    EXPECT_EQ(banned({.n = 3}, {1, 2, 3, 1, 2, 4, 1, 2}), (token_list{3, 4}));
    EXPECT_EQ(banned({.n = 2}, {1, 2, 3, 1}), (token_list{2}));
    EXPECT_EQ(banned({.n = 4}, {1, 2, 3, 1, 2, 4, 1, 2}), (token_list{}));
    EXPECT_EQ(banned({.n = 2}, {1, 1}), (token_list{1}));
    EXPECT_EQ(banned({.n = 3}, {1, 1}), (token_list{}));
    EXPECT_EQ(banned({.n = 3}, {}), (token_list{}));
}
TEST(NoRepeatNgram, ANgramOfOneIsEveryTokenSeen) {
    EXPECT_EQ(banned({.n = 1}, {1, 2, 9, 2, 500}), (token_list{1, 2, 9}));
}
/// By looking at every place where one could stand.
token_list completed_anywhere(std::size_t n, const token_list& text) {
    std::set<token_id> found;
    for (std::size_t at = 0; n <= text.size() && at + n <= text.size(); ++at)
        if (std::equal(text.end() - std::ptrdiff_t(n - 1), text.end(), text.begin() + std::ptrdiff_t(at)))
            found.insert(text[at + n - 1]);
    return {found.begin(), found.end()};
}
TEST(NoRepeatNgram, OfAnyLengthInTextsThatRepeatThemselves) {
    const auto text_of = [](std::size_t size, std::size_t period, std::size_t other_at) {
        token_list text(size);
        for (std::size_t i = 0; i < size; ++i) text[i] = token_id(i % period);
        if (other_at < size) text[other_at] = 9;
        return text;
    };
    for (const std::size_t size : {1u, 2u, 7u, 40u})
        for (const std::size_t period : {1u, 2u, 3u})
            for (const std::size_t other_at : {std::size_t{0}, size / 2, size - 1, size})
                for (std::size_t n = 1; n <= size + 1; ++n)
                    EXPECT_EQ(banned({.n = std::int32_t(n)}, text_of(size, period, other_at)),
                              completed_anywhere(n, text_of(size, period, other_at)))
                        << n << " of " << size << ", period " << period;
}
TEST(NoRepeatNgram, LooksAtTheWindowAlone) {
    EXPECT_EQ(banned({.n = 2, .last_n = 4}, {1, 2, 3, 1}), (token_list{2}));
    EXPECT_EQ(banned({.n = 2, .last_n = 3}, {1, 2, 3, 1}), (token_list{}));
    EXPECT_EQ(banned({.n = 1, .last_n = 2}, {1, 2, 3, 1}), (token_list{1, 3}));
    EXPECT_EQ(banned({.n = 1, .last_n = 0}, {1, 2, 3, 1}), (token_list{}));
    EXPECT_EQ(banned({.n = 3, .last_n = 2}, {1, 1, 1}), (token_list{}));
}
TEST(NoRepeatNgram, StreamsNeverHaveOneTwice) {
    const std::vector<float> even(5, 0.0f);
    for (const std::int32_t n : {1, 2, 3}) {
        auto c = no_repeat_ngram{.n = n} | dist{.seed = 4};
        token_list all;
        while (true) {
            const token_id token = c.sample(even);
            if (token == null_token) break;  // no token is left that would be new
            all.push_back(token);
            ASSERT_LT(all.size(), 200u);
        }
        std::vector<token_list> ngrams;
        for (std::size_t i = 0; i + std::size_t(n) <= all.size(); ++i)
            ngrams.emplace_back(all.begin() + std::ptrdiff_t(i), all.begin() + std::ptrdiff_t(i) + n);
        std::sort(ngrams.begin(), ngrams.end());
        EXPECT_EQ(std::adjacent_find(ngrams.begin(), ngrams.end()), ngrams.end());
        EXPECT_GE(all.size(), std::size_t(n == 1 ? 5 : 6));
        EXPECT_EQ(c.last_status().code(), status_code::no_legal_token);
    }
}
TEST(NoRepeatNgram, AgreesOnTextsOfFewTokens) {
    random_integers random(32);
    for (int i = 0; i < 200 && !testing::Test::HasFailure(); ++i) {
        const no_repeat_ngram stage{.n = token_id(random.below(6)), .last_n = token_id(random.below(60)) - 1};
        token_list text(random.below(70));
        for (auto& token : text) token = token_id(random.below(3));
        auto c = stage | dist{};
        reference::model model{{stage, dist{}}, {}};
        c.prompt(text);
        model.prompt(text);
        expect_chain_agreement(c, model, make_row(shape::flat, 7, 1), "text " + std::to_string(i), 6);
    }
}
}  // namespace
}  // namespace riffle_tests
