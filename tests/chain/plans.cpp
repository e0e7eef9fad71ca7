// Plans, as values: which passes a chain runs for each bridge.

#include <initializer_list>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/riffle.hpp>

#include "chain/own_stages.hpp"

namespace riffle_tests::chain_plans {
namespace {

using namespace riffle;
using enum riffle::pass;

constexpr bool is(const plan& p, std::initializer_list<plan_step> steps) {
    if (p.size != steps.size()) return false;
    std::size_t i = 0;
    for (const plan_step& s : steps)
        if (!(p.steps[i++] == s)) return false;
    return true;
}

template <class... Stages>
using chain_of = pipeline<reproducible, Stages...>;

// A cut by rank reads the row once; everything behind it is narrow.
static_assert(is(chain_of<top_k, top_p, min_p, temperature, dist>::plan_for(0),
                 {{max}, {select, 0, 1}, {narrow, 1, 5}}));
static_assert(chain_of<top_k, top_p, min_p, temperature, dist>::plan_for(0).row_reads() == 1);
static_assert(chain_of<top_k, dist>::plan_for(0).row_reads() == 1);
static_assert(is(chain_of<temperature, soft_cap, top_k, dist>::plan_for(2), {{max}, {select, 2, 3}, {narrow, 3, 4}}));
static_assert(is(chain_of<temperature, dist>::plan_for(0), {{max}, {select, 0, 1}, {narrow, 1, 2}}));  // t <= 0

// A cut by threshold reads it twice, and takes exp of survivors only: there is no mass pass.
static_assert(is(chain_of<temperature, min_p, dist>::plan_for(1), {{max}, {above, 1, 2}, {narrow, 2, 3}}));
static_assert(chain_of<temperature, min_p, dist>::plan_for(1).row_reads() == 2);
static_assert(!chain_of<temperature, min_p, dist>::plan_for(1).has(mass));
static_assert(chain_of<temperature, min_p, dist>::plan_for(1).pending == 0);  // the map is commuted, not written out
static_assert(is(chain_of<min_p, gumbel>::plan_for(0), {{max}, {above, 0, 1}, {narrow, 1, 2}}));

// Greedy behind order-preserving maps is one max.
static_assert(is(chain_of<greedy>::plan_for(0), {{max}, {pick, 0, 1}}));
static_assert(is(chain_of<temperature, soft_cap, greedy>::plan_for(2), {{max}, {pick, 2, 3}}));
static_assert(is(chain_of<temperature, stretched, soft_cap, greedy>::plan_for(3), {{max}, {pick, 3, 4}}));
static_assert(chain_of<temperature, stretched, soft_cap, greedy>::plan_for(3).row_reads() == 1);

// A selector that is the bridge selects in the wide phase, maps folded in.
static_assert(is(chain_of<dist>::plan_for(0), {{max}, {mass, 0, 1}, {pick, 0, 1}}));
static_assert(is(chain_of<temperature, dist>::plan_for(1), {{max}, {mass, 1, 2}, {pick, 1, 2}}));
static_assert(chain_of<temperature, dist>::plan_for(1).row_reads() == 2);
static_assert(is(chain_of<centred, soft_cap, dist>::plan_for(2), {{max}, {mass, 2, 3}, {pick, 2, 3}}));
static_assert(is(chain_of<soft_cap, gumbel>::plan_for(1), {{max}, {pick, 1, 2}}));
static_assert(is(chain_of<temperature, adaptive_p>::plan_for(1), {{max}, {softmax, 1, 2}, {pick, 1, 2}}));

// A nucleus and a deviation need a sum over the row first.
static_assert(is(chain_of<temperature, top_p, dist>::plan_for(1),
                 {{max}, {mass, 1, 2}, {nucleus_end, 1, 2}, {above, 1, 2}, {narrow, 2, 3}}));
static_assert(is(chain_of<top_n_sigma, temperature, dist>::plan_for(0),
                 {{max}, {moments, 0, 1}, {above, 0, 1}, {narrow, 1, 3}}));

// A cut by probability needs a sum too, one by softmax statistics the entropy, and a set that no cut bounds is searched
// for.
static_assert(is(chain_of<temperature, epsilon_cutoff, dist>::plan_for(1),
                 {{max}, {mass, 1, 2}, {above, 1, 2}, {narrow, 2, 3}}));
static_assert(is(chain_of<temperature, eta_cutoff, dist>::plan_for(1),
                 {{max}, {softmax, 1, 2}, {above, 1, 2}, {narrow, 2, 3}}));
static_assert(is(chain_of<temperature, typical, dist>::plan_for(1),
                 {{max}, {softmax, 1, 2}, {search, 1, 2}, {narrow, 2, 3}}));

// A selector that narrows first draws or chooses from what it left.
static_assert(is(chain_of<temperature, mirostat_v2>::plan_for(1), {{max}, {mass, 1, 2}, {above, 1, 2}, {draw, 1, 2}}));
static_assert(is(chain_of<temperature, mirostat>::plan_for(1), {{max}, {softmax, 1, 2}, {head, 1, 2}, {choose, 1, 2}}));

// Edits are overlays; a map ahead of one is written out, a map behind it is not.
static_assert(is(chain_of<logit_bias, greedy>::plan_for(1), {{edit, 0, 1}, {max}, {pick, 1, 2}}));
static_assert(is(chain_of<penalties, top_k, dist>::plan_for(1), {{edit, 0, 1}, {max}, {select, 1, 2}, {narrow, 2, 3}}));
static_assert(is(chain_of<temperature, penalties, top_k, dist>::plan_for(2),
                 {{rewrite, 0, 1}, {edit, 1, 2}, {max}, {select, 2, 3}, {narrow, 3, 4}}));
static_assert(is(chain_of<penalties, temperature, dist>::plan_for(2),
                 {{edit, 0, 1}, {max}, {mass, 2, 3}, {pick, 2, 3}}));
static_assert(is(chain_of<temperature, logit_bias, soft_cap, dist>::plan_for(3),
                 {{rewrite, 0, 1}, {edit, 1, 2}, {max}, {mass, 3, 4}, {pick, 3, 4}}));
static_assert(chain_of<temperature, logit_bias, soft_cap, dist>::plan_for(3).pending == 2);
static_assert(is(chain_of<favours, greedy>::plan_for(1), {{edit, 0, 1}, {max}, {pick, 1, 2}}));
static_assert(is(chain_of<every_fourth, greedy>::plan_for(1), {{edit_all, 0, 1}, {max}, {pick, 1, 2}}));

// A map without a claim to be monotone is written out, and what waits ahead of it too.
static_assert(is(chain_of<folded_over, greedy>::plan_for(1), {{rewrite, 0, 1}, {max}, {pick, 1, 2}}));
static_assert(is(chain_of<temperature, bowl, soft_cap, top_k, dist>::plan_for(3),
                 {{rewrite, 0, 1}, {rewrite, 1, 2}, {max}, {select, 3, 4}, {narrow, 4, 5}}));

// A mask: few legal tokens are gathered, many leave the row with the others hidden, and maps pass a mask.
static_assert(is(chain_of<temperature, mask, dist>::plan_for(1), {{gather, 1, 2}, {narrow, 0, 3}}));
static_assert(chain_of<temperature, mask, dist>::plan_for(1).row_reads() == 0);
static_assert(is(chain_of<temperature, mask, dist>::plan_for(2), {{hide, 1, 2}, {max}, {mass, 2, 3}, {pick, 2, 3}}));
static_assert(is(chain_of<mask, top_k, greedy>::plan_for(1), {{hide, 0, 1}, {max}, {select, 1, 2}, {narrow, 2, 3}}));

// A stage with nothing but a narrow verb forces a candidate a token where it stands ahead of the bridge, and nowhere
// else. Behind the last of them the row's own passes go on.
static_assert(is(chain_of<keep_even, top_k, dist>::plan_for(1),
                 {{rows}, {narrow, 0, 1}, {back_to_row, 1, 3}, {max}, {select, 1, 2}, {narrow, 2, 3}}));
static_assert(chain_of<keep_even, top_k, dist>::plan_for(1).row_reads() == 2);
static_assert(is(chain_of<shaken, greedy>::plan_for(1),
                 {{rows}, {narrow, 0, 1}, {back_to_row, 1, 2}, {max}, {pick, 1, 2}}));
static_assert(is(
    chain_of<temperature, shaken, logit_bias, shaken, soft_cap, logit_bias, temperature, dist>::plan_for(7),
    {{rows}, {narrow, 0, 4}, {back_to_row, 4, 8}, {rewrite, 4, 5}, {edit, 5, 6}, {max}, {mass, 7, 8}, {pick, 7, 8}}));
static_assert(is(chain_of<logit_bias, penalties, shaken, logit_bias, shaken, greedy>::plan_for(5),
                 {{edit, 0, 1}, {edit, 1, 2}, {rows}, {narrow, 2, 5}, {back_to_row, 5, 6}, {max}, {pick, 5, 6}}));
static_assert(chain_of<logit_bias, penalties, shaken, greedy>::plan_for(3).verbs_ahead() == 3);
static_assert(chain_of<logit_bias, penalties, shaken, greedy>::plan_for(3).first_on_row() == 5);
static_assert(is(chain_of<shaken, temperature, mask, dist>::plan_for(2),
                 {{rows}, {narrow, 0, 1}, {back_to_row, 1, 4}, {gather, 2, 3}, {narrow, 1, 4}}));
static_assert(is(chain_of<top_k, keep_even, dist>::plan_for(0), {{max}, {select, 0, 1}, {narrow, 1, 3}}));
static_assert(is(chain_of<temperature, lottery>::plan_for(1), {{rows}, {narrow, 0, 2}}));
static_assert(is(chain_of<top_p, lottery>::plan_for(0),
                 {{max}, {mass, 0, 1}, {nucleus_end, 0, 1}, {above, 0, 1}, {narrow, 1, 2}}));

// So does a chain that neither narrows nor selects.
static_assert(is(chain_of<temperature, soft_cap>::plan_for(2), {{rows}, {narrow, 0, 2}}));

std::vector<plan_step> steps_of(const plan& p) { return {p.steps.begin(), p.steps.begin() + std::ptrdiff_t(p.size)}; }

TEST(Plans, AreEqualWhereAllIsEqual) {
    const plan a = chain_of<temperature, top_p, dist>::plan_for(1);
    plan b = a;
    EXPECT_EQ(a, b);
    b.push(pass::narrow, 2, 3);
    EXPECT_FALSE(a == b) << "one step more";
    EXPECT_FALSE(b == a);
    b = a;
    b.steps[0].op = pass::rows;
    EXPECT_FALSE(a == b) << "another step";
    b = a;
    ++b.bridge;
    EXPECT_FALSE(a == b) << "another bridge";
    b = a;
    ++b.pending;
    EXPECT_FALSE(a == b) << "other maps";
}

TEST(Plans, ParametersChooseThePath) {
    auto c = chain(temperature{.t = 0.8f}, top_k{.k = 40}, top_p{.p = 0.9f}, dist{});
    EXPECT_EQ(c.present_plan(), c.plan_for(1));
    get<top_k>(c).k = 0;
    EXPECT_EQ(c.present_plan(), c.plan_for(2));
    get<top_p>(c).p = 1.0f;
    EXPECT_EQ(c.present_plan(), c.plan_for(3));
    get<temperature>(c).t = 0.0f;
    EXPECT_EQ(c.present_plan(), c.plan_for(0));
    EXPECT_EQ(chain(min_p{.p = 0.0f}, top_n_sigma{.n = -1.0f}, greedy{}).present_plan().bridge, 2u);
    EXPECT_EQ(chain(min_p{.p = 0.0f}, top_n_sigma{.n = 1.0f}, greedy{}).present_plan().bridge, 1u);
}

TEST(Plans, TheNumberOfLegalTokensMovesTheBridge) {
    auto c = chain(mask{.words = {0x7u}}, dist{});  // three legal
    EXPECT_TRUE(is(c.present_plan(1000), {{gather, 0, 1}, {narrow, 0, 2}}));
    EXPECT_TRUE(is(c.present_plan(32), {{hide, 0, 1}, {max}, {mass, 1, 2}, {pick, 1, 2}}));
    get<mask>(c).words.assign(40, 0xffffffffu);
    EXPECT_TRUE(is(c.present_plan(1000), {{hide, 0, 1}, {max}, {mass, 1, 2}, {pick, 1, 2}}));
    get<mask>(c).words.clear();
    EXPECT_TRUE(c.present_plan(1000).has(gather));
}

TEST(Plans, AShortRowBecomesCandidatesAtOnce) {
    auto c = chain(temperature{.t = 0.8f}, dist{});
    EXPECT_TRUE(is(c.present_plan(16), {{rows}, {narrow, 0, 2}}));
    EXPECT_TRUE(is(c.present_plan(17), {{max}, {mass, 1, 2}, {pick, 1, 2}}));
    auto cut = chain(top_k{.k = 3}, dist{});
    EXPECT_TRUE(is(cut.present_plan(5), {{rows}, {narrow, 0, 2}}));
    auto noisy = chain(gumbel{});
    EXPECT_TRUE(is(noisy.present_plan(6), {{rows}, {narrow, 0, 1}}));
    EXPECT_TRUE(is(noisy.present_plan(7), {{max}, {pick, 0, 1}}));
}

TEST(Plans, AChainMadeAtRunTimeWritesOutWhatItCannotFold) {
    dynamic_chain d;
    d.push(temperature{});
    d.push(dist{});
    EXPECT_TRUE(is(d.present_plan(), {{rewrite, 0, 1}, {max}, {mass, 1, 2}, {pick, 1, 2}}));

    dynamic_chain cut;
    cut.push(temperature{});
    cut.push(min_p{});
    cut.push(dist{});
    EXPECT_EQ(steps_of(cut.present_plan()), steps_of(chain_of<temperature, min_p, dist>::plan_for(1)));

    dynamic_chain first;
    first.push(soft_cap{});
    first.push(greedy{});
    EXPECT_TRUE(is(first.present_plan(), {{max}, {pick, 1, 2}}));
}

TEST(Plans, TheSameFunctionServesTypesAndRunTime) {
    using c = chain_of<penalties, temperature, top_k, top_p, mask, dist>;
    const std::vector<facts> stages{facts_of<penalties>(), facts_of<temperature>(), facts_of<top_k>(),
                                    facts_of<top_p>(),     facts_of<mask>(),        facts_of<dist>()};
    for (std::size_t bridge = 0; bridge <= stages.size(); ++bridge)
        EXPECT_EQ(make_plan(stages.data(), stages.size(), bridge), c::plan_for(bridge));
}

TEST(Plans, TooManyStagesAreRefused) {
    dynamic_chain d;
    for (int i = 0; i < 31; ++i) EXPECT_TRUE(d.push(temperature{})) << i;
    EXPECT_TRUE(d.push(greedy{}));
    EXPECT_EQ(d.peek(std::vector<float>{1.0f, 2.0f}), 1);
    dynamic_chain longer;
    for (int i = 0; i < 32; ++i) EXPECT_TRUE(longer.push(top_k{})) << i;
    EXPECT_EQ(longer.push(greedy{}).code(), status_code::chain_malformed);
    EXPECT_EQ(longer.sample(std::vector<float>{1.0f, 2.0f}), null_token);
    EXPECT_EQ(std::string(longer.last_status().message().c_str()),
              "chain: stages = 33 are more than the 32 that a chain may have");
}

TEST(Plans, AStageBehindASelectorIsRefused) {
    dynamic_chain d;
    EXPECT_TRUE(d.push(greedy{}));
    EXPECT_EQ(d.push(top_k{}).code(), status_code::chain_malformed);
    EXPECT_EQ(d.sample(std::vector<float>{1.0f}), null_token);
    EXPECT_EQ(d.last_status().code(), status_code::chain_malformed);
    EXPECT_STREQ(d.last_status().message().c_str(), "top_k: place = 2 is behind the selector, which comes last");
    dynamic_chain copy = d;  // says so too
    EXPECT_STREQ(copy.try_sample(std::vector<float>{1.0f}).state().message().c_str(),
                 "top_k: place = 2 is behind the selector, which comes last");
    const dynamic_chain moved = std::move(copy);
    EXPECT_FALSE((moved.check)(1));
}

/// Keeps more than the marks of a chain hold.
struct keeps_much {
    static constexpr const char* name = "keeps_much";
    static constexpr facts fact{.edits = true};
    struct state {
        char much[40];
    };
    template <class Logits>
    void change(Logits&, const context&, const state&) const noexcept {}
    step accept(state&, token_id, const last_choice*, const history&) const noexcept { return {}; }
};
TEST(Plans, StagesThatKeepTooMuchAreRefused) {
    dynamic_chain d;
    EXPECT_TRUE(d.push(keeps_much{}));
    const status s = d.push(keeps_much{});
    EXPECT_EQ(s.code(), status_code::chain_malformed);
    EXPECT_STREQ(s.message().c_str(), "chain: bytes = 80 are kept by its stages, and a mark holds 64");
}

TEST(Plans, AppendedStagesAreAsPushedOnes) {
    const xtc excluding{.probability = 0.5f, .threshold = 0.05f, .seed = 3};
    const mirostat_v2 selector{.tau = 3.0f, .seed = 4};
    dynamic_chain pushed, appended, end;
    for (auto* first : {&pushed, &appended}) {
        EXPECT_TRUE(first->push(excluding).ok());
        EXPECT_TRUE(first->push(penalties{.last_n = 8, .repeat = 1.5f}).ok());
    }
    for (auto* last : {&pushed, &end}) {
        EXPECT_TRUE(last->push(excluding).ok());  // the second of its kind, with draws of its own
        EXPECT_TRUE(last->push(selector).ok());
    }
    EXPECT_TRUE(appended.append(end).ok());
    ASSERT_NE(appended.get_if<xtc>(2), nullptr);
    EXPECT_EQ(appended.get_if<xtc>(2)->threshold, 0.05f);
    std::vector<float> row(100);
    for (int step = 0; step < 30; ++step) {
        for (std::size_t i = 0; i < row.size(); ++i) row[i] = 0.05f * float((i * 37 + std::size_t(step) * 11) % 100);
        if (step % 10 == 9) {
            EXPECT_TRUE(pushed.rewind(3).ok() && appended.rewind(3).ok());
        }
        EXPECT_EQ(appended.sample(row), pushed.sample(row)) << step;
    }
}

TEST(Plans, AppendingTakesAllStagesOrNone) {
    dynamic_chain chosen, end;
    EXPECT_TRUE(chosen.push(greedy{}));
    EXPECT_TRUE(end.push(top_k{}));
    EXPECT_TRUE(end.push(greedy{}));
    EXPECT_EQ(chosen.append(end).code(), status_code::chain_malformed);
    EXPECT_EQ(chosen.view().size(), 1u);
    EXPECT_EQ(chosen.sample(std::vector<float>{1.0f}), null_token);

    dynamic_chain almost_full;
    for (int i = 0; i < 31; ++i) EXPECT_TRUE(almost_full.push(temperature{}));
    EXPECT_EQ(almost_full.append(end).code(), status_code::chain_malformed);
    EXPECT_EQ(almost_full.view().size(), 31u);

    EXPECT_EQ(end.push(top_k{}).code(), status_code::chain_malformed);
    dynamic_chain before_malformed;
    EXPECT_TRUE(before_malformed.push(temperature{}));
    EXPECT_EQ(before_malformed.append(end).code(), status_code::chain_malformed);
    EXPECT_EQ(before_malformed.view().size(), 1u);
}

/// Whoever refuses a stage still owns what it takes later.
TEST(Plans, AppendingToAChainThatRefusedAStageTakesThemOnce) {
    dynamic_chain malformed, end;
    for (int i = 0; i < 2; ++i) malformed.push(greedy{});
    for (int i = 0; i < 3; ++i) end.push(temperature{});
    dynamic_chain d;
    EXPECT_EQ(d.append(malformed).code(), status_code::chain_malformed);
    EXPECT_EQ(d.append(end).code(), status_code::chain_malformed);
    EXPECT_EQ(d.view().size(), 3u);
    EXPECT_EQ(d.get_if<temperature>(2)->t, 0.8f);
    EXPECT_EQ(d.sample(std::vector<float>{1.0f}), null_token);
}

TEST(Plans, OfNoStagesLeaveTheRowAsItIs) {
    std::vector<float> row(64);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = 0.1f * float(i);
    dynamic_chain d;
    EXPECT_EQ(d.sample(row), null_token);
    EXPECT_EQ(d.last_status().code(), status_code::no_selector);
    EXPECT_EQ(d.distribution(row).size(), row.size());
    EXPECT_EQ(d.logprobs(row, 3, logprobs_of::after).front().id, 63);
    const dynamic_chain moved = std::move(d);
    EXPECT_EQ(d.distribution(row).size(), row.size());  // NOLINT: a chain that was moved from has no stages
    EXPECT_EQ(moved.view().size(), 0u);
}

TEST(Plans, TheLongestAlternationOfMapsAndEditsFits) {
    dynamic_chain d;
    for (int i = 0; i < 15; ++i) {
        d.push(temperature{.t = 1.01f});
        d.push(logit_bias{.biases = {{0, 0.5f}}});
    }
    d.push(top_p{});
    EXPECT_TRUE(d.push(dist{}));
    EXPECT_LE(d.present_plan().size, plan::capacity);
    EXPECT_EQ(d.present_plan().row_reads(), 15u + 3u);  // every map written out; max, mass and above
    EXPECT_NE(d.sample(std::vector<float>(300, 1.0f)), null_token);
}

}  // namespace
}  // namespace riffle_tests::chain_plans
