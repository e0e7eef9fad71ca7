// Every selector draws by the distribution that its publication writes down, computed here in double precision: in both
// numerics, from the row and from candidates, of few tokens and of many. The seeds are fixed and the bound is passed
// once in 10^9 times, so what fails here is wrong.

#include "samplers/chi_square.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "integers.hpp"
#include "samplers/published_distributions.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

constexpr std::size_t few_tokens = 40, many_tokens = 5000;

/// Draws that a row gets: from many tokens fewer, most of all where each of them costs something.
template <class Selector>
std::size_t draws_from(std::size_t size) {
    if (size == few_tokens) return 20000;
    return facts_of<Selector>().needs_sorted || facts_of<Selector>().selects == selecting::by_noise ? 1500 : 3000;
}

/// The chain draws at the same place again and again, so that what it learns from its tokens does not show.
template <class Chain, class Selector>
void expect_drawn_by(Chain c, const Selector& selector, const std::vector<float>& row, const std::string& what) {
    expect_distribution(
        distribution_of_selector(selector, softmax(row)), draws_from<Selector>(row.size()),
        [&](std::size_t) {
            c.retry();
            return c.peek(row);
        },
        what + ", " + std::to_string(row.size()) + " tokens");
}
/// The candidates in an order that is not the row's.
template <class Selector>
void expect_drawn_from_candidates(const Selector& selector, const std::vector<float>& row, const std::string& what) {
    auto c = chain(selector);
    std::vector<token_data> given;
    for (std::size_t i = 0; i < row.size(); ++i) given.push_back({token_id(row.size() - 1 - i), 0.0f, 0.0f});
    for (auto& token : given) token.logit = row[std::size_t(token.id)];
    std::vector<token_data> memory;
    expect_distribution(
        distribution_of_selector(selector, softmax(row)), draws_from<Selector>(row.size()),
        [&](std::size_t) {
            memory = given;
            candidates all{memory.data(), memory.size(), -1, false};
            c.retry();
            EXPECT_TRUE(c.apply(all).ok());
            return all.selected < 0 ? null_token : all[std::size_t(all.selected)].id;
        },
        what + ", candidates, " + std::to_string(row.size()) + " tokens");
}

template <class Selector>
void expect_drawn_every_way(const Selector& selector, const std::vector<float>& row, const std::string& what) {
    constexpr top_k all_of_them{.k = 100000};
    expect_drawn_by(chain(selector), selector, row, what + ", wide");
    expect_drawn_by(with<fast>(chain(selector)), selector, row, what + ", wide, fast");
    expect_drawn_by(all_of_them | selector, selector, row, what + ", narrow");
    expect_drawn_by(with<fast>(all_of_them | selector), selector, row, what + ", narrow, fast");
    expect_drawn_from_candidates(selector, row, what);
}
template <class Selector>
void expect_drawn_every_way(const Selector& selector, const char* what) {
    for (const std::size_t size : {few_tokens, many_tokens}) {
        expect_drawn_every_way(selector, zipf_row(size), what);
        expect_drawn_every_way(selector, flat_row(size), what);
    }
}

TEST(ChiSquare, Dist) { expect_drawn_every_way(dist{.seed = 101}, "dist"); }
TEST(ChiSquare, Gumbel) { expect_drawn_every_way(gumbel{.seed = 102}, "gumbel"); }
TEST(ChiSquare, Skew) {
    expect_drawn_every_way(skew{.amount = 0.0f, .seed = 103}, zipf_row(few_tokens), "skew 0");
    expect_drawn_every_way(skew{.amount = 0.5f, .seed = 104}, "skew 0.5");
    expect_drawn_every_way(skew{.amount = -0.75f, .seed = 105}, "skew -0.75");
}
TEST(ChiSquare, Mirostat) {
    for (const std::size_t size : {few_tokens, many_tokens})
        for (const float tau : {2.0f, 4.5f}) {
            const mirostat selector{.tau = tau, .n_vocab = std::int32_t(size), .seed = 106};
            expect_drawn_every_way(selector, zipf_row(size), "mirostat, tau " + std::to_string(tau));
        }
}
TEST(ChiSquare, MirostatV2) {
    for (const float tau : {2.3f, 3.1f}) {
        const mirostat_v2 selector{.tau = tau, .seed = 107};
        expect_drawn_every_way(selector, zipf_row(few_tokens), "mirostat_v2, tau " + std::to_string(tau));
        expect_drawn_every_way(selector, flat_row(few_tokens), "mirostat_v2, tau " + std::to_string(tau));
    }
    for (const float tau : {5.2f, 6.3f}) {
        const mirostat_v2 selector{.tau = tau, .seed = 108};
        expect_drawn_every_way(selector, zipf_row(many_tokens), "mirostat_v2, tau " + std::to_string(tau));
        expect_drawn_every_way(selector, flat_row(many_tokens), "mirostat_v2, tau " + std::to_string(tau));
    }
}
TEST(ChiSquare, AdaptivePWithoutATarget) { expect_drawn_every_way(adaptive_p{.seed = 109}, "adaptive_p, no target"); }
TEST(ChiSquare, AdaptivePWithATarget) {
    expect_drawn_every_way(adaptive_p{.target = 0.1f, .seed = 110}, "adaptive_p, target 0.1");
    expect_drawn_every_way(adaptive_p{.target = 0.5f, .seed = 111}, "adaptive_p, target 0.5");
}

