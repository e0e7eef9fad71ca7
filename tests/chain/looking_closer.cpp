// survivors, distribution and logprobs against the reference.

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include <riffle/chain/dynamic_chain.hpp>

#include "chain/own_stages.hpp"
#include "chain/pairs.hpp"

namespace riffle_tests::chain_looking_closer {
namespace {

using namespace riffle;

struct share {
    token_id id;
    float logit;
    std::uint64_t weight;
};
struct distribution {
    std::vector<share> tokens;  ///< of positive weight, in the order of ranks
    std::uint64_t total = 0;
};

distribution softmax_of(std::vector<reference::candidate> left) {
    distribution found;
    reference::drop_illegal(left);
    reference::sort_by_rank(left);
    for (const auto& c : left) {
        const std::uint64_t w = reference::weight(c, left[0].logit);
        found.total += w;
        if (w > 0) found.tokens.push_back({c.id, c.logit, w});
    }
    return found;
}

/// The distribution a chain has according to the reference: its stages without the selector, then the softmax.
distribution expected_distribution(const reference::model& model, std::span<const float> row) {
    reference::model before_selector = model;
    before_selector.stages.pop_back();
    if (std::holds_alternative<greedy>(model.stages.back())) {
        const auto chosen = model.run(row);
        if (chosen.token < 0) return {};
        return {{{chosen.token, 0.0f, 1}}, 1};
    }
    return softmax_of(before_selector.run(row).left);
}

void expect_distribution(chain_view c, const reference::model& model, std::span<const float> row,
                         const std::string& what) {
    const distribution expected = expected_distribution(model, row);
    const auto found = c.distribution(row);
    if (expected.tokens.empty()) {
        EXPECT_TRUE(found.empty()) << what;
        EXPECT_EQ(c.last_status().code(), status_code::no_legal_token) << what;
        EXPECT_TRUE(c.logprobs(row, 5, after).empty()) << what;
        return;
    }
    EXPECT_TRUE(c.last_status().ok()) << what;
    std::size_t n = 0;
    for (const auto& token : found) {
        if (token.p == 0.0f) continue;  // weighs nothing
        ASSERT_LT(n, expected.tokens.size()) << what;
        ASSERT_EQ(token.id, expected.tokens[n].id) << what << ", rank " << n;
        ASSERT_EQ(token.p, float(double(expected.tokens[n].weight) / double(expected.total))) << what << ", rank " << n;
        ++n;
    }
    ASSERT_EQ(n, expected.tokens.size()) << what;

    for (const std::size_t wanted : {std::size_t(0), std::size_t(1), std::size_t(5), std::size_t(100000)}) {
        const auto logprobs = c.logprobs(row, wanted, after);
        ASSERT_LE(logprobs.size(), wanted);
        ASSERT_GE(logprobs.size(), std::min(wanted, expected.tokens.size())) << what;
        for (std::size_t i = 0; i < std::min(logprobs.size(), expected.tokens.size()); ++i) {
            ASSERT_EQ(logprobs[i].id, expected.tokens[i].id) << what << ", rank " << i;
            const double exact = std::log(double(expected.tokens[i].weight) / double(expected.total));
            const double precision = 1.5 / double(expected.tokens[i].weight) + 4e-6;  // a weight is a truncated integer
            ASSERT_NEAR(double(logprobs[i].logprob), exact, precision) << what << ", rank " << i;
        }
    }
}

void expect_distributions(chain_view typed, chain_view late, const reference::model& model) {
    std::uint64_t seed = 0;
    for (const shape s : all_shapes)
        for (const std::size_t size : {1u, 31u, 256u, 700u, 3000u}) {
            const auto row = make_row(s, size, ++seed);
            const std::string what =
                std::string(name_of(s)) + " " + std::to_string(size) + ": " + reference::describe(model);
            expect_distribution(typed, model, row, what);
            expect_distribution(late, model, row, what);
            if (testing::Test::HasFailure()) return;
        }
}
template <class... Stages>
void expect_distributions(const Stages&... stages) {
    auto c = chain(stages...);
    dynamic_chain late;
    (late.push(stages), ...);
    expect_distributions(view_of(c), view_of(late), {{stages...}, {}});
}

TEST(Distribution, OfTheRow) { expect_distributions(dist{}); }
TEST(Distribution, BehindMaps) { expect_distributions(temperature{1.25f}, soft_cap{6.0f}, dist{}); }
TEST(Distribution, OfGumbelIsTheSoftmax) { expect_distributions(temperature{0.8f}, gumbel{}); }
TEST(Distribution, OfGreedyIsItsToken) { expect_distributions(temperature{3.0f}, greedy{}); }
TEST(Distribution, OfGreedyBehindACut) { expect_distributions(top_k{5}, temperature{3.0f}, greedy{}); }
TEST(Distribution, BehindARank) { expect_distributions(top_k{12}, temperature{2.0f}, dist{}); }
TEST(Distribution, BehindANucleus) { expect_distributions(temperature{1.5f}, top_p{.p = 0.9f}, gumbel{}); }
TEST(Distribution, BehindAThreshold) { expect_distributions(min_p{.p = 0.02f}, temperature{0.7f}, dist{}); }
TEST(Distribution, BehindAMaskOfFew) {
    expect_distributions(temperature{0.7f}, mask{{0x00010101u, 0x80000000u, 0, 0, 0, 0, 0, 1u}}, dist{});
}
TEST(Distribution, BehindAMaskOfMany) {
    expect_distributions(mask{std::vector<std::uint32_t>(100, 0xF7F7F7F7u)}, top_n_sigma{2.0f}, dist{});
}
TEST(Distribution, BehindEdits) {
    expect_distributions(logit_bias{{{0, 3.0f}, {5, -infinity}, {30, -1.0f}}}, temperature{0.5f}, dist{});
}

TEST(Distribution, OfAUsersSelectorIsWhatItChoosesFrom) {
    auto c = temperature{1.25f} | top_k{7} | lottery{};
    const auto row = make_row(shape::random, 500, 1);
    const distribution expected = softmax_of(reference::model{{temperature{1.25f}, top_k{7}}, {}}.run(row).left);
    const auto found = c.distribution(row);
    ASSERT_EQ(found.size(), expected.tokens.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].id, expected.tokens[i].id);
        EXPECT_EQ(found[i].p, float(double(expected.tokens[i].weight) / double(expected.total)));
    }
}

