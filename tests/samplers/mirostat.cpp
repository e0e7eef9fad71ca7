#include "samplers/learning.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<mirostat>() == facts{.draws = true,
                                            .narrows = narrowing::head,
                                            .selects = selecting::by_mass,
                                            .softmax_parts = softmax_part::support});

constexpr mirostat usual_mirostat{.tau = 3.0f, .eta = 0.3f, .m = 50, .n_vocab = 300, .seed = 5};

TEST(Mirostat, AgreesWithTheReference) { expect_learner_agrees<mirostat>(); }
TEST(Mirostat, LearnsInAcceptOnly) { expect_learns_in_accept_only(usual_mirostat); }
TEST(Mirostat, LearnsFromItsChoiceOnly) { expect_learns_from_its_choice_only(usual_mirostat); }
TEST(Mirostat, GoesBack) { expect_goes_back(usual_mirostat); }
TEST(Mirostat, DrawsItsDistribution) { expect_draws_its_distribution(usual_mirostat); }

TEST(Mirostat, KeepsTheKOfTheFormula) {
    // Zipf's law with s = 1.5 for 1000 tokens, and mu of 6 bits
    std::vector<float> row(1000);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = float(-1.5 * std::log(double(i + 1)));
    for (const float tau : {1.0f, 2.0f, 3.0f}) {
        auto c = chain(mirostat{.tau = tau, .m = 100, .n_vocab = 1000});
        c.peek(row);
        const double e = 0.5, mu = 2.0 * double(tau);
        const double k = std::pow(e * std::exp2(mu) / (1.0 - std::pow(1000.0, -e)), 1.0 / 1.5);
        EXPECT_EQ(c.survivors().size(), std::size_t(k)) << tau;
    }
}
TEST(Mirostat, OfEquallyLikelyTokensAllOrOne) {
    const std::vector<float> even(300, 1.0f);  // log2(299) is 8.2 bits
    EXPECT_EQ(wide_survivors_of(chain(mirostat{.tau = 4.5f, .n_vocab = 300}), even).size(), 300u);
    EXPECT_EQ(wide_survivors_of(chain(mirostat{.tau = 3.5f, .n_vocab = 300}), even).size(), 1u);
}
TEST(Mirostat, KeepsAtLeastOne) {
    const auto row = make_row(shape::peaked, 300, 3);
    EXPECT_EQ(wide_survivors_of(chain(mirostat{.tau = -10.0f, .n_vocab = 300}), row).size(), 1u);
    EXPECT_EQ(wide_survivors_of(chain(mirostat{.tau = 1e6f, .n_vocab = 300}), row).size(), 300u);
}
}  // namespace
}  // namespace riffle_tests