// --- what is learnt shows in the distribution
// ---------------------------------------------------------------------------------

TEST(ChiSquare, MirostatV2BehindTokensThatItLearntFrom) {
    const auto row = zipf_row(few_tokens);
    const auto p = softmax(row);
    const double tau = 2.5, eta = 0.25;
    auto c = chain(mirostat_v2{.tau = 2.5f, .eta = 0.25f, .seed = 112});
    double mu = 2.0 * tau;
    for (int step = 0; step < 12; ++step) {
        std::size_t k = 0;
        double nearest = 1.0;
        for (const double x : p) {
            k += -std::log2(x) <= mu;
            nearest = std::min(nearest, std::fabs(-std::log2(x) - mu));
        }
        const auto distribution = of_the_first(p, std::max<std::size_t>(k, 1));
        if (step % 4 == 3 && nearest > 1e-4) {
            auto again = c;
            expect_distribution(
                distribution, 10000,
                [&](std::size_t) {
                    again.retry();
                    return again.peek(row);
                },
                "step " + std::to_string(step));
        }
        const token_id token = c.sample(row);
        ASSERT_NE(token, null_token);
        ASSERT_GT(distribution[std::size_t(token)], 0.0);
        mu -= eta * (-std::log2(distribution[std::size_t(token)]) - tau);
    }
}
TEST(ChiSquare, AdaptivePBehindTokensThatItLearntFrom) {
    const auto row = zipf_row(few_tokens);
    const auto p = softmax(row);
    const double target = 0.2, decay = 0.75;
    for (const bool narrow : {false, true}) {
        const adaptive_p selector{.target = 0.2f, .decay = 0.75f, .seed = 113};
        any_pipeline c = narrow ? any_pipeline(top_k{.k = 1000} | selector) : any_pipeline(chain(selector));
        double sum = target / (1.0 - decay), weight = 1.0 / (1.0 - decay);
        for (int step = 0; step < 12; ++step) {
            if (step % 4 == 3) {
                any_pipeline again = c;
                expect_distribution(
                    distribution_of_adaptive_p(target, sum / weight, p), 10000,
                    [&](std::size_t) {
                        again.retry();
                        return again.peek(row);
                    },
                    "step " + std::to_string(step));
            }
            const token_id token = c.sample(row);
            ASSERT_NE(token, null_token);
            sum = p[std::size_t(token)] + decay * sum;
            weight = 1.0 + decay * weight;
        }
    }
}

// --- the coin of xtc, and draws beside each other --------------------------------------------------------------------

/// Logits of probabilities.
std::vector<float> row_of(const shares& p) {
    std::vector<float> row;
    for (const double x : p) row.push_back(float(std::log(x)));
    return row;
}
const std::vector<float> even_pair{0.0f, 0.0f};

TEST(ChiSquare, TheCoinOfXtc) {
    const auto row = row_of({0.5, 0.3, 0.2});  // fired: the first is gone
    for (const float share : {0.015625f, 0.1f, 0.5f, 0.9f}) {
        const shares coin{double(share), 1.0 - double(share)};
        const auto expect = [&](auto c, const char* what) {
            expect_distribution(
                coin, 20000,
                [&](std::size_t) {
                    const bool fired = c.sample(row) != 0;
                    return token_id(fired ? 0 : 1);
                },
                std::string(what) + ", " + std::to_string(share));
        };
        const xtc stage{.probability = share, .threshold = 0.25f, .seed = 120};
        expect(stage | greedy{}, "wide");
        expect(with<fast>(stage | greedy{}), "fast");
        expect(top_k{.k = 3} | stage | greedy{}, "narrow");
        dynamic_chain late;
        late.push(stage);
        late.push(greedy{});
        expect(late, "put together at run time");
    }
}
TEST(ChiSquare, TheCoinOfXtcIsAnewWithEverySeedAttemptAndSequence) {
    const auto row = row_of({0.5, 0.3, 0.2});
    const shares coin{0.5, 0.5};
    auto c = xtc{.threshold = 0.25f, .seed = 121} | greedy{};
    expect_distribution(
        coin, 20000,
        [&](std::size_t) {
            c.retry();
            return token_id(c.peek(row) != 0);
        },
        "attempts");
    c.reset();
    expect_distribution(
        coin, 20000, [&](std::size_t i) { return token_id(c.fork(std::uint16_t(i)).peek(row) != 0); }, "sequences");
    expect_distribution(
        coin, 20000,
        [&](std::size_t i) { return token_id((xtc{.threshold = 0.25f, .seed = i} | greedy{}).peek(row) != 0); },
        "seeds");
}

