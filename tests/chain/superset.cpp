// Steps on the greatest logits of a row alone: the token is that of the whole row, or they are said not to be enough.
// And what stages say about themselves, by which it is decided how many logits that takes.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <variant>
#include <vector>

#include <riffle/chain/open_step.hpp>
#include <riffle/chain/superset.hpp>

#include "chain/run_time.hpp"

namespace riffle_tests::chain_superset {
namespace {

using namespace riffle;
using reference::any_spec;

std::vector<token_data> candidates_of(const std::vector<float>& row) {
    std::vector<token_data> all;
    for (std::size_t id = 0; id < row.size(); ++id) all.push_back({token_id(id), row[id], 0.0f});
    return all;
}
std::vector<token_data> greatest(std::size_t count, const std::vector<float>& row) {
    auto all = candidates_of(row);
    std::sort(all.begin(), all.end(), ranks_before);
    all.resize(std::min(count, all.size()));
    return all;
}
/// A chain of this stage alone, with a text behind it that repeats itself.
dynamic_chain alone(const any_spec& spec) {
    dynamic_chain c;
    push_to(c, spec);
    for (token_id i = 0; i < 40; ++i) (void)c.accept(i * 7 % 30);
    return c;
}
bool is_finite(const std::vector<float>& row) {
    return std::all_of(row.begin(), row.end(), [](float l) { return l == l && l < infinity; });
}

TEST(Superset, AStageThatDoesNothingChangesNoCandidate) {
    int found = 0;
    for (const auto& variants : all_variants())
        for (const any_spec& spec : variants) {
            if (!std::visit([](const auto& s) { return does_nothing(s); }, spec)) continue;
            ++found;
            for (const shape s : all_shapes) {
                dynamic_chain c = alone(spec);
                std::vector<token_data> all = candidates_of(make_row(s, 300, 5)), before = all;
                for (auto& token : before) token.logit = canonical(token.logit);
                candidates left{all.data(), all.size(), -1, false};
                ASSERT_TRUE(c.apply(left).ok()) << reference::describe(spec);
                ASSERT_EQ(left.size, before.size()) << reference::describe(spec) << " on " << name_of(s);
                std::sort(left.begin(), left.end(), [](auto& a, auto& b) { return a.id < b.id; });
                for (std::size_t i = 0; i < before.size(); ++i)
                    ASSERT_EQ(left[i].logit, before[i].logit) << reference::describe(spec) << " on " << name_of(s);
            }
        }
    EXPECT_GT(found, 20);
}

/// Of tokens outside a set of the greatest nothing is known but that their logits are at most the least of the set.
/// What that one comes to, where no text and no list names it, bounds them. And the stage makes of the set what it
/// makes of it among all tokens.
TEST(Superset, BehindAStageThatKeepsBelowNoTokenOutsideIsAboveTheBound) {
    int found = 0;
    for (const auto& variants : all_variants())
        for (const any_spec& spec : variants) {
            const bool narrows = std::visit([](const auto& s) { return superset_for(s) > 0; }, spec);
            if (narrows || !std::visit([](const auto& s) { return keeps_below(s); }, spec)) continue;
            ++found;
            for (const shape s : all_shapes) {
                const std::vector<float> row = make_row(s, 300, 6);
                if (!is_finite(row)) continue;
                const std::string where = reference::describe(spec) + " on " + name_of(s);
                std::vector<token_data> all = candidates_of(row), set = greatest(20, row);
                const token_id nobody = 100000;
                set.push_back({nobody, set.back().logit, 0.0f});
                candidates left{all.data(), all.size(), -1, false}, left_of_set{set.data(), set.size(), -1, false};
                ASSERT_TRUE(alone(spec).apply(left).ok()) << where;
                ASSERT_TRUE(alone(spec).apply(left_of_set).ok()) << where;
                const auto logit_in = [](const candidates& c, token_id id, float otherwise) {
                    const auto at = std::find_if(c.begin(), c.end(), [&](const auto& t) { return t.id == id; });
                    return at == c.end() ? otherwise : at->logit;
                };
                const float bound = logit_in(left_of_set, nobody, -infinity);
                for (const auto& token : left) {
                    const float in_set = logit_in(left_of_set, token.id, infinity);
                    if (in_set == infinity) {
                        ASSERT_LE(token.logit, bound) << where;
                    } else {
                        ASSERT_EQ(token.logit, in_set) << where << ", token " << token.id;
                    }
                }
            }
        }
    EXPECT_GT(found, 20);
}

/// A device asks in every step, and the answer takes the square of the entries.
TEST(Superset, OfManyBiasesTheWholeRowIsTheSoonerDone) {
    logit_bias bias;
    for (token_id id = 0; id < 64; ++id) bias.biases.push_back({id, -0.5f});
    EXPECT_TRUE(keeps_below(bias));
    bias.biases.back().token = 0;
    EXPECT_FALSE(keeps_below(bias)) << "one token twice";
    bias.biases.back() = {63, 0.5f};
    EXPECT_FALSE(keeps_below(bias)) << "one that raises";
    bias.biases.back() = {63, -0.5f};
    bias.biases.push_back({64, -0.5f});
    EXPECT_FALSE(keeps_below(bias)) << "65 entries";
}

struct setting {
    std::vector<any_spec> stages;
    std::size_t bridge;  ///< the first that narrows
};
const std::vector<setting>& settings() {
    static const std::vector<setting> all{
        {{top_k{.k = 40}, dist{.seed = 1}}, 0},
        {{temperature{0.7f}, top_k{.k = 5}, top_p{.p = 0.9f}, dist{.seed = 2}}, 1},
        {{logit_bias{{{3, -infinity}, {50, -2.0f}}}, soft_cap{20.0f}, top_k{.k = 20}, gumbel{.seed = 3}}, 2},
        {{penalties{.last_n = 32, .repeat = 1.3f}, min_p{.p = 0.2f}, temperature{1.5f}, dist{.seed = 4}}, 1},
        {{penalties{.last_n = 0}, temperature{}, top_k{.k = 1}, greedy{}}, 2},
        {{temperature{0.9f}, greedy{}}, 1},
    };
    return all;
}

struct outcome {
    bool enough;
    token_id token;
    status_code code;
};
outcome step_on(dynamic_chain& c, std::size_t bridge, const std::vector<token_data>& part) {
    token_id token = null_token;
    open_step step(c, part.size() + 1);
    const bool enough = superset_run(step.stages(), bridge).finish(step, part, token);
    return {enough, token, c.last_status().code()};
}

TEST(Superset, TokensAreThoseOfTheWholeRow) {
    int enough = 0, too_few = 0;
    for (const setting& x : settings())
        for (const shape s : all_shapes)
            for (std::uint64_t seed = 0; seed < 8; ++seed) {
                const std::vector<float> row = make_row(s, 1 + 150 * std::size_t(seed), seed);
                if (!is_finite(row)) continue;
                dynamic_chain c;
                for (const any_spec& spec : x.stages) push_to(c, spec);
                for (int step = 0; step < 3; ++step) {
                    dynamic_chain whole = c;
                    const token_id expected = whole.sample(row);
                    const outcome found = step_on(c, x.bridge, greatest(48, row));
                    (found.enough ? enough : too_few) += 1;
                    if (found.enough) {
                        ASSERT_EQ(found.token, expected) << name_of(s) << ' ' << row.size();
                        ASSERT_EQ(found.code, whole.last_status().code());
                    }
                    c = whole;
                }
            }
    EXPECT_GT(enough, 600);
    EXPECT_GT(too_few, 50);
}

TEST(Superset, AreEnoughWhereTheyHoldMoreThanIsKept) {
    std::vector<float> row(1000);
    for (std::size_t id = 0; id < row.size(); ++id) row[id] = -0.25f * float(id);
    dynamic_chain c;
    c.push(top_k{.k = 40});
    c.push(dist{.seed = 1});
    EXPECT_FALSE(step_on(c, 0, greatest(40, row)).enough);  // the fortieth may stand among equals that are not there
    EXPECT_TRUE(step_on(c, 0, greatest(41, row)).enough);
    row[40] = row[39];
    EXPECT_FALSE(step_on(c, 0, greatest(41, row)).enough);
    EXPECT_FALSE(step_on(c, 0, {}).enough);
    auto part = greatest(60, row);
    part[7].logit = std::numeric_limits<float>::quiet_NaN();
    EXPECT_FALSE(step_on(c, 0, part).enough);
}

TEST(Superset, AreNotEnoughWhereTheyAreBanned) {
    const std::vector<float> row{3.0f, 2.0f, 1.0f, 0.0f, -9.0f};
    for (const token_id banned : {1, 2, 3, 4}) {  // the first so many
        logit_bias bans;
        for (token_id id = 0; id < banned; ++id) bans.biases.push_back({id, -infinity});
        dynamic_chain c;
        c.push(bans);
        c.push(top_k{.k = 1});
        c.push(greedy{});
        const outcome found = step_on(c, 1, greatest(4, row));
        EXPECT_EQ(found.enough, banned < 3) << banned;  // behind three the last may stand before one outside
        if (found.enough) {
            EXPECT_EQ(found.token, banned);
        }
    }
}

}  // namespace
}  // namespace riffle_tests::chain_superset
