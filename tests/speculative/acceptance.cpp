// How much of a draft is accepted, and what peers get wrong.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "integers.hpp"
#include "speculative/engine.hpp"

namespace riffle_tests::speculative_acceptance {
namespace {

using namespace riffle;

constexpr std::size_t vocabulary_size = 6;
using law = std::array<double, vocabulary_size>;

law random_law(integers& random) {
    law p{};
    double sum = 0.0;
    for (double& x : p) sum += x = random.below(5) == 0 ? 0.0 : double(1 + random.below(100));
    if (sum == 0.0) p[0] = sum = 1.0;
    for (double& x : p) x /= sum;
    return p;
}
std::vector<float> logits_of(const law& p) {
    std::vector<float> logits;
    for (const double x : p) logits.push_back(x > 0.0 ? float(std::log(x)) : illegal_logit);
    return logits;
}
std::vector<token_probability> entries_of(const law& q) {
    std::vector<token_probability> entries;
    for (std::size_t i = 0; i < q.size(); ++i)
        if (q[i] > 0.0) entries.push_back({token_id(i), float(q[i])});
    return entries;
}
token_id drawn(const law& q, integers& random) {
    double target = double(random.next() >> 11) * 0x1p-53;
    for (std::size_t i = 0; i < q.size(); ++i) {
        if (target < q[i]) return token_id(i);
        target -= q[i];
    }
    return token_id(std::max_element(q.begin(), q.end()) - q.begin());
}

/// Accepted tokens a round, on average over many rounds of `length` tokens: the chain's laws p, and the draft's q.
template <class Verifier>
double accepted(const std::vector<law>& p, const std::vector<law>& q, std::size_t rounds) {
    auto chain = riffle::chain(dist{});
    std::vector<std::vector<float>> rows;
    std::vector<std::vector<token_probability>> laws;
    for (const law& one : p) rows.push_back(logits_of(one));
    for (const law& one : q) laws.push_back(entries_of(one));
    speculator<Verifier> verifier;
    draft proposed;
    double sum = 0.0;
    for (std::size_t n = 0; n < rounds; ++n) {
        integers random(n);
        chain.reset();
        get<dist>(chain).seed = n;
        if constexpr (requires { verifier.how().seed; }) verifier.how().seed = n;
        proposed.clear();
        for (std::size_t i = 0; i < q.size(); ++i) proposed.push(drawn(q[i], random), laws[i]);
        sum += double(verifier.verify(chain, proposed, [&](std::size_t i) { return std::span(rows[i]); }).accepted);
    }
    return sum / double(rounds);
}
double overlap(const law& p, const law& q) {
    double sum = 0.0;
    for (std::size_t i = 0; i < p.size(); ++i) sum += std::min(p[i], q[i]);
    return sum;
}
/// What block verification accepts on average where laws do not depend on what is drafted: the sum over i of the
/// expectation of p_i, over all drafts.
double expected_of_blocks(const std::vector<law>& p, const std::vector<law>& q, std::size_t at = 0,
                          double reached = 1.0) {
    if (at == q.size()) return 0.0;
    double sum = 0.0;
    for (std::size_t x = 0; x < vocabulary_size; ++x) {
        if (q[at][x] == 0.0) continue;
        const double next = std::min(1.0, reached * p[at][x] / q[at][x]);
        sum += q[at][x] * (next + expected_of_blocks(p, q, at + 1, next));
    }
    return sum;
}
double expected_of_rejection(const std::vector<law>& p, const std::vector<law>& q) {
    double sum = 0.0, product = 1.0;
    for (std::size_t i = 0; i < q.size(); ++i) sum += product *= overlap(p[i], q[i]);
    return sum;
}

TEST(Acceptance, OfRejectionIsTheOverlapOfTheLaws) {
    integers random(1);
    for (int n = 0; n < 5; ++n) {
        const std::vector<law> p{random_law(random), random_law(random), random_law(random), random_law(random)};
        const std::vector<law> q{random_law(random), random_law(random), random_law(random)};
        EXPECT_NEAR(accepted<rejection>(p, q, 20000), expected_of_rejection(p, q), 0.04);
        EXPECT_NEAR(accepted<recursive_rejection>(p, q, 20000), expected_of_rejection(p, q), 0.04);
    }
}
// vllm-ascend 7807: a block verification that accepted as rejection does.
TEST(Acceptance, OfBlocksIsThatOfThePaperAndNeverLessThanOfRejection) {
    integers random(2);
    double all = 0.0, by_rejection = 0.0;
    for (int n = 0; n < 100; ++n) {
        const std::vector<law> p{random_law(random), random_law(random), random_law(random), random_law(random)};
        const std::vector<law> q{random_law(random), random_law(random), random_law(random)};
        const double expected = expected_of_blocks(p, q);
        EXPECT_GE(expected, expected_of_rejection(p, q) - 1e-12);
        EXPECT_NEAR(accepted<block_verification>(p, q, 3000), expected, 0.1) << n;
        all += expected;
        by_rejection += expected_of_rejection(p, q);
    }
    EXPECT_GT(all, 1.03 * by_rejection);
}
// vLLM 40149: where the draft's law is forgotten, equal laws are rejected too.
TEST(Acceptance, OfEqualLawsIsAllAndOfDisjointLawsNone) {
    integers random(3);
    const law half{0.5, 0.5, 0, 0, 0, 0}, other{0, 0, 0.25, 0.25, 0.5, 0};
    for (int n = 0; n < 5; ++n) {
        const law p = random_law(random);
        const std::vector<law> same{p, p, p, p}, drafted{p, p, p};
        EXPECT_NEAR(accepted<rejection>(same, drafted, 3000), 3.0, 1e-3);
        EXPECT_NEAR(accepted<block_verification>(same, drafted, 3000), 3.0, 1e-3);
        EXPECT_NEAR(accepted<recursive_rejection>(same, drafted, 3000), 3.0, 1e-3);
    }
    const std::vector<law> p{half, half, half}, q{other, other};
    EXPECT_EQ(accepted<rejection>(p, q, 1000), 0.0);
    EXPECT_EQ(accepted<block_verification>(p, q, 1000), 0.0);
    EXPECT_EQ(accepted<recursive_rejection>(p, q, 1000), 0.0);
}
TEST(Acceptance, OfWhatTheSameChainDraftsIsAll) {
    // The integers of the draft's law are those of the chain's: not a draw in a million is rejected.
    auto chain = top_k{4} | temperature{0.9f} | dist{.seed = 1};
    auto of_draft = chain;
    const small_model model(5);
    const auto expect_all = [&](auto verifier) {
        std::vector<token_id> text;
        draft proposed;
        for (int n = 0; n < 3000; ++n) {
            proposed.clear();
            const checkpoint begin = of_draft.mark();
            for (int i = 0; i < 4; ++i) draft_from(of_draft, model.row(text, proposed.tokens()), proposed);
            ASSERT_EQ(proposed.size(), 4u);
            ASSERT_TRUE(of_draft.rollback(begin));
            const auto rows = [&](std::size_t i) { return model.row(text, proposed.tokens().first(i)); };
            const verified& round = verifier.verify(chain, proposed, rows);
            ASSERT_EQ(round.accepted, 4u);
            for (const token_id token : round.tokens) {
                text.push_back(token);
                of_draft.accept(token);
            }
        }
    };
    expect_all(speculator<rejection>{});
    expect_all(speculator<block_verification>{});
    expect_all(speculator<recursive_rejection>{});
}
TEST(Acceptance, OfCertainDraftsIsThatOfMatching) {
    integers random(4);
    const law p{0.4, 0.3, 0.2, 0.1, 0, 0};
    for (token_id certain = 0; certain < 5; ++certain) {
        const auto share_of = [&](auto verifier) {
            auto chain = riffle::chain(dist{});
            const auto row = logits_of(p);
            std::size_t count = 0;
            draft proposed;
            proposed.push(certain);
            for (std::size_t n = 0; n < 20000; ++n) {
                chain.reset();
                get<dist>(chain).seed = n;
                if constexpr (requires { verifier.how().seed; }) verifier.how().seed = n;
                count += verifier.verify(chain, proposed, [&](std::size_t) { return std::span(row); }).accepted;
            }
            return double(count) / 20000.0;
        };
        EXPECT_NEAR(share_of(speculator<match>{}), p[std::size_t(certain)], 0.02);
        EXPECT_NEAR(share_of(speculator<rejection>{}), p[std::size_t(certain)], 0.02);
        EXPECT_NEAR(share_of(speculator<block_verification>{}), p[std::size_t(certain)], 0.02);
        EXPECT_NEAR(share_of(speculator<recursive_rejection>{}), p[std::size_t(certain)], 0.02);
    }
}
// SGLang 35771: tokens of probability 0 were accepted.
TEST(Acceptance, NeverOfWhatHasNoProbability) {
    auto chain = top_k{2} | dist{};
    const std::vector<float> row{1.0f, 3.0f, 2.0f, illegal_logit, 0.0f};  // 1 and 2 are left
    const token_probability likely[] = {{0, 0.25f}, {3, 0.5f}, {4, 0.25f}};
    const auto expect_none = [&](auto verifier) {
        draft proposed;
        draft_tree tree;
        for (const token_id token : {0, 3, 4})
            for (std::uint64_t n = 0; n < 2000; ++n) {
                chain.reset();
                get<dist>(chain).seed = n;
                if constexpr (requires { verifier.how().seed; }) verifier.how().seed = n;
                proposed.clear();
                proposed.push(token, likely);
                const auto rows = [&](std::size_t) { return std::span(row); };
                const verified& round = verifier.verify(chain, proposed, rows);
                ASSERT_EQ(round.accepted, 0u);
                ASSERT_TRUE(round.tokens[0] == 1 || round.tokens[0] == 2);
                if constexpr (!std::is_same_v<decltype(verifier), speculator<block_verification>>) {
                    tree.clear();
                    tree.push(draft_tree::root, token, likely);
                    tree.push(draft_tree::root, 4, likely);
                    const verified& of_tree = verifier.verify(chain, tree, rows);
                    ASSERT_EQ(of_tree.accepted, 0u);
                    ASSERT_TRUE(of_tree.tokens[0] == 1 || of_tree.tokens[0] == 2);
                }
            }
    };
    expect_none(speculator<match>{});
    expect_none(speculator<rejection>{});
    expect_none(speculator<block_verification>{});
    expect_none(speculator<recursive_rejection>{});
    expect_none(speculator<recursive_rejection>{{.with_replacement = true}});
    expect_none(speculator<typical_acceptance>{});
    expect_none(speculator<typical_acceptance>{{.epsilon = -1.0f, .delta = -1.0f}});
}
// SGLang 28242 and 33643, TensorRT-LLM 17701: one state of penalties for all drafted positions, or none at all.
TEST(Acceptance, IsByTheLawBehindTheDraftedTokensBefore) {
    // What was drafted once is forbidden from then on, by the penalties; whether what comes next is accepted hangs on
    // it.
    auto chain = penalties{.last_n = 8, .presence = 1000.0f} | dist{};
    const std::vector<float> row{3.0f, 3.0f, 3.0f};
    const auto expect_no_repeats = [&](auto verifier) {
        draft proposed;
        for (const token_id token : {0, 1, 0}) proposed.push(token);
        for (std::uint64_t n = 0; n < 2000; ++n) {
            chain.reset();
            get<dist>(chain).seed = n;
            if constexpr (requires { verifier.how().seed; }) verifier.how().seed = n;
            const verified& round = verifier.verify(chain, proposed, [&](std::size_t) { return std::span(row); });
            ASSERT_LE(round.accepted, 2u);
            for (std::size_t i = 0; i < round.tokens.size(); ++i)
                for (std::size_t j = 0; j < i; ++j) ASSERT_NE(round.tokens[i], round.tokens[j]) << n;
        }
    };
    expect_no_repeats(speculator<match>{});
    expect_no_repeats(speculator<rejection>{});
    expect_no_repeats(speculator<block_verification>{});
    expect_no_repeats(speculator<recursive_rejection>{});
    expect_no_repeats(speculator<typical_acceptance>{});
}
// DeepSpec 31: the law of a draft was another one than that it was drawn from.
TEST(Acceptance, OfDraftsFromAChainWhoseLawIsTheOneThatItDrawsFrom) {
    auto of_draft = top_k{3} | temperature{1.5f} | dist{};
    const std::vector<float> row{1.0f, 2.0f, 1.5f, 0.5f, illegal_logit};
    std::array<double, 5> counts{}, p{};
    draft proposed;
    constexpr std::size_t draws = 30000;
    for (std::size_t n = 0; n < draws; ++n) {
        of_draft.reset();
        get<dist>(of_draft).seed = n;
        proposed.clear();
        counts[std::size_t(draft_from(of_draft, row, proposed))] += 1.0 / double(draws);
    }
    double sum = 0.0;
    for (const std::size_t i : {0u, 1u, 2u}) sum += p[i] = std::exp(double(row[i]) / 1.5);
    ASSERT_EQ(proposed.law(0).size(), 3u);
    for (const auto& one : proposed.law(0)) {
        EXPECT_NEAR(double(one.p), p[std::size_t(one.token)] / sum, 1e-6);
        EXPECT_NEAR(counts[std::size_t(one.token)], double(one.p), 0.015);
    }
}
TEST(Acceptance, TypicalTakesWhatIsLikelyEnough) {
    static_assert(is_exact<match> && is_exact<rejection> && is_exact<block_verification> &&
                  is_exact<recursive_rejection> && !is_exact<typical_acceptance>);
    auto chain = riffle::chain(dist{});
    const law p{0.55, 0.2, 0.1, 0.08, 0.04, 0.03};  // its entropy is 1.317 nats: 0.3 · exp(-1.317) = 0.0804
    const auto row = logits_of(p);
    const auto accepts = [&](typical_acceptance how, token_id token) {
        speculator verifier(how);
        draft proposed;
        proposed.push(token);
        chain.reset();
        return verifier.verify(chain, proposed, [&](std::size_t) { return std::span(row); }).accepted == 1;
    };
    for (token_id token = 0; token < 6; ++token) EXPECT_EQ(accepts({}, token), token < 3) << token;
    EXPECT_TRUE(accepts({.epsilon = 0.035f}, 4));
    EXPECT_FALSE(accepts({.epsilon = 0.035f}, 5));
    EXPECT_FALSE(accepts({.epsilon = 0.9f, .delta = 3.0f}, 0));
    const float nan = std::nanf("");
    EXPECT_FALSE(accepts({.epsilon = nan}, 0));
    EXPECT_FALSE(accepts({.delta = nan}, 0));
}

}  // namespace
}  // namespace riffle_tests::speculative_acceptance
