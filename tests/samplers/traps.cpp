// No stage makes a NaN and throws it away, whatever its parameters and its row, unless the row has one: so a host that
// traps on invalid operations is never stopped. (raised.hpp looks at flags; to see where, run a debugger with
// RIFFLE_TEST_TRAPS=1 and this test alone.)

#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "chain/run_time.hpp"
#include "lane_widths.hpp"
#include "raised.hpp"
#include "samplers/limits_of_cuts.hpp"
#include "samplers/limits_of_edits.hpp"
#include "samplers/limits_of_maps.hpp"
#include "samplers/limits_of_selectors.hpp"

namespace riffle_tests::traps {
namespace {

using namespace riffle;
using reference::any_spec;

// --- rows ------------------------------------------------------------------------------------------------------------

constexpr float greatest = std::numeric_limits<float>::max();

struct named_row {
    std::string name;
    std::vector<float> logits;
};
/// These values by turns.
std::vector<float> turns(std::initializer_list<float> values, std::size_t size) {
    std::vector<float> row(size);
    for (std::size_t i = 0; i < size; ++i) row[i] = values.begin()[i * i % 31 % values.size()];
    return row;
}
/// None of them has a NaN.
void add_rows_of(std::size_t size, std::vector<named_row>& rows) {
    const auto add = [&](const char* name, std::vector<float> logits) {
        rows.push_back({std::to_string(size) + " logits, " + name, std::move(logits)});
    };
    for (const shape s : {shape::random, shape::peaked, shape::holes, shape::tiny, shape::extreme, shape::infinite})
        add(name_of(s), make_row(s, size, 1));
    add("all illegal", turns({-infinity}, size));
    add("one legal", turns({-infinity}, size));
    rows.back().logits[size / 2] = 0.5f;
    add("equal", turns({0.5f}, size));
    add("0", turns({0.0f}, size));
    add("lowest", turns({-greatest}, size));
    add("greatest", turns({greatest}, size));
    add("very low", turns({-1e30f, -1.5e30f, -2e36f}, size));
    add("very high", turns({1e30f, 1.5e30f, 2e36f}, size));
    add("apart", turns({greatest, -greatest, -infinity, 0.0f}, size));
    add("some infinite", turns({0.5f, 1.0f, infinity, -infinity, -greatest}, size));
}
const std::vector<named_row>& rows() {
    static const auto all = [] {
        std::vector<named_row> rows;
        for (const std::size_t size : {1u, 7u, 300u}) add_rows_of(size, rows);
        rows.push_back({"5000 logits, holes", make_row(shape::holes, 5000, 1)});
        rows.push_back({"5000 logits, apart", turns({greatest, -greatest, -infinity, 0.0f}, 5000)});
        rows.push_back({"5000 logits, very low", turns({-1e30f, -infinity, -2e36f}, 5000)});
        return rows;
    }();
    return all;
}

// --- stages ----------------------------------------------------------------------------------------------------------

/// Those whose parameters the tables of limits and variants lack.
const std::vector<any_spec>& more_stages() {
    static const std::vector<any_spec> all{temperature{2e38f},
                                           temperature{greatest},
                                           soft_cap{0x1p126f},
                                           soft_cap{greatest},
                                           dynamic_temperature{3e38f, 3e38f, 1.0f},
                                           dynamic_temperature{0.0f, greatest, 1.0f},
                                           dynamic_temperature{greatest, greatest, 1.0f},
                                           dynamic_temperature{-greatest, greatest, 1.0f},
                                           dynamic_temperature{1.0f, 0.5f, greatest},
                                           dynamic_temperature{1.0f, 0.5f, -greatest},
                                           dynamic_temperature{0.0f, greatest, greatest},
                                           quadratic{0.3f, -1e6f},
                                           quadratic{1e6f, 1e6f},
                                           factual_nucleus{.p = infinity, .decay = 0.0f},
                                           factual_nucleus{.p = infinity, .decay = 0.5f},
                                           factual_nucleus{.p = greatest, .decay = 0.0f, .p_min = -infinity},
                                           factual_nucleus{.p = -infinity, .decay = 0.0f, .p_min = -infinity},
                                           logit_bias{{{0, infinity}, {2, infinity}, {3, -infinity}, {3, infinity}}},
                                           adaptive_p{.target = -infinity, .decay = infinity},
                                           adaptive_p{.target = infinity, .decay = -infinity}};
    return all;
}

bool is_refused(const any_spec& stage) {
    dynamic_chain c;
    return !push_to(c, stage).ok();
}
/// Every variant of stage I, and what the table of its limits has, but for what is refused.
template <std::size_t I>
std::vector<any_spec> stages_of() {
    using stage = std::variant_alternative_t<I, any_spec>;
    std::vector<any_spec> all = all_variants()[I];
    for (const limit& of : limits<stage>().limits) all.push_back(of.stage);
    for (const any_spec& more : more_stages())
        if (more.index() == I) all.push_back(more);
    std::erase_if(all, is_refused);
    return all;
}

// --- calls -----------------------------------------------------------------------------------------------------------

/// Everything that reads logits. Two steps, so that what was learnt of the first shows.
void use(chain_view stages, const std::vector<float>& row, std::vector<token_data> memory) {
    for (int step = 0; step < 2; ++step) {
        stages.sample(row);
        stages.distribution(row);
    }
    candidates c{memory.data(), memory.size(), -1, false};
    stages.apply(c);
}
void expect_nothing_raised(chain_view stages, const named_row& row, const char* how) {
    stages.reset();
    stages.prompt(short_prompt);
    const auto memory = candidates_of(row.logits);
    EXPECT_STREQ(raised_by([&] { use(stages, row.logits, memory); }), "") << row.name << ", " << how;
}
template <class Stage>
auto chain_of(const Stage& stage) {
    if constexpr (facts_of<Stage>().selects != selecting::no) return chain(stage);
    else return chain(stage, dist{.seed = 5});
}

/// Chains of types, and chains put together at run time.
template <std::size_t I>
void expect_stages_raise_nothing() {
    const flags_kept kept;
    for (const any_spec& spec : stages_of<I>()) {
        SCOPED_TRACE(reference::describe(spec));
        auto typed = chain_of(std::get<I>(spec));
        dynamic_chain at_run_time;
        push_to(at_run_time, spec);
        if (!reference::selects(spec)) at_run_time.push(dist{.seed = 5});
        at_every_width([&](int) {
            for (const named_row& row : rows()) {
                expect_nothing_raised(view_of(typed), row, "a type");
                expect_nothing_raised(view_of(at_run_time), row, "at run time");
            }
        });
    }
}

class Traps : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Of, Traps, testing::Range(std::size_t{0}, std::variant_size_v<any_spec>),
                         [](const auto& of) {
                             const auto name_of_one = [](const auto& spec) { return std::string(spec.name); };
                             return std::visit(name_of_one, all_variants()[of.param][0]);
                         });

TEST_P(Traps, AreMetByNoStage) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        ((I == GetParam() ? expect_stages_raise_nothing<I>() : void()), ...);
    }(std::make_index_sequence<std::variant_size_v<any_spec>>());
}

