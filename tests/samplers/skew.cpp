#include "samplers/chi_square.hpp"
#include "samplers/single.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<skew>() == facts{.keeps_sorted = true, .draws = true, .selects = selecting::own});

TEST(Skew, AgreesWithTheReference) {
    for (const skew& variant : variants_of<skew>()) {
        auto c = chain(variant);
        auto narrowed = chain(top_k{20}, variant);
        reference::model model{{variant}, {}}, narrowed_model{{top_k{20}, variant}, {}};
        expect_agreement_on_all_shapes(view_of(c), model, sizes_of_a_thousand, 4);
        expect_agreement_on_all_shapes(view_of(narrowed), narrowed_model, sizes_of_a_thousand, 4);
    }
}
TEST(Skew, AgreesOnLongRows) {
    for (const shape s : all_shapes) {
        auto c = chain(skew{.amount = 0.5f, .seed = 1});
        reference::model model{{skew{.amount = 0.5f, .seed = 1}}, {}};
        expect_chain_agreement(c, model, make_row(s, s == shape::flat ? 262144 : 32000, 1), name_of(s));
    }
}

const std::vector<float>& row_of_few() {
    static const std::vector<float> row{1.0f, -0.5f, 2.0f, 0.0f, -infinity, 1.5f, -3.0f, 2.0f, -9.0f, 0.25f};
    return row;
}
/// u^exp(-amount) lies below a share c as often as u lies below c^exp(amount).
std::vector<double> skewed_distribution(float amount) {
    const auto p = softmax(row_of_few());
    std::vector<std::size_t> order(p.size());
    for (std::size_t i = 0; i < p.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [](std::size_t a, std::size_t b) { return row_of_few()[a] > row_of_few()[b]; });
    std::vector<double> distribution(p.size(), 0.0);
    double share = 0.0;
    for (const std::size_t i : order) {
        const double before = std::pow(share, std::exp(double(amount)));
        share = std::min(share + p[i], 1.0);
        distribution[i] = std::pow(share, std::exp(double(amount))) - before;
    }
    return distribution;
}
TEST(Skew, DrawsByTheSkewedDistribution) {
    for (const float amount : {0.0f, 0.5f, 1.5f, -0.5f, -2.0f}) {
        auto c = chain(skew{.amount = amount, .seed = 7});
        auto narrow = top_k{100} | skew{.amount = amount, .seed = 8};
        auto distribution = skewed_distribution(amount);
        distribution[4] = 0.0;  // illegal
        expect_drawn_from(
            distribution, 20000, [&](std::size_t) { return c.sample(row_of_few()); }, "from the row");
        expect_drawn_from(
            distribution, 20000, [&](std::size_t) { return narrow.sample(row_of_few()); }, "narrow");
    }
}
// Rows in which the likelier of two tokens has a share beside the number that is drawn, by less than numbers are apart.
TEST(Skew, DrawsTheSecondFromItsShareOn) {
    int first = 0, second = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const std::uint64_t odd = 2 * (reference::random_bits({}, seed, 7) >> 41) + 1;
        const double u = double(odd) * 0x1p-24;
        if (u < 0.55 || u > 0.95) continue;
        const std::uint32_t middle = reference::bits_of(float(std::log(1.0 / u - 1.0)));
        for (std::uint32_t bits = middle - 100; bits <= middle + 100; ++bits) {
            const std::vector<float> row{0.0f, reference::float_of(bits)};
            auto c = chain(skew{.amount = 0.0f, .seed = seed});
            reference::model model{{skew{.amount = 0.0f, .seed = seed}}, {}};
            expect_chain_agreement(c, model, row, "seed " + std::to_string(seed));
            (c.peek(row) == 0 ? first : second) += 1;
        }
    }
    EXPECT_GT(first, 100);
    EXPECT_GT(second, 100);
}
TEST(Skew, DistributionIsTheSkewedDistribution) {
    for (const float amount : {0.0f, 0.5f, 1.5f, -0.5f, -2.0f, 4.0f}) {
        auto distribution = skewed_distribution(amount);
        distribution[4] = 0.0;
        auto c = chain(skew{.amount = amount});
        double total = 0.0;
        const auto found = c.distribution(row_of_few());
        EXPECT_EQ(found.size(), 9u);
        for (const auto& token : found) {
            EXPECT_NEAR(double(token.p), distribution[std::size_t(token.id)], 1e-6) << amount << ", token " << token.id;
            total += double(token.p);
        }
        EXPECT_NEAR(total, 1.0, 1e-6);
        for (const auto& token : c.logprobs(row_of_few(), 9)) {
            const double expected = std::log(distribution[std::size_t(token.id)]);
            EXPECT_NEAR(double(token.logprob), expected, 1e-5 * (1.0 - expected)) << amount << ", token " << token.id;
        }
        auto narrow = top_k{4} | skew{.amount = amount};
        EXPECT_EQ(narrow.distribution(row_of_few()).size(), 4u);
    }
    for (const float amount : {-80.0f, 80.0f}) {
        auto c = chain(skew{.amount = amount});
        const auto found = c.distribution(row_of_few());
        ASSERT_FALSE(found.empty());
        EXPECT_EQ(found[0].id, amount < 0.0f ? 2 : 8);
        EXPECT_NEAR(double(found[0].p), 1.0, 1e-6);
    }
    const std::vector<float> with_weightless{0.0f, -30.0f, -1.0f};
    auto c = chain(skew{.amount = 1.0f});
    EXPECT_EQ(c.distribution(with_weightless).size(), 2u);  // it is never drawn
}
TEST(Skew, FarAmountsTakeTheFirstOrTheLast) {
    auto likely = chain(skew{.amount = -1e9f}), unlikely = chain(skew{.amount = 1e9f});
    for (int i = 0; i < 200; ++i) {
        EXPECT_EQ(likely.sample(row_of_few()), 2);
        EXPECT_EQ(unlikely.sample(row_of_few()), 8);
    }
}
TEST(Skew, WhatWeighsNothingIsNeverDrawn) {
    const std::vector<float> row{-21.0f, 0.0f, -100.0f, -infinity, 0.0f};
    for (const float amount : {0.0f, 3.0f, 80.0f, -80.0f}) {
        auto c = chain(skew{.amount = amount, .seed = 3});
        for (int i = 0; i < 300; ++i) {
            const token_id token = c.sample(row);
            ASSERT_TRUE(token == 1 || token == 4) << amount;
        }
    }
}
TEST(Skew, PeekIsPureAndCopiesGoOnAlike) {
    auto c = chain(skew{.amount = 0.3f, .seed = 3});
    for (int i = 0; i < 50; ++i) {
        auto copy = c;
        const token_id token = c.peek(row_of_few());
        ASSERT_EQ(c.peek(row_of_few()), token);
        ASSERT_EQ(c.sample(row_of_few()), token);
        ASSERT_EQ(copy.sample(row_of_few()), token);
    }
}

}  // namespace
}  // namespace riffle_tests
