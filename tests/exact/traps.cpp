// The forms of llama.cpp meet no invalid operation and no division by zero on rows as models have them, illegal tokens
// among them.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/llama_exact.hpp>

#include "exact/forms.hpp"
#include "raised.hpp"
#include "reference/agreement.hpp"

namespace riffle_tests::exact_traps {
namespace {

struct named_row {
    std::string name;
    std::vector<float> logits;
};
std::vector<named_row> usual_rows() {
    std::vector<named_row> rows;
    for (const std::size_t size : {1u, 7u, 300u, 5000u})
        for (const shape s : {shape::random, shape::peaked, shape::flat, shape::tied, shape::equal, shape::holes,
                              shape::tiny, shape::ascending})
            rows.push_back({std::to_string(size) + " logits, " + name_of(s), make_row(s, size, 1)});
    return rows;
}
/// Parameters by which llama.cpp's own arithmetic leaves infinities, or NaN where tokens are illegal: it is repeated
/// here, and so is what it raises.
template <class Stage>
bool overflows(const Stage&) {
    return false;
}
bool overflows(const temperature& s) { return s.t > 0.0f && !(s.t > 1e-30f && s.t < 1e30f); }
bool overflows(const dynamic_temperature& s) {
    return !(s.t < 1e30f) || std::abs(s.exponent) > 1e20f || s.range > 1e30f;
}
bool overflows(const penalties& s) { return s.repeat < 1e-30f || s.frequency > 1e30f || s.presence > 1e30f; }
bool overflows(const dry& s) { return std::abs(s.multiplier) > 1e30f; }
bool overflows(const logit_bias& s) {
    const auto is_infinite = [](const logit_bias_entry& entry) { return entry.bias == infinity; };
    return std::any_of(s.biases.begin(), s.biases.end(), is_infinite);
}

template <class Chain>
void expect_nothing_raised(Chain stages, const std::string& what) {
    const flags_kept kept;
    for (const named_row& row : usual_rows()) {
        stages.reset();
        stages.prompt(short_prompt);
        auto memory = candidates_of(row.logits);
        candidates c{memory.data(), memory.size(), -1, false};
        const auto use = [&] {
            stages.sample(row.logits);
            stages.sample(row.logits);
            stages.apply(c);
        };
        EXPECT_STREQ(raised_by(use), "") << what << ", " << row.name;
    }
}
template <class Stage>
void expect_variants_raise_nothing() {
    for (const Stage& stage : variants_of<Stage>()) {
        if (overflows(stage)) continue;
        if constexpr (facts_of<Stage>().selects != selecting::no)
            expect_nothing_raised(chain<llama_exact>(stage), reference::describe(stage));
        else expect_nothing_raised(chain<llama_exact>(stage, dist{.seed = 5}), reference::describe(stage));
    }
}

TEST(ExactTraps, AreMetByNoSelector) {
    expect_variants_raise_nothing<greedy>();
    expect_variants_raise_nothing<dist>();
    expect_variants_raise_nothing<mirostat>();
    expect_variants_raise_nothing<mirostat_v2>();
    expect_variants_raise_nothing<adaptive_p>();
}
TEST(ExactTraps, AreMetByNoStage) {
    expect_variants_raise_nothing<top_k>();
    expect_variants_raise_nothing<top_p>();
    expect_variants_raise_nothing<min_p>();
    expect_variants_raise_nothing<typical>();
    expect_variants_raise_nothing<temperature>();
    expect_variants_raise_nothing<dynamic_temperature>();
    expect_variants_raise_nothing<xtc>();
    expect_variants_raise_nothing<top_n_sigma>();
    expect_variants_raise_nothing<penalties>();
    expect_variants_raise_nothing<dry>();
    expect_variants_raise_nothing<logit_bias>();
    expect_variants_raise_nothing<infill>();
}

}  // namespace
}  // namespace riffle_tests::exact_traps