/// Behind a map, and ahead of one: what one stage leaves, another computes with.
void expect_pair_raises_nothing(const any_spec& first, const any_spec& second) {
    const flags_kept kept;
    dynamic_chain pair;
    push_to(pair, first);
    push_to(pair, second);
    if (!reference::selects(second)) pair.push(dist{.seed = 5});
    SCOPED_TRACE(reference::describe(first) + ", " + reference::describe(second));
    for (const named_row& row : rows()) expect_nothing_raised(view_of(pair), row, "at run time");
}
TEST_P(Traps, AreMetByNoStageBesideAMap) {
    const std::vector<any_spec> maps{temperature{infinity},
                                     temperature{1e-30f},
                                     soft_cap{0.0f},
                                     dynamic_temperature{0.0f, greatest, 1.0f},
                                     quadratic{0.3f, 1.0f},
                                     logit_bias{{{0, infinity}, {2, -infinity}, {3, greatest}}},
                                     penalties{-1, 1e-37f, -greatest, -greatest}};
    const any_spec& stage = all_variants()[GetParam()][0];
    for (const any_spec& map : maps) {
        expect_pair_raises_nothing(map, stage);
        if (!reference::selects(stage)) expect_pair_raises_nothing(stage, map);
    }
}

/// The passes of numerics::fast, and of several maps in one.
template <class Policies>
void expect_folded_maps_raise_nothing() {
    const flags_kept kept;
    for (const float t : {0.8f, infinity, 2e38f, 1e-30f})
        for (const float cap : {30.0f, 0.0f, 0x1p126f}) {
            SCOPED_TRACE(reference::describe(temperature{t}) + ", " + reference::describe(soft_cap{cap}));
            auto sharp_last = chain<Policies>(soft_cap{cap}, temperature{t}, top_p{0.9f}, dist{.seed = 5});
            auto capped_last = chain<Policies>(temperature{t}, soft_cap{cap}, dist{.seed = 5});
            at_every_width([&](int) {
                for (const named_row& row : rows()) {
                    expect_nothing_raised(view_of(sharp_last), row, "temperature last");
                    expect_nothing_raised(view_of(capped_last), row, "cap last");
                }
            });
        }
}
TEST(TrapsOfFoldedMaps, AreNotMet) {
    expect_folded_maps_raise_nothing<reproducible>();
    expect_folded_maps_raise_nothing<fast>();
}

/// Every row with every other of its size.
template <class Stage>
void expect_combining_raises_nothing(const Stage& stage) {
    const flags_kept kept;
    for (const named_row& a : rows())
        for (const named_row& b : rows()) {
            if (a.logits.size() != b.logits.size()) continue;
            std::vector<float> out(a.logits.size());
            EXPECT_STREQ(raised_by([&] { stage.combine(a.logits, b.logits, out); }), "") << a.name << "; " << b.name;
        }
}
TEST(TrapsOfTwoRows, AreNotMet) {
    for (const float scale : {1.5f, 0.0f, 1.0f, 1e6f, -1e6f})
        expect_combining_raises_nothing(classifier_free_guidance{.scale = scale});
    for (const float alpha : {0.1f, 0.0f, 1e-40f, 1.0f, infinity, -infinity})
        for (const float expert : {1.5f, 0.0f, 1e6f, -1e6f})
            expect_combining_raises_nothing(contrastive_decoding{.alpha = alpha, .expert = expert, .amateur = 1e6f});
}

/// A bias for every token, which none of riffle's own stages has.
struct bias_of_all {
    static constexpr const char* name = "bias_of_all";
    float bias(token_id id) const noexcept { return id % 2 == 0 ? infinity : -infinity; }
};
TEST(TrapsOfAUser, AreNotMetByABiasOfInfinity) {
    const flags_kept kept;
    auto biased = chain(bias_of_all{}, dist{.seed = 5});
    for (const named_row& row : rows()) expect_nothing_raised(view_of(biased), row, "a type");
}

}  // namespace
}  // namespace riffle_tests::traps