TEST(Distribution, OfAChainWithoutSelectorIsWhatItLeaves) {
    auto c = temperature{1.25f} | top_k{7};
    const auto row = make_row(shape::random, 500, 1);
    const distribution expected = softmax_of(reference::model{{temperature{1.25f}, top_k{7}}, {}}.run(row).left);
    const auto found = c.distribution(row);
    ASSERT_EQ(found.size(), expected.tokens.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i].id, expected.tokens[i].id);
}

TEST(Distribution, AcceptsNothing) {
    auto c = penalties{.repeat = 1.5f} | dist{};
    const auto row = make_row(shape::random, 500, 1);
    c.accept(3);
    const token_id token = c.peek(row);
    const checkpoint m = c.mark();
    c.distribution(row);
    c.logprobs(row, 10, before);
    c.logprobs(row, 10, after);
    EXPECT_EQ(c.mark().prefix_hash, m.prefix_hash);
    EXPECT_EQ(c.mark().position, m.position);
    EXPECT_EQ(c.peek(row), token);
}

TEST(Logprobs, BeforeTheChainAreTheRows) {
    auto c = logit_bias{{{1, 5.0f}}} | top_k{.k = 3} | temperature{.t = 0.1f} | dist{};
    std::uint64_t seed = 0;
    for (const shape s : all_shapes)
        for (const std::size_t size : {1u, 31u, 256u, 700u, 9000u})
            for (const std::size_t wanted :
                 {std::size_t(0), std::size_t(1), std::size_t(5), std::size_t(300), size + std::size_t(5)}) {
                const auto row = make_row(s, size, ++seed);
                auto legal = reference::model{}.run(row).left;
                reference::drop_illegal(legal);
                reference::sort_by_rank(legal);
                const distribution expected = softmax_of(legal);
                const auto found = c.logprobs(row, wanted, before);
                ASSERT_EQ(found.size(), std::min(wanted, legal.size())) << name_of(s) << size;
                if (legal.empty()) {
                    ASSERT_EQ(c.last_status().code(), status_code::no_legal_token);
                }
                const double log_total = legal.empty() ? 0.0 : std::log(double(expected.total) / 1073741824.0);
                for (std::size_t i = 0; i < found.size(); ++i) {
                    ASSERT_EQ(found[i].id, legal[i].id) << name_of(s) << size << ", rank " << i;
                    const double distance = double(legal[i].logit) - double(legal[0].logit);
                    const double expected_logprob = distance - log_total;
                    if (expected_logprob < -1e38) continue;
                    ASSERT_NEAR(double(found[i].logprob), expected_logprob, 4e-6 + 2e-7 * std::abs(distance))
                        << name_of(s) << size;
                }
            }
}

