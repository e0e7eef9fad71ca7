#include "samplers/learning.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<mirostat_v2>() ==
              facts{.draws = true, .narrows = narrowing::likelihood, .selects = selecting::by_mass});

constexpr mirostat_v2 usual_mirostat_v2{.tau = 3.0f, .eta = 0.3f, .seed = 5};

TEST(MirostatV2, AgreesWithTheReference) { expect_learner_agrees<mirostat_v2>(); }
TEST(MirostatV2, LearnsInAcceptOnly) { expect_learns_in_accept_only(usual_mirostat_v2); }
TEST(MirostatV2, LearnsFromItsChoiceOnly) { expect_learns_from_its_choice_only(usual_mirostat_v2); }
TEST(MirostatV2, GoesBack) { expect_goes_back(usual_mirostat_v2); }
TEST(MirostatV2, DrawsItsDistribution) { expect_draws_its_distribution(usual_mirostat_v2); }

TEST(MirostatV2, KeepsWhatSurprisesNoMoreThanMu) {
    const auto row = logits_of({0.5, 0.25, 0.125, 0.0625, 0.0625});  // 1, 2, 3, 4, 4 bits; mu starts at 2 tau
    EXPECT_EQ(wide_survivors_of(chain(mirostat_v2{.tau = 0.75f}), row), (std::vector<token_id>{0}));
    EXPECT_EQ(wide_survivors_of(chain(mirostat_v2{.tau = 1.25f}), row), (std::vector<token_id>{0, 1}));
    EXPECT_EQ(wide_survivors_of(chain(mirostat_v2{.tau = 1.75f}), row), (std::vector<token_id>{0, 1, 2}));
    EXPECT_EQ(wide_survivors_of(chain(mirostat_v2{.tau = 2.25f}), row).size(), 5u);
    EXPECT_EQ(wide_survivors_of(chain(mirostat_v2{.tau = -2.0f}), row), (std::vector<token_id>{0}));
}
TEST(MirostatV2, MuFollowsTheSurprise) {
    // A token of all the mass surprises by nothing: mu rises by eta tau each time, 2 tau -> 3 tau -> 4 tau.
    auto c = chain(mirostat_v2{.tau = 0.7f, .eta = 1.0f});
    const auto row = logits_of({0.5, 0.25, 0.125, 0.0625, 0.0625});
    const std::vector<float> sure{0.0f, -100.0f};
    for (const std::size_t kept : {1u, 2u, 2u, 3u, 5u}) {  // 1.4, 2.1, 2.8, 3.5, 4.2 bits
        c.peek(row);
        EXPECT_EQ(c.survivors().size(), kept);
        c.sample(sure);
    }
}
TEST(MirostatV2, TheMeanSurpriseApproachesTau) {
    const auto row = make_row(shape::flat, 2000, 7);
    for (const float tau : {2.0f, 5.0f}) {
        auto c = chain(mirostat_v2{.tau = tau, .eta = 0.1f, .seed = 9});
        double sum = 0.0;
        constexpr int burn = 300, steps = 2000;
        for (int i = 0; i < burn + steps; ++i) {
            const token_id token = c.sample(row);
            for (const auto& s : c.survivors())
                if (s.id == token && i >= burn) sum -= std::log2(double(s.p));
        }
        EXPECT_NEAR(sum / steps, double(tau), 0.1);
    }
}
}  // namespace
}  // namespace riffle_tests