/// Two xtc and a selector of one seed, in one chain: what is left shows which of the two fired, and every combination
/// of the coins and the token comes as often as independence has it.
template <class Chain>
void expect_two_coins_and_a_draw(Chain c, const char* what) {
    const shares p{0.4, 0.3, 0.2, 0.1};
    const auto row = row_of(p);
    // thresholds 0.25 and 0.15: neither leaves 0123; the first alone 123; the second alone 23; both 3
    const std::vector<std::vector<token_id>> left{{0, 1, 2, 3}, {1, 2, 3}, {2, 3}, {3}};
    shares distribution(16, 0.0);
    for (std::size_t which = 0; which < 4; ++which) {
        double total = 0.0;
        for (const token_id id : left[which]) total += p[std::size_t(id)];
        for (const token_id id : left[which])
            distribution[which * 4 + std::size_t(id)] = 0.25 * p[std::size_t(id)] / total;
    }
    expect_distribution(
        distribution, 40000,
        [&](std::size_t) {
            const token_id token = c.peek(row);
            std::vector<token_id> ids;
            for (const auto& t : c.distribution(row)) ids.push_back(t.id);
            std::sort(ids.begin(), ids.end());
            const auto which = std::size_t(std::find(left.begin(), left.end(), ids) - left.begin());
            c.accept(token);
            return token_id(which * 4) + token;
        },
        what);
}
template <class Selector>
void expect_two_coins_and(const Selector& last, const char* what) {
    const xtc first{.probability = 0.5f, .threshold = 0.25f, .seed = 130};
    const xtc second{.probability = 0.5f, .threshold = 0.15f, .seed = 130};
    expect_two_coins_and_a_draw(first | second | last, what);
    dynamic_chain late;
    late.push(first);
    late.push(second);
    late.push(last);
    expect_two_coins_and_a_draw(late, what);
    expect_two_coins_and_a_draw(any_pipeline(first | second | last), what);
}
TEST(ChiSquare, StagesOfOneSeedInOneChainDrawOfTheirOwn) {
    expect_two_coins_and(dist{.seed = 130}, "dist");
    expect_two_coins_and(gumbel{.seed = 130}, "gumbel");
    expect_two_coins_and(mirostat_v2{.tau = 10.0f, .eta = 0.0f, .seed = 130}, "mirostat_v2");
    expect_two_coins_and(mirostat{.tau = 10.0f, .eta = 0.0f, .n_vocab = 4, .seed = 130}, "mirostat");
    expect_two_coins_and(adaptive_p{.seed = 130}, "adaptive_p");
    expect_two_coins_and(skew{.seed = 130}, "skew");
}

/// Draws of chains with the same seed and at the same positions, but of different selectors, in pairs.
TEST(ChiSquare, SelectorsOfOneSeedDrawIndependently) {
    std::vector<any_pipeline> chains;
    chains.push_back(chain(dist{.seed = 131}));
    chains.push_back(chain(gumbel{.seed = 131}));
    chains.push_back(chain(mirostat{.n_vocab = 2, .seed = 131}));
    chains.push_back(chain(mirostat_v2{.eta = 0.0f, .seed = 131}));
    chains.push_back(chain(adaptive_p{.seed = 131}));
    chains.push_back(chain(skew{.seed = 131}));
    constexpr std::size_t draws = 20000;
    std::vector<std::vector<token_id>> drawn;
    for (auto& c : chains) {
        drawn.emplace_back();
        for (std::size_t i = 0; i < draws; ++i) {
            drawn.back().push_back(c.peek(even_pair));
            c.accept(0);
        }
    }
    for (std::size_t a = 0; a < drawn.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
            expect_distribution(
                shares(4, 0.25), draws, [&](std::size_t i) { return token_id(2 * drawn[a][i] + drawn[b][i]); },
                "selectors " + std::to_string(b) + " and " + std::to_string(a));
}

}  // namespace
}  // namespace riffle_tests
