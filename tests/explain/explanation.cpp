#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/constraint.hpp>
#include <riffle/explain.hpp>
#include <riffle/riffle.hpp>

#include "foreign_locale.hpp"
#include "integers.hpp"

namespace {

using namespace riffle;
using riffle_tests::integers;

std::vector<float> random_row(std::size_t size, std::uint64_t seed) {
    integers g(seed);
    std::vector<float> row(size);
    for (auto& logit : row) logit = g.real(-8, 8);
    return row;
}

/// Drops all candidates of odd id.
struct only_even {
    static constexpr const char* name = "only_even";
    void apply(candidates& c) const noexcept {
        c.keep_if([](const token_data& t) { return t.id % 2 == 0; });
    }
};

TEST(Explanation, HasDecimalPointsUnderEveryLocale) {
    const auto row = random_row(100, 1);
    auto sampler = top_k{.k = 20} | top_p{.p = 0.9f} | temperature{.t = 0.8f} | dist{.seed = 1};
    const std::string steps = explain(sampler, row).to_string(), plan = explain(sampler);
    EXPECT_NE(steps.find('.'), std::string::npos);
    for (const char* sign : riffle_tests::decimal_signs) {
        const riffle_tests::foreign_locale abroad(sign);
        if (!abroad.is_set()) GTEST_SKIP() << abroad.reason();
        EXPECT_EQ(explain(sampler, row).to_string(), steps);
        EXPECT_EQ(explain(sampler), plan);
    }
}

template <class Chain>
void expect_same_token_with_and_without(Chain chain, const std::vector<float>& row) {
    const token_id peeked = chain.peek(row);
    const explanation e = explain(chain, row);
    EXPECT_EQ(e.token, peeked);
    EXPECT_EQ(chain.peek(row), peeked) << "explaining must not change what follows";
}

TEST(Explanation, TokenIsTheOneThatPeekGives) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const auto row = random_row(700, seed);
        expect_same_token_with_and_without(chain(greedy{}), row);
        expect_same_token_with_and_without(chain(temperature{.t = 1.3f}, dist{.seed = seed}), row);
        expect_same_token_with_and_without(chain(temperature{.t = 0.7f}, top_p{.p = 0.8f}, gumbel{.seed = seed}), row);
        expect_same_token_with_and_without(chain(only_even{}, top_k{.k = 9}, dist{.seed = seed}), row);
        auto penalised = chain(penalties{.repeat = 1.5f, .presence = 0.5f}, top_n_sigma{.n = 1.5f}, dist{.seed = seed});
        for (int i = 0; i < 5; ++i) penalised.sample(row);
        expect_same_token_with_and_without(penalised, row);
        expect_same_token_with_and_without(any_pipeline(penalised), row);
        dynamic_chain dynamic;
        dynamic.push(top_k{.k = 5});
        dynamic.push(dist{.seed = seed});
        expect_same_token_with_and_without(dynamic, row);
    }
}

TEST(Explanation, TokenIsTheOneThatPeekGivesUnderFastToo) {
    const auto row = random_row(32000, 1);
    for (std::uint64_t seed = 0; seed < 100; ++seed)
        expect_same_token_with_and_without(chain<fast>(temperature{.t = 2.0f}, dist{.seed = seed}), row);
}

TEST(Explanation, HoldsThePlanOfThePathTaken) {
    const auto row = random_row(700, 1);
    auto c = chain(penalties{}, top_k{.k = 9}, temperature{.t = 0.7f}, dist{.seed = 1});
    EXPECT_EQ(explain(c, row).plan, explain(c, row.size()));
    EXPECT_NE(explain(c, row).plan.find("select    top_k"), std::string::npos) << explain(c, row).plan;
    get<top_k>(c).k = 0;
    EXPECT_EQ(explain(c, row).plan, explain(c, row.size()));
    EXPECT_EQ(explain(c, row).plan.find("select    top_k"), std::string::npos);
}

TEST(Explanation, OfAChainWithoutASelectorHasNoToken) {
    auto c = chain(top_k{.k = 3});
    const explanation e = explain(c, random_row(100, 1));
    EXPECT_TRUE(e.state.ok());
    EXPECT_EQ(e.token, null_token);
    EXPECT_EQ(e.distribution.size(), 3u);
}