TEST(Logprobs, AreOfWhatTheChainLeavesUnlessAskedOtherwise) {
    auto c = top_k{.k = 2} | dist{};
    const std::vector<float> row{0.0f, 1.0f, 2.0f};
    EXPECT_EQ(c.logprobs(row, 10).size(), 2u);  // after the chain is the default
    EXPECT_EQ(c.logprobs(row, 10, before).size(), 3u);
    EXPECT_EQ(c.logprobs(row, 1, before)[0].id, 2);
}

TEST(Logprobs, OfBadInputAreNone) {
    auto c = top_k{.k = 2} | dist{};
    EXPECT_TRUE(c.logprobs({}, 5, before).empty());
    EXPECT_EQ(c.last_status().code(), status_code::empty_row);
    EXPECT_TRUE(c.logprobs({}, 5, after).empty());
    EXPECT_EQ(c.last_status().code(), status_code::empty_row);
    EXPECT_TRUE(c.distribution({}).empty());
}

TEST(Survivors, AreEmptyAfterAFailedStepAndBeforeAny) {
    auto c = top_k{.k = 2} | dist{};
    EXPECT_TRUE(c.survivors().empty());
    c.sample(std::vector<float>{1.0f, 2.0f, 3.0f});
    EXPECT_EQ(c.survivors().size(), 2u);
    c.sample({});
    EXPECT_TRUE(c.survivors().empty());
}

TEST(Survivors, OfAWidePickAreTheChosenToken) {
    auto c = temperature{.t = 2.0f} | dist{.seed = 4};
    const auto row = make_row(shape::random, 500, 1);
    const token_id token = c.sample(row);
    ASSERT_EQ(c.survivors().size(), 1u);
    EXPECT_EQ(c.survivors()[0].id, token);
    EXPECT_EQ(c.survivors()[0].p, 1.0f);
}

TEST(Distribution, OfNothingLegalStillTellsWhatItSaw) {
    auto c = chain(keep_even{}, dist{});
    const std::vector<float> row(2, std::numeric_limits<float>::quiet_NaN());
    EXPECT_TRUE(c.distribution(row).empty());
    EXPECT_EQ(c.last_status().code(), status_code::no_legal_token);
    EXPECT_TRUE(c.last_status().saw_nan());
}

}  // namespace
TEST(LookingCloser, ManySurvivorsStayInTheRow) {
    constexpr std::size_t many = tuning::many_survivors;
    for (const std::size_t left : {many, many + 1}) {
        std::vector<float> row(10000, -20.0f);
        for (std::size_t i = 0; i < left; ++i) row[3 * i] = 1.0f + 1e-4f * float(i % 7);
        auto c = chain(min_p{.p = 0.05f}, temperature{.t = 0.8f}, dist{.seed = 3});
        const token_id token = c.sample(row);
        EXPECT_EQ(token % 3, 0);
        EXPECT_EQ(c.survivors().size(), left == many ? many : 1u);
        EXPECT_EQ(c.state().machine().stayed_in_row(), left > many);
        c.reset();
        EXPECT_EQ(c.distribution(row).size(), left) << "the distribution has them all";
        EXPECT_EQ(c.sample(row), token);
    }
}

}  // namespace riffle_tests::chain_looking_closer
