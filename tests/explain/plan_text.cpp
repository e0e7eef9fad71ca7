#include <string>

#include <gtest/gtest.h>

#include <riffle/explain.hpp>
#include <riffle/riffle.hpp>

namespace {

using namespace riffle;

struct shuffle_like {
    static constexpr const char* name = "shuffle_like";
    void apply(candidates&) const noexcept {}
};
struct square {
    static constexpr const char* name = "square";
    template <class V>
    static V map(const V& logit) noexcept {
        return logit * logit;
    }
};

template <class Chain>
void expect_lines(const Chain& c, std::initializer_list<const char*> lines) {
    const std::string text = explain(c);
    std::size_t from = 0;
    for (const char* line : lines) {
        const std::size_t found = text.find(line, from);
        ASSERT_NE(found, std::string::npos) << "no '" << line << "' in order in\n" << text;
        from = found;
    }
}

TEST(PlanText, NarrowingChainReadsTheRowOnce) {
    const auto c = chain(top_k{}, top_p{}, temperature{}, dist{});
    expect_lines(c, {"top_k | top_p | temperature | dist", "the whole row once", "max ", "select    top_k",
                     "narrow    top_p, temperature, dist"});
    EXPECT_EQ(explain(c).find("mass"), std::string::npos);
}

TEST(PlanText, SaysWhichMapsWereCommuted) {
    expect_lines(chain(temperature{}, soft_cap{}, min_p{}, dist{}),
                 {"above ", "temperature, soft_cap commuted past the cut"});
}

TEST(PlanText, SaysWhichMapsWereFolded) {
    expect_lines(chain(soft_cap{}, temperature{}, dist{}), {"mass ", "soft_cap, temperature folded in", "pick "});
}

TEST(PlanText, SaysWhichStageForcesRows) {
    expect_lines(chain(shuffle_like{}, top_k{}, dist{}),
                 {"rows ", "because shuffle_like has only a narrow verb", "narrow    shuffle_like",
                  "back_to_row copies", "select    top_k"});
    expect_lines(chain(penalties{}, shuffle_like{}, top_k{}, dist{}),
                 {"edit      penalties: kept beside the row", "rows      12 bytes", "narrow    shuffle_like over"});
}

TEST(PlanText, SaysWhyThereAreRowsWhereNoStageForcesThem) {
    const auto expect_reason = [](const std::string& text, const char* reason) {
        EXPECT_NE(text.find(std::string("rows      because ") + reason + "\n"), std::string::npos) << text;
    };
    const char* const short_row = "a row of 10 is too short for passes over it to pay";
    expect_reason(explain(chain(top_k{}, dist{}), 10), short_row);
    expect_reason(explain(chain(top_k{}, shuffle_like{}, dist{}), 10), short_row);
    expect_reason(explain(chain(shuffle_like{}, temperature{}), 10),
                  "shuffle_like has only a narrow verb and stands before anything narrows");
    expect_reason(explain(chain(skew{})), "skew selects among candidates");
    expect_reason(explain(chain(temperature{})), "no stage narrows or selects");
    EXPECT_EQ(explain(chain(top_k{}, dist{}), 17).find("rows "), std::string::npos);
    EXPECT_EQ(explain(chain(gumbel{}), 7).find("rows "), std::string::npos);
    expect_reason(explain(chain(gumbel{}), 6), "a row of 6 is too short for passes over it to pay");
}

TEST(PlanText, SaysWhereManySurvivorsGo) {
    const char* const stay = "more than 2048 that reach it stay in the row";
    expect_lines(chain(min_p{}, temperature{}, dist{}), {"above     min_p", stay, "narrow    temperature, dist"});
    expect_lines(chain(top_n_sigma{}, gumbel{}), {"above     top_n_sigma", stay});
    expect_lines(chain(min_p{}, mirostat_v2{}), {"above     min_p", stay});
    expect_lines(chain(min_p{}, logit_bias{}, dist{}), {"above     min_p", stay});
    EXPECT_EQ(explain(chain(min_p{}, shuffle_like{}, dist{})).find(stay), std::string::npos);
    EXPECT_EQ(explain(chain(top_k{}, dist{})).find(stay), std::string::npos);
}

TEST(PlanText, SaysWhichMapIsWrittenOut) {
    expect_lines(chain(square{}, top_k{}, dist{}), {"rewrite ", "square: written out"});
}

TEST(PlanText, FollowsTheParametersOfTheMoment) {
    auto c = chain(top_k{.k = 5}, min_p{}, dist{});
    expect_lines(c, {"select    top_k"});
    get<top_k>(c).k = 0;
    expect_lines(c, {"above     min_p"});
    get<min_p>(c).p = 0;
    expect_lines(c, {"mass ", "pick      dist"});
}

TEST(PlanText, EveryPassNamesItsStages) {
    expect_lines(
        chain(penalties{}, temperature{}, dist{}),
        {"edit      penalties: ", "mass      exp of every logit that can weigh, for dist; temperature folded in",
         "pick      dist: straight from the row; temperature folded in"});
    expect_lines(
        chain(temperature{}, adaptive_p{}),
        {"softmax   exp of every logit that can weigh, for adaptive_p: mass and entropy; temperature folded in",
         "pick      adaptive_p: straight from the row"});
    for (const auto& text : {explain(chain(typical{}, dist{})), explain(chain(typical{}, mirostat{}))})
        EXPECT_NE(text.find("softmax   exp of every logit that can weigh, for typical: mass and entropy\n"
                            "search    typical: more and more of the greatest"),
                  std::string::npos)
            << text;
    expect_lines(chain(eta_cutoff{}, dist{}),
                 {"softmax   exp of every logit that can weigh, for eta_cutoff: mass and entropy",
                  "above     eta_cutoff: reads the blocks", "narrow    dist over the survivors"});
    expect_lines(chain(top_n_sigma{}, dist{}), {"moments   reads every logit for top_n_sigma: mean and deviation",
                                                "above     top_n_sigma: reads the blocks"});
    expect_lines(chain(top_p{}, dist{}),
                 {"mass      exp of every logit that can weigh, for top_p", "nucleus   top_p: ", "narrow    dist"});
    expect_lines(chain(top_a{}, dist{}), {"for top_a", "above     top_a: "});
    expect_lines(chain(xtc{}, greedy{}),
                 {"adjust    xtc: learns the softmax statistics of the row", "pick      greedy: "});
    expect_lines(chain(top_k{}, gumbel{}), {"select    top_k: ", "narrow    gumbel over the survivors"});
    expect_lines(chain(skew{}), {"rows      12 bytes for every token", "narrow    skew over the survivors"});
}

TEST(PlanText, EveryPassHasAName) {
    for (int op = int(pass::edit); op <= int(pass::narrow); ++op) EXPECT_STRNE(name_of(pass(op)), "?");
}

}  // namespace
