// The controller of draft lengths, on simulated engines whose costs and acceptance are known: what is best is found by
// trying all lengths.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/riffle.hpp>
#include <riffle/speculative/pacing/controller.hpp>
#include <riffle/speculative/verifying/speculator.hpp>

#include "integers.hpp"

namespace riffle_tests::draft_control {
namespace {

using namespace riffle;

// It holds no memory, so nothing can be allocated.
static_assert(std::is_aggregate_v<controller> && std::is_trivially_copyable_v<controller>);

/// Evenly distributed below 1.
double fraction(integers& random) { return double(random.next() >> 11) * 0x1p-53; }

/// A model, a drafter, and how they get on.
struct engine {
    double (*cost)(std::size_t rows);
    double (*chance)(std::size_t position);
    double share = 1.0;  ///< of the rounds in which the drafter has something
    std::size_t longest_draft = 1000;
    double seconds_a_token = 0.0;  ///< of drafting
    double noise = 0.05;           ///< of measured times

    double seconds(std::size_t length) const { return cost(length + 1) + seconds_a_token * double(length); }
    double tokens(std::size_t length) const {
        double reached = 1.0, sum = 1.0;
        for (std::size_t i = 0; i < length; ++i) sum += reached *= chance(i);
        return sum;
    }
    /// Tokens a second, on average, where drafts have such a length.
    double rate(std::size_t length) const {
        length = (std::min)(length, longest_draft);
        const double f = length == 0 ? 0.0 : share;
        return ((1.0 - f) + f * tokens(length)) / ((1.0 - f) * cost(1) + f * seconds(length));
    }
    std::size_t best_length(std::size_t most) const {
        std::size_t best = 0;
        for (std::size_t n = 1; n <= most; ++n)
            if (rate(n) > rate(best)) best = n;
        return best;
    }
};

/// What `accepted` tokens of a draft come to. Its tokens are numbers without meaning.
verified outcome(std::size_t accepted, bool has_one_more = true) {
    static const std::array<token_id, 2000> tokens{};
    verified round;
    round.accepted = accepted;
    round.tokens = {tokens.data(), accepted + (has_one_more ? 1 : 0)};
    round.node = std::int32_t(accepted) - 1;
    return round;
}
void fill(draft& d, std::size_t size) {
    d.clear();
    while (d.size() < size) ASSERT_TRUE(d.push(1));
}

/// Drafts and rounds of an engine under a controller.
struct simulation {
    controller pace{};
    integers random{1};
    bool measures = true;
    std::array<std::size_t, 512> rounds_of_length = {};    ///< that were allowed, since the last start
    double expected_tokens = 0.0, expected_seconds = 0.0;  ///< of those

