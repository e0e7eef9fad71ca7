// Holds chains, and the slow reference, to what the table (limits_of_*.hpp) says of the limits of parameters.

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "chain/run_time.hpp"
#include "flushing.hpp"
#include "reference/refusal.hpp"
#include "samplers/limits_of_cuts.hpp"
#include "samplers/limits_of_edits.hpp"
#include "samplers/limits_of_maps.hpp"
#include "samplers/limits_of_selectors.hpp"
#include "test_files.hpp"

namespace riffle_tests::limits_of_all {
namespace {

using namespace riffle;
using reference::any_spec;

const std::vector<limit_table>& all_limits() {
    static const auto all = []<std::size_t... I>(std::index_sequence<I...>) {
        return std::vector<limit_table>{limits<std::variant_alternative_t<I, any_spec>>()...};
    }(std::make_index_sequence<std::variant_size_v<any_spec>>());
    return all;
}

struct small_row {
    const char* name;
    std::vector<float> logits;
};
/// Small enough to see what is wrong; the last has more than one block.
const std::vector<small_row>& small_rows() {
    static const std::vector<small_row> all{
        {"usual", {1.5f, 0.25f, -1.0f, 3.0f, 2.5f, 0.0f, -0.5f, 0.125f, 2.0f}},
        {"ties", {2.0f, 1.0f, 2.0f, 2.0f, 0.0f, 0.0f, 2.0f, 1.0f, -1.0f}},
        {"all equal", std::vector<float>(9, 0.5f)},
        {"some illegal", {-infinity, 1.0f, -infinity, 0.5f, 2.0f, -infinity, 0.75f}},
        {"some that weigh nothing", {0.0f, -20.5f, -1.0f, -21.0f, -30.0f, -20.25f}},
        {"one token", {0.75f}},
        {"several blocks", make_row(shape::random, 300, 4)}};
    return all;
}

/// Great and tiny logits, NaN and infinities: where a distribution says little, and a chain must agree all the same.
const std::vector<small_row>& wild_rows() {
    static const std::vector<small_row> all{{"extreme", make_row(shape::extreme, 40, 1)},
                                            {"sprinkled", make_row(shape::sprinkled, 300, 2)},
                                            {"tiny", make_row(shape::tiny, 40, 3)},
                                            {"infinite", make_row(shape::infinite, 3, 4)}};
    return all;
}

/// The stage, and dist behind it where it selects nothing.
std::vector<any_spec> sampling(const any_spec& stage) {
    if (reference::selects(stage)) return {stage};
    return {stage, dist{.seed = 5}};
}
/// What the reference leaves of a row, at the beginning of a text.
std::vector<reference::candidate> left_by(std::vector<any_spec> stages, const std::vector<float>& row) {
    reference::model model{std::move(stages), {}};
    model.prompt(short_prompt);
    return model.run(row).left;
}

// --- values without meaning ------------------------------------------------------------------------------------------

/// `stage: parameter = value rule`
void expect_sentence(const std::string& sentence, const char* stage, const limit& of) {
    const std::string begin = std::string(stage) + ": " + of.parameter + " = ", end = std::string(" ") + of.means.rule;
    ASSERT_TRUE(sentence.starts_with(begin)) << sentence << ", expected " << begin;
    ASSERT_TRUE(sentence.ends_with(end)) << sentence << ", expected " << end;
    ASSERT_GT(sentence.size(), begin.size() + end.size());
    const std::string printed = sentence.substr(begin.size(), sentence.size() - begin.size() - end.size());
    const double value = std::strtod(printed.c_str(), nullptr);
    if (of.value != of.value) {
        EXPECT_EQ(printed, "nan");
    } else if (std::isinf(of.value)) {
        EXPECT_EQ(value, of.value) << printed;
    } else {
        EXPECT_NEAR(value, of.value, 1e-5 * std::abs(of.value)) << printed;
    }
}
void expect_refused(const char* stage, const limit& of) {
    dynamic_chain c;
    EXPECT_EQ(push_to(c, of.stage).code(), status_code::invalid_parameter);
    expect_sentence(c.last_status().message().c_str(), stage, of);
    if (!reference::selects(of.stage)) c.push(dist{.seed = 5});
    c.prompt(short_prompt);
    expect_every_call_refused(view_of(c), c.last_status().message().c_str());
}

// --- values with a meaning -------------------------------------------------------------------------------------------

void expect_agrees(const limit& of) {
    run_time_chain c;
    for (const any_spec& stage : sampling(of.stage)) c.push(stage);
    for (const auto* rows : {&small_rows(), &wild_rows()})
        for (const auto& [name, logits] : *rows) {
            c.start();
            c.expect_agreement(3, logits, name);
        }
}
/// "" where the probabilities are those of a softmax over `expected`. (What a selector's distribution is made of tells
/// only so much: logits that differ by a constant are as good.)
std::string difference_in_probabilities(std::span<const token_data> found,
                                        const std::vector<reference::candidate>& expected) {
    double sum = 0.0;
    for (const auto& one : expected) sum += std::exp(double(one.logit));
    for (const auto& one : expected) {
        const auto is_it = [&](const token_data& token) { return token.id == one.id; };
        const auto there = std::find_if(found.begin(), found.end(), is_it);
        const double p = there == found.end() ? 0.0 : double(there->p), of_one = std::exp(double(one.logit)) / sum;
        if (std::abs(p - of_one) > 1e-5) return reference::print("id %g has p %.9g, expected %.9g", one.id, p, of_one);
    }
    return "";
}
/// The distribution behind the stage is the one that the reference finds behind others.
void expect_distribution_of(const std::vector<any_spec>& expected, const limit& of) {
    run_time_chain c;
    for (const any_spec& stage : sampling(of.stage)) c.push(stage);
    for (const auto& [name, logits] : small_rows()) {
        c.start();
        const auto found = c.chain.distribution(logits);
        const auto left = left_by(expected, logits);
        EXPECT_EQ(reference::selects(of.stage) ? difference_in_probabilities(found, left)
                                               : difference_in_distribution(found, left),
                  "")
            << name;
    }
}
/// Candidates come out as they went in, but for NaN and what else is canonical; a selector has a distribution alone.
void expect_off(const limit& of) {
    if (reference::selects(of.stage)) return;
    dynamic_chain c;
    push_to(c, of.stage);
    for (const auto& [name, logits] : small_rows()) {
        c.reset();
        c.prompt(short_prompt);
        auto memory = candidates_of(logits);
        candidates all{memory.data(), memory.size(), -1, false};
        EXPECT_TRUE(c.apply(all));
        std::vector<reference::candidate> expected;
        for (std::size_t i = 0; i < logits.size(); ++i) expected.push_back({std::int32_t(i), logits[i]});
        EXPECT_EQ(difference({all.data, all.size}, expected), "") << name;
    }
}
void expect_first_in_rank(const limit& of) {
    run_time_chain c;
    for (const any_spec& stage : sampling(of.stage)) c.push(stage);
    for (const auto& [name, logits] : small_rows()) {
        std::vector<reference::candidate> first;
        for (std::size_t i = 0; i < logits.size(); ++i) first.push_back({std::int32_t(i), logits[i]});
        reference::drop_illegal(first);
        reference::sort_by_rank(first);
        reference::keep_first(first, of.means.count);
        c.start();
        EXPECT_EQ(difference_in_distribution(c.chain.distribution(logits), first), "") << name;
    }
}

void hold(const char* stage, const limit& of) {
    switch (of.means.is) {
    case meaning::way::refused: return expect_refused(stage, of);
    case meaning::way::usual: break;
    case meaning::way::off: expect_off(of); [[fallthrough]];
    case meaning::way::all: expect_distribution_of({dist{.seed = 5}}, of); break;
    case meaning::way::first: expect_first_in_rank(of); break;
    case meaning::way::another: expect_distribution_of(sampling(*of.means.other), of); break;
    }
    expect_agrees(of);
}

class Limits : public testing::TestWithParam<std::size_t> {
protected:
    const limit_table& table() const { return all_limits()[GetParam()]; }
};
INSTANTIATE_TEST_SUITE_P(Of, Limits, testing::Range(std::size_t{0}, std::variant_size_v<any_spec>),
                         [](const auto& of) { return std::string(all_limits()[of.param].stage); });

TEST_P(Limits, AreWhatTheDocstringSays) {
    for (const limit& of : table().limits) {
        SCOPED_TRACE(reference::describe(of.stage) + ", " + of.parameter);
        hold(table().stage, of);
        if (HasFailure()) return;
    }
}
#if defined(__SSE__)
/// Two chains alike, one of them where denormals are 0: the same distribution, the same token.
TEST_P(Limits, LetNoFlushToZeroShow) {
    for (const limit& of : table().limits) {
        if (of.means.is == meaning::way::refused) continue;
        for (const auto* rows : {&small_rows(), &wild_rows()})
            for (const auto& [name, logits] : *rows) {
                dynamic_chain c, flushed;
                for (const any_spec& stage : sampling(of.stage)) push_to(c, stage), push_to(flushed, stage);
                c.prompt(short_prompt);
                flushed.prompt(short_prompt);
                for (int step = 0; step < 3; ++step) {
                    std::vector<reference::candidate> distribution;
                    for (const auto& token : c.distribution(logits)) distribution.push_back({token.id, token.logit});
                    const token_id token = c.sample(logits);
                    const flushing mode;
                    const auto found = flushed.distribution(logits);
                    ASSERT_EQ(difference({found.data(), found.size()}, distribution), "")
                        << reference::describe(of.stage);
                    ASSERT_EQ(flushed.sample(logits), token) << reference::describe(of.stage) << ", " << name;
                }
            }
    }
}

/// A product just below the least normal float rounds up to it, or is flushed.
TEST(FlushedProducts, RankAsThoseThatRoundUp) {
    const std::vector<std::vector<float>> rows{
        {-0x1p-126f, 0.0f, -0x1.000002p-126f, -0x1.8p-126f, 0x1p-126f, -0x1p-125f, 0x1.4p-126f},
        {-0x1.6ap-64f, 0.0f, -0x1p-62f, -0x1.4p-42f, -0x1p-42f, -0x1p-60f, -0x1p-20f}};
    random_integers random(7);
    for (int round = 0; round < 2000; ++round) {
        const float by = 0.25f + float(random.below(1u << 24)) * 0x1p-23f;
        const std::vector<std::vector<any_spec>> chains{{soft_cap{by}, top_k{3}, dist{}},
                                                        {temperature{by}, top_k{3}, dist{}},
                                                        {soft_cap{by}, soft_cap{0x1p100f}, dist{}},
                                                        {quadratic{4e5f * by, 1.0f}, top_k{3}, dist{}},
                                                        {quadratic{by, 3.0f}, soft_cap{0x1p100f}, dist{}}};
        for (const auto& stages : chains) {
            const auto& row = rows[random.below(rows.size())];
            dynamic_chain c, flushed;
            for (const any_spec& stage : stages) push_to(c, stage), push_to(flushed, stage);
            std::vector<reference::candidate> distribution;
            for (const auto& token : c.distribution(row)) distribution.push_back({token.id, token.logit});
            const flushing mode;
            const auto found = flushed.distribution(row);
            ASSERT_EQ(difference({found.data(), found.size()}, distribution), "") << by;
        }
    }
}
#endif

TEST_P(Limits, NameEveryParameter) { EXPECT_EQ(table().named, table().fields) << table().stage; }

/// The memory that a chain asks for ahead of time, on rows of 300: less than 8 MB, which a sequence of 100,000 tokens
/// takes, and not what a window of 2^31 tokens would. (No more is allocated in a step than this says: embedding's
/// allocations.cpp.)
TEST_P(Limits, AskForNoMemoryThatNoTextWouldUse) {
    for (const limit& of : table().limits) {
        if (of.means.is == meaning::way::refused) continue;
        dynamic_chain c;
        for (const any_spec& stage : sampling(of.stage)) push_to(c, stage);
        EXPECT_LT(c.scratch_bytes(300), 8000000u) << reference::describe(of.stage);
        EXPECT_TRUE(c.reserve(300)) << reference::describe(of.stage);
    }
}

/// The words behind `name = "` in a header.
std::vector<std::string> stages_in(const std::filesystem::path& header) {
    std::vector<std::string> names;
    std::ifstream in(header);
    const std::string before = "static constexpr const char* name = \"";
    for (std::string line; std::getline(in, line);)
        if (const auto at = line.find(before); at != std::string::npos) {
            const auto first = at + before.size();
            names.push_back(line.substr(first, line.find('"', first) - first));
        }
    return names;
}
TEST(LimitsOfAll, StandInTheTableForEveryHeaderOfASampler) {
    std::vector<std::string> in_table, found;
    for (const limit_table& table : all_limits()) in_table.push_back(table.stage);
    for (const auto& header : std::filesystem::directory_iterator(test_file("../include/riffle/samplers")))
        if (header.is_regular_file())
            for (const std::string& name : stages_in(header.path())) found.push_back(name);
    std::sort(in_table.begin(), in_table.end());
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, in_table);
}

}  // namespace
}  // namespace riffle_tests::limits_of_all