TEST(Explanation, StagesReportWhatTheyRemoved) {
    // Four tokens of probability 1/2, 1/4, 1/8, 1/8 and one that the row forbids.
    const float half = std::log(0.5f);
    const std::vector<float> row{0.0f, half, 2 * half, 2 * half, -INFINITY};
    auto c = chain(logit_bias{{{3, -INFINITY}}}, top_k{.k = 2}, temperature{.t = 2.0f}, greedy{});
    const explanation e = explain(c, row);

    ASSERT_EQ(e.stages.size(), 4u);
    EXPECT_EQ(e.stages[0].name, "logit_bias");
    EXPECT_EQ(e.stages[0].before, 4u);
    EXPECT_EQ(e.stages[0].after, 3u);
    EXPECT_NEAR(e.stages[0].mass_removed, 1.0 / 8, 1e-6);
    EXPECT_EQ(e.stages[1].name, "top_k");
    EXPECT_EQ(e.stages[1].before, 3u);
    EXPECT_EQ(e.stages[1].after, 2u);
    EXPECT_NEAR(e.stages[1].mass_removed, (1.0 / 8) / (7.0 / 8), 1e-6);
    EXPECT_EQ(e.stages[2].name, "temperature");
    EXPECT_EQ(e.stages[2].after, 2u);
    EXPECT_EQ(e.stages[2].mass_removed, 0.0);
    EXPECT_EQ(e.stages[3].name, "greedy");
    EXPECT_EQ(e.stages[3].after, 1u);
    EXPECT_EQ(e.token, 0);

    ASSERT_EQ(e.distribution.size(), 2u);
    EXPECT_EQ(e.distribution[0].id, 0);
    EXPECT_NEAR(e.distribution[0].p, std::sqrt(2.0) / (1 + std::sqrt(2.0)), 1e-6);
    EXPECT_NEAR(e.distribution[0].p + e.distribution[1].p, 1.0, 1e-6);
}

TEST(Explanation, FateNamesTheStageThatRemovedAToken) {
    const float half = std::log(0.5f);
    const std::vector<float> row{0.0f, half, 2 * half, 2 * half, -INFINITY};
    auto c = chain(logit_bias{{{3, -INFINITY}}}, top_k{.k = 2}, dist{});
    const explanation e = explain(c, row);
    EXPECT_TRUE(e.fate_of(0).survived);
    EXPECT_TRUE(e.fate_of(1).survived) << "it was not drawn, or it was: no stage removed it";
    EXPECT_FALSE(e.fate_of(2).survived);
    EXPECT_EQ(e.fate_of(2).stage, 1);
    EXPECT_FALSE(e.fate_of(3).survived);
    EXPECT_EQ(e.fate_of(3).stage, 0);
    EXPECT_FALSE(e.fate_of(4).survived);
    EXPECT_EQ(e.fate_of(4).stage, -1) << "illegal in the row itself";
    for (const token_id outside : {-1, 5, 1000}) {
        EXPECT_FALSE(e.fate_of(outside).survived);
        EXPECT_EQ(e.fate_of(outside).stage, -1);
    }
}