    void start() {
        rounds_of_length = {};
        expected_tokens = expected_seconds = 0.0;
    }
    void run(const engine& of, std::size_t rounds, std::size_t by = 0) {
        draft d;
        for (std::size_t i = 0; i < rounds; ++i) {
            const std::size_t allowed = pace.longest(by);
            const bool has_draft = allowed > 0 && fraction(random) < of.share;
            fill(d, has_draft ? (std::min)(allowed, of.longest_draft) : 0);
            std::size_t accepted = 0;
            while (accepted < d.size() && fraction(random) < of.chance(accepted)) ++accepted;
            if (measures) {
                const double noise = of.noise * (2.0 * fraction(random) - 1.0);
                pace.measure_model(d.size() + 1, of.cost(d.size() + 1) * (1.0 + noise));
                if (of.seconds_a_token > 0.0) {
                    pace.measure_drafter(d.size(), of.seconds_a_token * double(d.size()), by);
                }
            }
            pace.note(d, outcome(accepted), by);
            ++rounds_of_length[(std::min)(allowed, rounds_of_length.size() - 1)];
            const std::size_t length = (std::min)(allowed, of.longest_draft);
            const double f = allowed == 0 ? 0.0 : of.share;
            expected_tokens += (1.0 - f) + f * of.tokens(length);
            expected_seconds += (1.0 - f) * of.cost(1) + f * of.seconds(length);
        }
    }
    double rate() const { return expected_tokens / expected_seconds; }
    std::size_t usual() const {
        return std::size_t(std::max_element(rounds_of_length.begin(), rounds_of_length.end()) -
                           rounds_of_length.begin());
    }
    double share_of(std::size_t first, std::size_t last) const {
        std::size_t all = 0, some = 0;
        for (std::size_t n = 0; n < rounds_of_length.size(); ++n) {
            all += rounds_of_length[n];
            some += n >= first && n <= last ? rounds_of_length[n] : 0;
        }
        return double(some) / double(all);
    }
};

template <int Percent>
double always(std::size_t) {
    return Percent / 100.0;
}
/// A row more costs so many thousandths of an evaluation of one row, which takes 10 ms.
template <int Thousandths>
double line(std::size_t rows) {
    return 0.01 * (1.0 + Thousandths / 1000.0 * double(rows - 1));
}
double steps(std::size_t rows) { return rows <= 8 ? 0.010 : rows <= 16 ? 0.020 : rows <= 32 ? 0.030 : 0.050; }
double dear_at_first(std::size_t rows) { return rows == 1 ? 0.010 : 0.022 + 0.0001 * double(rows); }
double good_for_three(std::size_t i) { return i < 3 ? 0.9 : 0.1; }
double falling(std::size_t i) { return (std::max)(0.85 - 0.05 * double(i), 0.0); }

// ---- the best length

TEST(Controller, SettlesAtTheLengthThatIsBest) {
    const struct {
        const char* name;
        engine of;
        std::size_t most = 16;
        double least = 0.97;  ///< of what is best
    } cases[] = {
        {"even chances", {line<50>, always<50>}},
        {"good chances", {line<50>, always<80>}},
        {"poor chances", {line<50>, always<30>}},
        {"wide batches cost next to nothing", {line<20>, always<95>}, 64},
        {"rows cost much", {line<300>, always<90>}},
        {"rows cost much and chances are even", {line<300>, always<50>}},
        {"never pays", {line<300>, always<20>}},
        {"nothing is accepted", {line<50>, always<0>}},
        {"rows cost as much as evaluations", {line<1000>, always<60>}, 16, 0.96},
        {"steps", {steps, always<90>}, 32},
        {"steps and excellent chances", {steps, always<97>}, 64, 0.95},
        {"steps and fair chances", {steps, always<60>}, 32},
        {"one row is cheap, some cost twice as much", {dear_at_first, always<90>}, 32},
        {"the same with fair chances", {dear_at_first, always<75>}, 32, 0.96},
        {"three positions are good", {line<50>, good_for_three}},
        {"chances fall", {line<50>, falling}},
        {"the drafter has something in a tenth of the rounds", {line<50>, always<80>, 0.1}, 32, 0.96},
        {"drafts are short", {line<50>, always<90>, 1.0, 4}, 32},
        {"drafting takes time", {line<50>, always<80>, 1.0, 1000, 0.001}},
        {"rows are free", {line<0>, always<70>}, 64},
        {"all is accepted", {line<50>, always<100>}},
        {"times are noisy", {line<50>, always<70>, 1.0, 1000, 0.0, 0.2}, 16, 0.96},
    };
    for (const auto& one : cases) {
        const double best = one.of.rate(one.of.best_length(one.most));
        double sum = 0.0;
        constexpr int seeds = 4;
        for (int seed = 0; seed < seeds; ++seed) {
            simulation s{.pace = {.most = one.most}, .random = integers(std::uint64_t(seed) + 10)};
            s.run(one.of, 200);
            s.start();
            s.run(one.of, 1000);
            EXPECT_GE(s.rate(), (one.least - 0.03) * best) << one.name << ", seed " << seed << ", " << s.usual();
            EXPECT_EQ(s.share_of(one.most + 1, 511), 0.0) << one.name;
            sum += s.rate() / best / seeds;
        }
        EXPECT_GE(sum, one.least) << one.name << ", best " << one.of.best_length(one.most);
    }
}

TEST(Controller, DraftsLongWhereWideBatchesAreCheap) {
    simulation s{.pace = {.most = 64}};
    const engine cheap{line<1>, always<99>};
    ASSERT_EQ(cheap.best_length(64), 64u);
    s.run(cheap, 100);
    s.start();
    s.run(cheap, 400);
    EXPECT_GE(s.share_of(48, 64), 0.9);
}

TEST(Controller, StaysBelowAStepInCosts) {
    simulation s{.pace = {.most = 32}};
    const engine stepwise{steps, always<90>};
    ASSERT_EQ(stepwise.best_length(32), 7u);
    s.run(stepwise, 100);
    s.start();
    s.run(stepwise, 1000);
    EXPECT_EQ(s.usual(), 7u);
    EXPECT_LE(s.share_of(8, 32), 0.03);
    EXPECT_GE(s.share_of(7, 7), 0.9);
}

TEST(Controller, GetsOverAStepThatIsWorthIt) {
    const auto cost = [](std::size_t rows) { return rows <= 8 ? 0.010 : 0.012; };
    simulation s{.pace = {.most = 24}};
    const engine stepwise{cost, always<95>};
    ASSERT_EQ(stepwise.best_length(24), 24u);
    s.run(stepwise, 200);
    s.start();
    s.run(stepwise, 500);
    EXPECT_GE(s.share_of(16, 24), 0.9);
}

TEST(Controller, GoesByAcceptanceAloneWithoutTimes) {
    for (const float cost_of_a_row : {0.05f, 0.3f}) {
        simulation s{.pace = {.cost_of_a_row = cost_of_a_row}, .measures = false};
        const engine of = cost_of_a_row < 0.1f ? engine{line<50>, always<80>} : engine{line<300>, always<80>};
        s.run(of, 100);
        s.start();
        s.run(of, 1000);
        EXPECT_GE(s.rate(), 0.97 * of.rate(of.best_length(16))) << cost_of_a_row;
    }
}

TEST(Controller, CountsTheTimeOfDrafting) {
    const engine free{line<20>, always<80>}, slow{line<20>, always<80>, 1.0, 1000, 0.004};
    simulation a, b;
    a.run(free, 300);
    b.run(slow, 300);
    a.start();
    b.start();
    a.run(free, 300);
    b.run(slow, 300);
    EXPECT_GE(a.share_of(8, 16), 0.9);
    EXPECT_LE(b.share_of(5, 16), 0.1);
    const engine slower{line<20>, always<80>, 1.0, 1000, 0.01};
    ASSERT_EQ(slower.best_length(16), 0u);
    b.run(slower, 200);
    b.start();
    b.run(slower, 400);
    EXPECT_GE(b.share_of(0, 0), 0.9);
}

TEST(Controller, DraftsLongerWhereThereIsSeldomADraft) {
    // Against plain rounds a token of a draft is worth more than against long drafts.
    const engine often{line<50>, always<80>, 1.0, 1000, 0.0, 0.0}, seldom{line<50>, always<80>, 0.1, 1000, 0.0, 0.0};
    ASSERT_GE(seldom.best_length(32), often.best_length(32) + 3);
    simulation a{.pace = {.most = 32, .memory = 1000}}, b{.pace = {.most = 32, .memory = 1000}};
    a.run(often, 500);
    b.run(seldom, 5000);
    a.start();
    b.start();
    a.run(often, 500);
    b.run(seldom, 5000);
    EXPECT_GE(b.usual(), a.usual() + 2);
}

// ---- what changes

TEST(Controller, ComesBackWhenDraftingBeginsToPay) {
    const engine poor{line<50>, always<2>}, good{line<50>, always<85>};
    for (int seed = 0; seed < 4; ++seed) {
        simulation s{.random = integers(std::uint64_t(seed))};
        s.run(poor, 600);
        s.start();
        s.run(poor, 600);
        EXPECT_GE(s.share_of(0, 0), 0.9) << seed;
        EXPECT_GE(s.rate(), 0.98 * poor.rate(0)) << seed;
        s.run(good, 200);
        s.start();
        s.run(good, 400);
        EXPECT_GE(s.rate(), 0.96 * good.rate(good.best_length(16))) << seed;
        s.run(poor, 150);
        s.start();
        s.run(poor, 400);
        EXPECT_GE(s.rate(), 0.97 * poor.rate(0)) << seed;
    }
}

TEST(Controller, NoticesThatCostsHaveChanged) {
    const engine dear{line<500>, always<60>}, cheap{line<20>, always<60>};
    ASSERT_LE(dear.best_length(16), 1u);
    ASSERT_GE(cheap.best_length(16), 5u);
    simulation s;
    s.run(dear, 500);
    s.run(cheap, 300);
    s.start();
    s.run(cheap, 400);
    EXPECT_GE(s.rate(), 0.92 * cheap.rate(cheap.best_length(16)));
    s.run(dear, 200);
    s.start();
    s.run(dear, 400);
    EXPECT_GE(s.rate(), 0.93 * dear.rate(dear.best_length(16)));
}

TEST(Controller, NoticesThatPlainRoundsHaveBecomeCheap) {
    const auto cost_later = [](std::size_t rows) { return rows == 1 ? 0.001 : line<60>(rows); };
    const engine early{line<60>, always<80>, 1.0, 1000, 0.0, 0.0}, late{cost_later, always<80>, 1.0, 1000, 0.0, 0.0};
    ASSERT_EQ(late.best_length(16), 0u);
    for (const std::size_t longest_draft : {std::size_t{4}, std::size_t{1000}}) {  // shorter than is allowed, or not
        simulation s;
        engine e = early, l = late;
        e.longest_draft = l.longest_draft = longest_draft;
        s.run(e, 300);
        s.start();
        s.run(e, 100);
        EXPECT_GE(s.share_of(4, 14), 0.8);
        s.run(l, 600);
        s.start();
        s.run(l, 200);
        EXPECT_GE(s.share_of(0, 0), 0.9) << longest_draft;
    }
}

TEST(Controller, TriesNothingWhereItIsToldSo) {
    simulation s{.pace = {.try_every = 0}};
    const engine never{line<50>, always<0>, 1.0, 1000, 0.0, 0.0};
    s.run(never, 100);
    s.start();
    s.run(never, 3000);
    EXPECT_EQ(s.share_of(0, 0), 1.0);
    simulation all{.pace = {.try_every = 0}};
    all.run({line<10>, always<100>}, 50);
    all.start();
    all.run({line<10>, always<100>}, 300);
    EXPECT_EQ(all.share_of(16, 16), 1.0);
}

TEST(Controller, TriesTheLessTheMoreOftenItIsInVain) {
    simulation s;
    const engine never{line<50>, always<0>, 1.0, 1000, 0.0, 0.0};
    s.run(never, 200);
    s.start();
    s.run(never, 640);
    EXPECT_EQ(s.rounds_of_length[0], 630u);  // one in 8 · 8
}

TEST(Controller, DoesTheSameWheneverItIsGivenTheSame) {
    simulation a;
    a.run({line<50>, always<70>}, 333);
    simulation b = a;
    for (std::size_t i = 0; i < 300; ++i) {
        EXPECT_EQ(a.pace.longest(), b.pace.longest());
        EXPECT_EQ(a.pace.longest(), a.pace.longest());
        a.run({line<50>, always<70>}, 1);
        b.run({line<50>, always<70>}, 1);
    }
    EXPECT_EQ(a.rounds_of_length, b.rounds_of_length);
}

// ---- several drafters

TEST(Controller, TellsDraftersApart) {
    const engine good{line<50>, always<90>}, poor{line<50>, always<40>}, none{line<50>, always<1>};
    simulation s{.pace = {.most = 32}};
    const auto turn = [&](std::size_t times) {
        for (std::size_t i = 0; i < times; ++i) {
            s.run(good, 1, 0);
            s.run(poor, 1, 1);
            s.run(none, 1, 7);
        }
    };
    turn(300);
    std::array<std::size_t, 3> sums{};
    for (int i = 0; i < 200; ++i) {
        turn(1);
        sums[0] += s.pace.longest(0);
        sums[1] += s.pace.longest(1);
        sums[2] += s.pace.longest(7);
        EXPECT_EQ(s.pace.longest(7), s.pace.longest(std::size_t(-1)));
    }
    EXPECT_NEAR(double(sums[0]) / 200.0, double(good.best_length(32)), 5.0);
    EXPECT_NEAR(double(sums[1]) / 200.0, double(poor.best_length(32)), 1.0);
    EXPECT_LE(sums[2], 20u);
    EXPECT_GE(s.pace.longest(3), 3u);  // of which nothing is known
}

// ---- trees

TEST(Controller, AllowsTreesAsManyNodesAsPay) {
    // Four nodes to a depth, one of which is accepted with the chance of the four.
    simulation s{.pace = {.most = 60}};
    const auto chance = [](std::size_t) { return 0.8; };
    const auto rate = [&](std::size_t depth) {
        double reached = 1.0, tokens = 1.0;
        for (std::size_t i = 0; i < depth; ++i) tokens += reached *= chance(i);
        return tokens / line<30>(4 * depth + 1);
    };
    std::size_t best = 0;
    for (std::size_t depth = 0; depth <= 15; ++depth) best = rate(depth) > rate(best) ? depth : best;
    ASSERT_TRUE(best > 2 && best < 8) << best;
    draft_tree tree;
    double sum = 0.0, sum_of_best = 0.0;
    for (std::size_t i = 0; i < 1000; ++i) {
        const std::size_t nodes = s.pace.longest();
        ASSERT_LE(nodes, 60u);
        tree.clear();
        std::int32_t at = draft_tree::root;
        while (tree.size() < nodes) {
            const std::int32_t next = tree.push(at, 1);
            for (token_id other = 2; other < 5 && tree.size() < nodes; ++other) tree.push(at, other);
            at = next;
        }
        verified round = outcome(0);
        std::size_t accepted = 0;
        std::int32_t node = draft_tree::root;
        while (accepted < tree.deepest() && fraction(s.random) < chance(accepted)) {
            node = tree.first_child(node);
            ++accepted;
        }
        round = outcome(accepted);
        round.node = node;
        s.pace.measure_model(nodes + 1, line<30>(nodes + 1));
        s.pace.note(tree, round);
        if (i >= 200) {
            double reached = 1.0, tokens = 1.0;
            for (std::size_t n = 0; n < tree.deepest(); ++n) tokens += reached *= chance(n);
            sum += tokens - rate(best) * line<30>(nodes + 1);
            sum_of_best += rate(best) * line<30>(nodes + 1);
        }
    }
    EXPECT_GE(sum, -0.05 * sum_of_best);
}

TEST(Controller, LearnsTreesByDepth) {
    controller pace;
    draft_tree tree;  // two children of the text, each with two
    const std::int32_t a = tree.push(draft_tree::root, 1), b = tree.push(draft_tree::root, 2);
    for (const std::int32_t parent : {a, b}) {
        tree.push(parent, 3);
        tree.push(parent, 4);
    }
    verified round = outcome(1);
    round.node = b;
    for (int i = 0; i < 3; ++i) pace.note(tree, round);
    round = outcome(2);
    round.node = 5;
    pace.note(tree, round);
    pace.note(tree, outcome(0));
    const controller_report r = pace.report();
    EXPECT_EQ(r.drafted, 30u);
    EXPECT_EQ(r.accepted, 5u);
    EXPECT_EQ(r.tokens, 10u);
    ASSERT_EQ(r.accepted_by_position().size(), 2u);
    EXPECT_FLOAT_EQ(r.accepted_by_position()[0], 0.8f);
    EXPECT_FLOAT_EQ(r.accepted_by_position()[1], 0.2f);
    round.node = 1000;  // of another tree
    pace.note(tree, round);
    EXPECT_EQ(pace.report().rounds, 6u);
}

// ---- options

/// Says so many tokens, for certain or drawn from a law.
struct talker {
    std::size_t tokens = 1000;
    bool draws = false;
    std::size_t most_asked = 0;

    void accept(std::span<const token_id>) {}
    std::size_t propose(draft& d, std::size_t most) {
        most_asked = most;
        constexpr token_probability law[] = {{1, 0.5f}, {2, 0.5f}};
        std::size_t added = 0;
        for (; added < tokens && d.size() < most; ++added) draws ? d.push(1, law) : d.push(1);
        return added;
    }
    std::size_t propose(draft_tree& t, std::size_t most) {
        const std::size_t had = t.size();
        while (t.size() < most && t.size() < tokens) t.push(std::int32_t(t.size()) - 1, 1);
        return t.size() - had;
    }
    void reset() {}
    std::size_t bytes() const { return 0; }
};

TEST(Controller, LetsDraftersProposeUpToItsLength) {
    controller pace;
    talker drafter;
    draft d;
    const std::size_t longest = pace.longest();
    EXPECT_TRUE(longest > 2 && longest < 16) << longest;
    EXPECT_EQ(pace.propose(drafter, d), longest);
    EXPECT_EQ(d.size(), longest);
    EXPECT_EQ(pace.propose(drafter, d), 0u);  // it is full
    fill(d, 2);
    EXPECT_EQ(pace.propose(drafter, d), longest - 2);
    draft_tree tree;
    EXPECT_EQ(pace.propose(drafter, tree), longest);
    EXPECT_EQ(tree.size(), longest);
}

TEST(Controller, DropsDraftsThatAreTooShort) {
    controller pace{.n_min = 4};
    talker drafter{.tokens = 3};
    draft d;
    EXPECT_EQ(pace.propose(drafter, d), 0u);
    EXPECT_TRUE(d.empty());
    EXPECT_GE(drafter.most_asked, 4u);
    fill(d, 1);  // what was there stays, and counts
    EXPECT_EQ(pace.propose(drafter, d), 3u);
    d.clear();
    drafter.tokens = 2;
    fill(d, 1);
    EXPECT_EQ(pace.propose(drafter, d), 0u);
    EXPECT_EQ(d.size(), 1u);
    d.clear();
    drafter.tokens = 4;
    EXPECT_EQ(pace.propose(drafter, d), 4u);
    d.clear();  // whether drawn tokens stay may not depend on which they are
    drafter = {.tokens = 2, .draws = true};
    EXPECT_EQ(pace.propose(drafter, d), 2u);
}

TEST(Controller, AsksForNoDraftsThatAreTooShort) {
    simulation s{.pace = {.n_min = 6}};
    const engine of{line<50>, always<60>};  // 3 or 4 would be best
    s.run(of, 1000);
    EXPECT_EQ(s.share_of(1, 5), 0.0);
    EXPECT_GE(s.share_of(6, 16), 0.5);
    simulation never{.pace = {.n_min = 12}};
    never.run({line<200>, always<60>}, 200);
    never.start();
    never.run({line<200>, always<60>}, 1000);
    EXPECT_EQ(never.share_of(1, 11), 0.0);
    EXPECT_GE(never.share_of(0, 0), 0.9);
    simulation long_ones{.pace = {.most = 60, .n_min = 48}};  // reached by few, and cheap
    long_ones.run({line<0>, always<85>}, 300);
    long_ones.start();
    long_ones.run({line<0>, always<85>}, 300);
    EXPECT_GE(long_ones.share_of(48, 60), 0.9);
}

TEST(Controller, CutsWhereNoTokenIsLikely) {
    constexpr token_probability sure[] = {{1, 3.0f}, {2, 1.0f}}, open[] = {{1, 1.0f}, {2, 1.0f}, {3, 2.0f}};
    const auto made = [&] {
        draft d;
        EXPECT_TRUE(d.push(5));
        EXPECT_TRUE(d.push(2, sure));  // an unlikely one of a law that is sure: stays
        EXPECT_TRUE(d.push(3, open));
        EXPECT_TRUE(d.push(7));
        return d;
    };
    const auto left = [&](float p_min, std::size_t first = 0) {
        draft d = made();
        const bool is_cut = controller{.p_min = p_min}.cut(d, first);
        EXPECT_EQ(is_cut, d.size() < 4);
        return d.size();
    };
    EXPECT_EQ(left(0.0f), 4u);
    EXPECT_EQ(left(-1.0f), 4u);
    EXPECT_EQ(left(std::numeric_limits<float>::quiet_NaN()), 4u);
    EXPECT_EQ(left(0.5f), 4u);
    EXPECT_EQ(left(0.6f), 2u);
    EXPECT_EQ(left(0.75f), 2u);
    EXPECT_EQ(left(0.8f), 1u);
    EXPECT_EQ(left(0.8f, 2), 2u);
    EXPECT_EQ(left(0.8f, 3), 4u);
    EXPECT_EQ(left(0.8f, 100), 4u);
    EXPECT_EQ(left(std::numeric_limits<float>::infinity()), 1u);
    talker drafter{.draws = true};
    draft d;
    controller pace{.p_min = 0.6f};
    EXPECT_EQ(pace.propose(drafter, d), 0u);
    ASSERT_TRUE(d.push(1));
    pace.p_min = 0.4f;
    EXPECT_GE(pace.propose(drafter, d), 1u);
}

TEST(Controller, LeavesTheLawOfTheTextAsItIs) {
    // Behind token 0 of the draft its law is sure, behind token 1 it is open, so the second token comes or does not by
    // how the first one was drawn. (Cutting by the drawn tokens' own probability gives token 0 first in 0.81 of texts.)
    constexpr float first_row[] = {0.0f, 0.0f}, second_row[] = {1.0f, 0.0f};
    constexpr token_probability even[] = {{0, 0.5f}, {1, 0.5f}}, unlike[] = {{0, 0.7f}, {1, 0.3f}},
                                sure[] = {{0, 0.9f}, {1, 0.1f}};
    const auto law_of = [&](auto verifier, bool drafts) {
        integers random(5);
        const controller pace{.p_min = 0.6f};
        auto chain = temperature{1.0f} | dist{};
        std::array<double, 4> counts{};
        constexpr int texts = 40000;
        for (int n = 0; n < texts; ++n) {
            chain.reset();
            spec_as<dist>(chain.view()[1])->seed = std::uint64_t(n);
            verifier.how().seed = std::uint64_t(n);
            std::vector<token_id> text;
            while (text.size() < 2) {
                draft d;
                if (drafts && text.empty()) {
                    const token_id first = fraction(random) < 0.7 ? 0 : 1;
                    d.push(first, unlike);
                    const auto law = first == 0 ? std::span(sure) : std::span(even);
                    d.push(fraction(random) < double(law[0].p) ? 0 : 1, law);
                    pace.cut(d);
                }
                const auto row = [&](std::size_t i) -> std::span<const float> {
                    return text.size() + i == 0 ? std::span(first_row) : std::span(second_row);
                };
                const verified& round = verifier.verify(chain, d, row);
                if (!round.state.ok()) return counts;
                text.insert(text.end(), round.tokens.begin(), round.tokens.end());
            }
            counts[std::size_t(text[0] * 2 + text[1])] += 1.0 / texts;
        }
        return counts;
    };
    const double p = 1.0 / (1.0 + std::exp(-1.0));
    const std::array<double, 4> expected{p / 2.0, (1.0 - p) / 2.0, p / 2.0, (1.0 - p) / 2.0};
    for (const auto& counts : {law_of(speculator<rejection>(), true), law_of(speculator<block_verification>(), true)})
        for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(counts[i], expected[i], 0.011) << i;
}

// ---- the report

TEST(Controller, ReportsWhatHasCome) {
    controller pace;
    draft d;
    EXPECT_EQ(pace.report().rounds, 0u);
    EXPECT_EQ(pace.report().tokens_a_step, 0.0);
    EXPECT_EQ(pace.report().seconds_without_drafts, 0.0);
    const struct {
        std::size_t drafted, accepted;
        bool has_one_more;
    } rounds[] = {{0, 0, true}, {4, 4, true}, {4, 1, true}, {2, 0, true}, {3, 3, false}, {1, 1, true}};
    for (const auto& one : rounds) {
        fill(d, one.drafted);
        pace.measure_drafter(d.size(), 0.25);
        pace.measure_model(d.size() + 1, d.size() == 0 ? 2.0 : 3.0);
        pace.measure_verifier(0.125);
        pace.note(d, outcome(one.accepted, one.has_one_more), one.drafted);  // all drafters together
    }
    const controller_report r = pace.report();
    EXPECT_EQ(r.rounds, 6u);
    EXPECT_EQ(r.tokens, 14u);
    EXPECT_EQ(r.drafted, 14u);
    EXPECT_EQ(r.accepted, 9u);
    EXPECT_DOUBLE_EQ(r.tokens_a_step, 14.0 / 6.0);
    EXPECT_DOUBLE_EQ(r.seconds_of_model, 17.0);
    EXPECT_DOUBLE_EQ(r.seconds_of_drafter, 1.5);
    EXPECT_DOUBLE_EQ(r.seconds_of_verifier, 0.75);
    EXPECT_DOUBLE_EQ(r.seconds_without_drafts, 14.0 * 2.0 + 0.75);
    const auto shares = r.accepted_by_position();
    ASSERT_EQ(shares.size(), 4u);
    EXPECT_FLOAT_EQ(shares[0], 4.0f / 5.0f);
    EXPECT_FLOAT_EQ(shares[1], 2.0f / 4.0f);
    EXPECT_FLOAT_EQ(shares[2], 2.0f / 3.0f);
    EXPECT_FLOAT_EQ(shares[3], 1.0f / 2.0f);
    pace.reset();
    EXPECT_EQ(pace.report().rounds, 0u);
    EXPECT_TRUE(pace.report().shares_count == 0);
    EXPECT_EQ(pace.longest(), controller().longest());
}

TEST(Controller, EstimatesPlainRoundsByWhatTheyCostThen) {
    controller pace;
    draft d;
    for (int i = 0; i < 200; ++i) pace.measure_model(1, 1.0);
    pace.note(d, outcome(0));
    EXPECT_NEAR(pace.report().seconds_without_drafts, 1.0, 1e-9);
    for (int i = 0; i < 2000; ++i) pace.measure_model(1, 2.0);
    pace.note(d, outcome(0));
    EXPECT_NEAR(pace.report().seconds_without_drafts, 3.0, 1e-9);
    controller other;  // by the line, where they were not measured
    for (int i = 0; i < 200; ++i) {
        other.measure_model(3, 1.2);
        other.measure_model(5, 1.4);
    }
    fill(d, 4);
    other.note(d, outcome(1));
    EXPECT_NEAR(other.report().seconds_without_drafts, 2.0 * 1.0, 0.01);
}

TEST(Controller, CountsLatePositionsAsTheLast) {
    controller pace{.most = 127};
    draft d;
    fill(d, 100);
    pace.note(d, outcome(80));
    const controller_report r = pace.report();
    ASSERT_EQ(r.accepted_by_position().size(), 64u);
    EXPECT_FLOAT_EQ(r.accepted_by_position()[62], 1.0f);
    EXPECT_FLOAT_EQ(r.accepted_by_position()[63], 17.0f / 37.0f);
    simulation s{.pace = {.most = 127}};
    s.run({line<0>, always<100>}, 300);
    s.start();
    s.run({line<0>, always<100>}, 300);
    EXPECT_EQ(s.usual(), 127u);
}

// ---- bad input

TEST(Controller, IgnoresTimesThatAreNone) {
    controller pace, untouched;
    for (const double bad : {-1.0, -0x1p-1074, std::numeric_limits<double>::quiet_NaN(), 2e9,
                             std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}) {
        pace.measure_model(1, bad);
        pace.measure_model(9, bad);
        pace.measure_drafter(3, bad);
        pace.measure_verifier(bad);
    }
    pace.measure_model(0, 1.0);
    EXPECT_EQ(pace.longest(), untouched.longest());
    const controller_report r = pace.report();
    EXPECT_EQ(r.seconds_of_model, 1.0);
    EXPECT_EQ(r.seconds_of_drafter, 0.0);
    EXPECT_EQ(r.seconds_of_verifier, 0.0);
    EXPECT_EQ(r.seconds_without_drafts, 0.0);
}

TEST(Controller, GoesOnWithTimesOfNothing) {
    simulation s;
    s.run({[](std::size_t) { return 0.0; }, always<80>}, 200);  // goes by acceptance
    s.start();
    s.run({[](std::size_t) { return 0.0; }, always<80>}, 200);
    EXPECT_GE(s.share_of(3, 16), 0.9);
    for (int i = 0; i < 10; ++i) s.pace.measure_model(2, 1e9);
    s.run({[](std::size_t) { return 1e-300; }, always<80>}, 200);
    EXPECT_LE(s.pace.longest(), 16u);
}

TEST(Controller, LearnsNothingFromRoundsThatFailed) {
    controller pace;
    draft d;
    draft_tree tree;
    fill(d, 4);
    tree.push(draft_tree::root, 1);
    const std::size_t longest = pace.longest();
    verified failed;
    failed.state = status_code::out_of_memory;
    for (int i = 0; i < 100; ++i) {
        pace.note(d, failed);
        pace.note(tree, failed);
    }
    EXPECT_EQ(pace.longest(), longest);
    EXPECT_EQ(pace.report().rounds, 0u);
}

TEST(Controller, HoldsRoundsThatEndEarlyForNoRefusals) {
    controller ended, refused;
    draft d;
    for (int i = 0; i < 40; ++i) {
        fill(d, 4);
        ended.note(d, outcome(2, false));  // an end of the text was accepted
        refused.note(d, outcome(2));
    }
    ended.try_every = refused.try_every = 0;
    EXPECT_EQ(ended.longest(), 16u);
    EXPECT_EQ(refused.longest(), 2u);
}

TEST(Controller, HoldsEndsOfBranchesForNoRefusals) {
    controller pace{.try_every = 0};
    draft_tree tree;  // a child without children, and one with a line
    tree.push(draft_tree::root, 1);
    for (std::int32_t at = tree.push(draft_tree::root, 2), i = 0; i < 3; ++i) at = tree.push(at, 3);
    verified round = outcome(1);
    round.node = 0;
    for (int i = 0; i < 40; ++i) pace.note(tree, round);
    EXPECT_GE(pace.longest(), 12u);
    round.node = 1;
    for (int i = 0; i < 40; ++i) pace.note(tree, round);
    EXPECT_LE(pace.longest(), 4u);
}

TEST(Controller, RemembersADrafterThatHasNothing) {
    simulation s{.pace = {.try_every = 0}};
    draft d;
    fill(d, 8);
    for (int i = 0; i < 40; ++i) s.pace.note(d, outcome(1));
    EXPECT_EQ(s.pace.longest(), 1u);
    s.run({line<50>, always<0>, 0.0}, 1000);
    EXPECT_GE(s.pace.longest(), 1u);
    EXPECT_LE(s.pace.longest(), 3u);
}

TEST(Controller, LearnsNothingOfADrafterThatIsNotAsked) {
    controller pace{.most = 0}, same{.most = 0};
    const auto go = [](controller& c, bool measures) {
        draft d;
        for (int i = 0; i < 100; ++i) {
            EXPECT_EQ(c.longest(), 0u);
            if (measures) c.measure_drafter(0, 0.0);
            c.note(d, outcome(0));
        }
        c.most = 16;
        c.try_every = 0;
    };
    go(pace, false);
    EXPECT_EQ(pace.longest(), controller().longest());
    for (controller* const c : {&pace, &same}) {  // which of both reads the clock in plain rounds does not matter
        c->measure_model(1, 0.01);
        c->measure_drafter(4, 0.004);
    }
    pace.most = 0;
    go(pace, true);
    go(same, false);
    for (controller* const c : {&pace, &same}) c->measure_drafter(2, 0.004);
    EXPECT_EQ(pace.longest(), same.longest());
    EXPECT_GE(pace.longest(), 3u);  // since drafts take as long whatever their length is
}

TEST(Controller, TakesAnyOptions) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    constexpr std::size_t all = std::size_t(-1);
    for (const std::size_t most : {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{127}, all})
        for (const std::size_t n_min : {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{126}, all})
            for (const float cost : {nan, -1.0f, 0.0f, 0.3f, 1e30f})
                for (const std::size_t memory : {std::size_t{0}, all})
                    for (const std::size_t every : {std::size_t{1}, std::size_t{8}, all}) {
                        simulation s{.pace = {most, n_min, nan, cost, memory, every}};
                        s.run({line<10>, always<90>}, 20);
                        s.measures = false;
                        s.run({line<10>, always<90>}, 20);
                        EXPECT_EQ(s.share_of((std::min)(most, std::size_t{127}) + 1, 511), 0.0);  // none too long
                        if (n_min > 1) {
                            EXPECT_EQ(s.share_of(1, (std::min)(n_min, std::size_t{511}) - 1), 0.0);
                        }
                    }
}

TEST(Controller, TakesRoundsThatCannotBe) {
    integers random(8);
    controller pace{.most = 40};
    draft d;
    draft_tree tree;
    for (int i = 0; i < 3000; ++i) {
        fill(d, random.below(90));
        tree.clear();
        for (std::uint32_t n = random.below(30); n > 0; --n)
            tree.push(std::int32_t(random.below(std::uint32_t(tree.size() + 1))) - 1, 1);
        verified round = outcome(random.below(100), random.below(2) == 0);
        round.accepted = random.below(4) == 0 ? std::size_t(random.next()) : random.below(100);
        round.node = std::int32_t(random.next());
        pace.measure_model(std::size_t(random.next() >> random.below(64)), double(random.any_float()));
        pace.measure_drafter(std::size_t(random.next() >> random.below(64)), double(random.any_float()),
                             random.below(9));
        if (random.below(2) == 0) pace.note(d, round, random.below(9));
        else pace.note(tree, round, random.below(9));
        EXPECT_LE(pace.longest(random.below(9)), 40u);
    }
    for (const float share : pace.report().shares) EXPECT_TRUE(share >= 0.0f && share <= 1.0f);
}

// ---- costs of batches

using detail::batch_costs;
constexpr double keeps_all = 1.0;

TEST(BatchCosts, AveragesWhatWasMeasured) {
    batch_costs costs;
    EXPECT_TRUE(costs.empty());
    EXPECT_DOUBLE_EQ(costs.seconds(1, 0.25), 1.0);
    EXPECT_DOUBLE_EQ(costs.seconds(5, 0.25), 2.0);
    for (const double seconds : {2.0, 3.0, 4.0}) costs.measure(4, seconds, keeps_all);
    EXPECT_DOUBLE_EQ(costs.seconds(4, 0.25), 3.0);
    EXPECT_TRUE(costs.has(4) && !costs.has(3) && !costs.has(5) && !costs.empty());
}

TEST(BatchCosts, GoesOnByTheCostOfARowWhereOneSizeIsKnown) {
    batch_costs costs;
    costs.measure(5, 3.0, keeps_all);
    for (std::size_t rows = 1; rows < 70; ++rows)
        EXPECT_NEAR(costs.seconds(rows, 0.5), 1.0 + 0.5 * double(rows - 1), 1e-12) << rows;
    EXPECT_NEAR(costs.seconds(1, 0.0), 3.0, 1e-12);
}

TEST(BatchCosts, FollowsALine) {
    batch_costs costs;
    for (const int rows : {1, 2, 6, 17, 70, 200})
        costs.measure(std::size_t(rows), 5.0 + 0.5 * double(rows), keeps_all);
    for (std::size_t rows = 1; rows < 1000; ++rows)
        EXPECT_NEAR(costs.seconds(rows, 0.0), 5.0 + 0.5 * double(rows), 1e-9) << rows;
}

TEST(BatchCosts, InterpolatesBetweenSizes) {
    batch_costs costs;
    costs.measure(3, 1.0, keeps_all);
    costs.measure(7, 5.0, keeps_all);
    costs.measure(8, 5.0, keeps_all);
    EXPECT_DOUBLE_EQ(costs.seconds(4, 0.0), 2.0);
    EXPECT_DOUBLE_EQ(costs.seconds(6, 0.0), 4.0);
    EXPECT_DOUBLE_EQ(costs.seconds(7, 0.0), 5.0);
}

TEST(BatchCosts, TellsSizesApartBehindPowersOfTwo) {
    for (std::size_t power = 1; power <= 2048; power *= 2) {
        batch_costs costs;
        costs.measure(power, 1.0, keeps_all);
        EXPECT_TRUE(costs.has(power) && !costs.has(power + 1)) << power;
        costs.measure(power + 1, 2.0, keeps_all);
        EXPECT_NEAR(costs.seconds(power, 0.0), 1.0, 1e-12) << power;
        EXPECT_NEAR(costs.seconds(power + 1, 0.0), 2.0, 1e-12) << power;
    }
    std::size_t kinds = 1;
    for (std::size_t rows = 2; rows <= 4096; ++rows) {
        batch_costs costs;
        costs.measure(rows - 1, 1.0, keeps_all);
        kinds += !costs.has(rows);
    }
    EXPECT_EQ(kinds, 44u);
    batch_costs costs;
    costs.measure(4097, 1.0, keeps_all);
    costs.measure(std::size_t(-1), 1.0, keeps_all);
    EXPECT_TRUE(costs.empty());
    costs.measure(4096, 1.0, keeps_all);
    EXPECT_GT(costs.seconds(std::size_t(-1), 0.1), 1.0);
    EXPECT_TRUE(costs.has(std::size_t(-1)) && !costs.has(0));
    EXPECT_LE(costs.seconds(0, 0.1), costs.seconds(1, 0.1));
}

TEST(BatchCosts, ForgetsWhatTheFirstOneTook) {
    batch_costs costs;
    costs.measure(4, 100.0, keeps_all);
    costs.measure(4, 1.0, keeps_all);
    EXPECT_DOUBLE_EQ(costs.seconds(4, 0.0), 1.0);
}

TEST(BatchCosts, CountsInterruptionsLittle) {
    batch_costs costs;
    for (int i = 0; i < 32; ++i) costs.measure(4, 1.0, keeps_all);
    costs.measure(4, 1000.0, keeps_all);
    EXPECT_NEAR(costs.seconds(4, 0.0), 1.0 + 3.0 / 33.0, 1e-12);
}

TEST(BatchCosts, FollowsWhatChanges) {
    batch_costs costs;
    for (int i = 0; i < 1000; ++i) costs.measure(4, 1.0, 0.95);
    for (int i = 0; i < 100; ++i) costs.measure(4, 10.0, 0.95);
    EXPECT_NEAR(costs.seconds(4, 0.0), 10.0, 0.5);
    for (int i = 0; i < 1000; ++i) costs.measure(1, 5.0, 0.95);
    costs.measure(4, 6.0, 0.95);  // what is old counts as little as one
    EXPECT_NEAR(costs.seconds(4, 0.0), 6.0, 1e-9);
}

TEST(BatchCosts, IsNeverNothing) {
    batch_costs costs;
    costs.measure(1, 0.0, keeps_all);
    EXPECT_TRUE(costs.empty());
    EXPECT_DOUBLE_EQ(costs.seconds(3, 0.5), 2.0);
    costs.measure(8, 1.0, keeps_all);
    EXPECT_FALSE(costs.empty());
    EXPECT_GT(costs.seconds(1, 0.5), 0.0);
    batch_costs falling;  // rows do not cost less than nothing
    falling.measure(2, 5.0, keeps_all);
    falling.measure(8, 1.0, keeps_all);
    EXPECT_GE(falling.seconds(100, 0.5), 1.0);
    EXPECT_GE(falling.seconds(1, 0.5), 2.5);
    batch_costs steep;  // and not less than their part
    steep.measure(8, 1.0, keeps_all);
    steep.measure(16, 9.0, keeps_all);
    EXPECT_DOUBLE_EQ(steep.seconds(2, 0.5), 0.25);
}

// ---- parts

TEST(LineFit, IsThatOfLeastSquares) {
    integers random(4);
    for (int trial = 0; trial < 100; ++trial) {
        detail::line_fit fit;
        double w = 0.0, x = 0.0, y = 0.0;
        struct point {
            double x, y, weight;
        };
        std::vector<point> points;
        for (int i = 0; i < 8; ++i) {
            const point p{double(i + 1), 10.0 + double(i) + fraction(random), 0.5 + fraction(random)};
            points.push_back(p);
            fit.add(p.x, p.y, p.weight);
            w += p.weight;
            x += p.weight * p.x;
            y += p.weight * p.y;
        }
        double xy = 0.0, xx = 0.0;
        for (const point& p : points) {
            xy += p.weight * (p.x - x / w) * (p.y - y / w);
            xx += p.weight * (p.x - x / w) * (p.x - x / w);
        }
        EXPECT_NEAR(fit.slope(99.0), xy / xx, 1e-9);
        EXPECT_NEAR(fit.at(3.0, 99.0), y / w + xy / xx * (3.0 - x / w), 1e-9);
        fit.fade(0.25);
        EXPECT_NEAR(fit.slope(99.0), xy / xx, 1e-9);
    }
    detail::line_fit one;
    EXPECT_TRUE(one.empty());
    one.add(4.0, 8.0);
    EXPECT_DOUBLE_EQ(one.slope(0.5), 0.5);
    EXPECT_DOUBLE_EQ(one.slope(99.0), 2.0);  // in proportion at most
    EXPECT_DOUBLE_EQ(one.at(6.0, 0.5), 9.0);
}

TEST(AcceptanceByPosition, IsTheShareOfWhatWasAsked) {
    detail::acceptance_by_position acceptance;
    for (int i = 0; i < 3000; ++i) acceptance.learn(std::size_t(i % 3), true);  // 0, 1 or 2 accepted, then a refusal
    EXPECT_NEAR(acceptance.chance(0, 1.0), 2.0 / 3.0, 0.01);
    EXPECT_NEAR(acceptance.chance(1, 1.0), 1.0 / 2.0, 0.01);
    EXPECT_NEAR(acceptance.chance(2, 1.0), 0.0, 0.01);
    EXPECT_DOUBLE_EQ(acceptance.chance(3, 0.4), 0.4);  // nothing is known
    for (int i = 0; i < 100000; ++i) acceptance.fade(0.9f);
    EXPECT_NEAR(acceptance.chance(0, 1.0), 2.0 / 3.0, 0.01);
    EXPECT_NEAR(acceptance.chance(1, 0.7), 0.7, 0.01);
    acceptance.learn(200, false);  // late positions share the last
    EXPECT_DOUBLE_EQ(acceptance.chance(63, 1.0), acceptance.chance(100, 1.0));
    EXPECT_GT(acceptance.chance(64, 0.0), 0.98);
}

}  // namespace
}  // namespace riffle_tests::draft_control