/// The distribution and the survivors are those that the chain itself answers.
template <class Chain>
void expect_the_distribution_of_the_chain(Chain c, std::size_t index_of_selector, double least_removed) {
    const auto row = random_row(400, 5);
    for (int i = 0; i < 10; ++i) {
        const explanation e = explain(c, row);
        const auto distribution = c.distribution(row);
        ASSERT_EQ(e.distribution.size(), distribution.size());
        for (std::size_t k = 0; k < distribution.size(); ++k) {
            EXPECT_EQ(e.distribution[k].id, distribution[k].id);
            EXPECT_EQ(e.distribution[k].p, distribution[k].p);
        }
        std::size_t survivors = 0;
        for (token_id id = 0; id < 400; ++id) {
            const bool in_distribution =
                std::any_of(distribution.begin(), distribution.end(), [id](const token_data& t) { return t.id == id; });
            EXPECT_EQ(e.fate_of(id).survived, in_distribution) << id;
            survivors += in_distribution;
            EXPECT_TRUE(in_distribution || e.fate_of(id).stage <= int(index_of_selector)) << id;
        }
        EXPECT_EQ(survivors, distribution.size());
        EXPECT_GE(e.stages[index_of_selector].mass_removed, least_removed);
        EXPECT_EQ(c.sample(row), e.token);
    }
}
TEST(Explanation, ShowsWhatSelectorsThemselvesRemoveAndBend) {
    expect_the_distribution_of_the_chain(chain(mirostat_v2{.tau = 1.0f, .seed = 3}), 0, 0.05);
    expect_the_distribution_of_the_chain(chain(mirostat{.tau = 1.0f, .n_vocab = 400, .seed = 3}), 0, 0.05);
    expect_the_distribution_of_the_chain(chain(top_k{.k = 60}, mirostat_v2{.tau = 1.0f, .seed = 3}), 1, 0.05);
    expect_the_distribution_of_the_chain(chain(adaptive_p{.target = 0.05f, .seed = 3}), 0, 0.0);
    expect_the_distribution_of_the_chain(chain(min_p{.p = 0.001f}, adaptive_p{.target = 0.05f, .seed = 3}), 1, 0.0);
    expect_the_distribution_of_the_chain(chain(top_k{.k = 60}, skew{.amount = 1.0f, .seed = 3}), 1, 0.0);
    dynamic_chain late;
    late.push(top_k{.k = 60});
    late.push(mirostat_v2{.tau = 1.0f, .seed = 3});
    expect_the_distribution_of_the_chain(late, 1, 0.05);
}

TEST(Explanation, ChainWithoutSelectorHasADistributionAndNoToken) {
    auto c = chain(top_k{.k = 3});
    const explanation e = explain(c, random_row(50, 1));
    EXPECT_EQ(e.token, null_token);
    EXPECT_TRUE(e.state.ok());
    ASSERT_EQ(e.stages.size(), 1u);
    EXPECT_EQ(e.distribution.size(), 3u);
}

TEST(Explanation, BadInputIsSaidAndNotThrown) {
    auto c = chain(top_k{.k = 3}, dist{});
    EXPECT_EQ(explain(c, std::vector<float>{}).state, status_code::empty_row);
    const explanation masked = explain(c, std::vector<float>(10, -INFINITY));
    EXPECT_EQ(masked.state, status_code::no_legal_token);
    EXPECT_EQ(masked.token, null_token);
    EXPECT_TRUE(masked.distribution.empty());
    get<top_k>(c).k = 3;
    auto bad = chain(top_p{.p = NAN}, dist{});
    EXPECT_EQ(explain(bad, random_row(10, 1)).state, status_code::invalid_parameter);
}

TEST(Explanation, TableNamesStagesAndTokens) {
    auto c = chain(top_k{.k = 2}, greedy{});
    const auto text = explain(c, std::vector<float>{1.0f, 3.0f, 2.0f}).to_string([](token_id id) {
        return "word" + std::to_string(id);
    });
    EXPECT_NE(text.find("top_k"), std::string::npos) << text;
    EXPECT_NE(text.find("word1  <- chosen"), std::string::npos) << text;
    EXPECT_EQ(text.find("word0"), std::string::npos) << text;
}

TEST(Explanation, SaysWhichBytesMayComeBehindAConstraint) {
    vocabulary words;
    for (int b = 0; b < 256; ++b) {
        const char c = char(b);
        words.add({&c, 1});
    }
    const parsed<grammar> g = parse_gbnf("root ::= [0-9a-f] | [\\-\\]^\\\\ \\n\\u00e9xy]");
    ASSERT_TRUE(g.ok()) << g.problem().message();
    auto sampler = constrain{grammar_matcher(*g, vocabulary_trie(words))} | top_k{.k = 5} | dist{};
    const explanation e = explain(sampler, random_row(256, 3));
    ASSERT_EQ(e.stages.size(), 3u);
    EXPECT_EQ(e.stages[0].name, "constrain");
    EXPECT_EQ(e.stages[0].before, 256u);
    EXPECT_EQ(e.stages[0].after, 25u);
    EXPECT_EQ(e.stages[0].next, "[\\x0A\\x20\\-0-9\\\\-\\^a-fxy\\xC3]");
    EXPECT_NE(e.to_string().find("next: ["), std::string::npos);
    EXPECT_TRUE(e.stages[1].next.empty());
}

}  // namespace
