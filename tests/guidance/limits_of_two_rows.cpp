// The limits of what makes one row of two: every value of a parameter has a meaning or is refused, and behind an error
// the row that comes out is illegal throughout, whatever lay there before.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <limits>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/guidance/classifier_free_guidance.hpp>
#include <riffle/guidance/contrastive_decoding.hpp>

#include "flushing.hpp"
#include "reference/variants.hpp"
#include "samplers/limits.hpp"

namespace riffle_tests::limits_of_two_rows {
namespace {

using namespace riffle;

const std::vector<float> first{1.5f, 0.25f, -1.0f, 3.0f, -infinity, 0.0f, 2.0f},
    second{0.5f, 0.25f, 2.0f, 1.0f, 0.0f, -infinity, -3.0f};
const std::vector<float> nothing(first.size(), -infinity);

template <class Stage>
std::vector<float> combined(const Stage& stage, std::span<const float> a = first, std::span<const float> b = second) {
    std::vector<float> out(a.size(), 77.0f);
    EXPECT_TRUE(stage.combine(a, b, out));
    return out;
}
/// With this sentence, and nothing legal in the row.
void expect_refused(const status& s, const std::string& sentence, std::span<const float> out) {
    EXPECT_STREQ(s.message().c_str(), sentence.c_str());
    for (const float logit : out) EXPECT_EQ(logit, -infinity) << sentence;
}
template <class Stage>
void expect_refused(const Stage& stage, const std::string& sentence) {
    std::vector<float> out(first.size(), 77.0f), in_place = first;
    const status s = stage.combine(first, second, out);
    EXPECT_EQ(s.code(), status_code::invalid_parameter) << sentence;
    expect_refused(s, sentence, out);
    expect_refused(stage.combine(in_place, second, in_place), sentence, in_place);
}
std::string printed(float value) {
    if (value != value) return "nan";
    const bool is_whole = std::floor(value) == value && std::fabs(value) < 1e10f;
    char text[32];
    std::snprintf(text, sizeof text, is_whole ? "%.10g" : "%.6g", double(value));
    return text;
}
/// A value within ±1e6 is `expected` of it, others are refused; a denormal counts as 0, whatever the processor does
/// with one.
template <class Stage>
void expect_within_a_million(float Stage::*field, const char* name,
                             const std::function<double(double, std::size_t)>& expected) {
    for (const float value : limit_values({-1e6f, 1e6f}, float{})) {
        Stage stage;
        stage.*field = value;
        if (!(std::fabs(value) <= 1e6f)) {
            std::ostringstream sentence;  // (g++ 12 warns of a std::string that operator+ makes here)
            sentence << Stage::name << ": " << name << " = " << printed(value)
                     << " is not a number between -1e6 and 1e6";
            expect_refused(stage, sentence.str());
            continue;
        }
        const std::vector<float> out = combined(stage);
        const double counted = is_zero(value) ? 0.0 : double(value);
        for (std::size_t i = 0; i < out.size(); ++i) {
            const double wanted = expected(counted, i);
            if (std::isinf(wanted)) {
                EXPECT_EQ(out[i], -infinity) << value << ", " << i;
            } else {
                EXPECT_NEAR(double(out[i]), wanted, 1e-5 * std::abs(wanted) + 1e-5) << value << ", " << i;
            }
        }
        if (is_zero(value)) {
            stage.*field = 0.0f;
            EXPECT_EQ(combined(stage), out) << value;
        }
#if defined(__SSE__)
        const flushing mode;
        EXPECT_EQ(combined(stage), out) << value;
#endif
    }
}

double log_p(const std::vector<float>& row, std::size_t i) {
    double sum = 0.0;
    for (const float logit : row) sum += std::exp(double(logit));
    return double(row[i]) - std::log(sum);
}
TEST(LimitsOfTwoRows, ScaleOfClassifierFreeGuidance) {
    expect_within_a_million(&classifier_free_guidance::scale, "scale", [](double scale, std::size_t i) {
        const double p = log_p(first, i), q = log_p(second, i);
        return std::isinf(p) || std::isinf(q) ? p : q + scale * (p - q);
    });
    EXPECT_EQ(field_count<classifier_free_guidance>(), 1u);
}
/// With the defaults of the others: the expert finds e^-2.3 of its best plausible.
double contrast(double expert, double amateur, std::size_t i) {
    if (!(first[i] > 3.0f - 2.302585f)) return -std::numeric_limits<double>::infinity();
    const double strong = double(first[i]) - 3.0, weak = std::max(double(second[i]) - 2.0, -100.0);
    return expert * strong - amateur * weak;
}
TEST(LimitsOfTwoRows, WeightsOfContrastiveDecoding) {
    expect_within_a_million(&contrastive_decoding::expert, "expert",
                            [](double expert, std::size_t i) { return contrast(expert, 0.5, i); });
    expect_within_a_million(&contrastive_decoding::amateur, "amateur",
                            [](double amateur, std::size_t i) { return contrast(1.5, amateur, i); });
}
TEST(LimitsOfTwoRows, AlphaOfContrastiveDecoding) {
    for (const float alpha : limit_values({1.0f}, float{})) {
        const contrastive_decoding stage{.alpha = alpha};
        if (is_nan(alpha)) {
            expect_refused(stage, "contrastive_decoding: alpha = nan is not a number");
            continue;
        }
        const auto out = combined(stage);
        const auto left = std::count_if(out.begin(), out.end(), [](float logit) { return logit > -infinity; });
        if (alpha <= 0.0f || is_zero(alpha)) {
            EXPECT_EQ(left, 6) << alpha;  // all but what the expert forbids
        } else if (alpha >= 1.0f) {
            EXPECT_EQ(left, 1) << alpha;
        } else if (alpha < 0.005f) {  // less than e^-4 of the best
            EXPECT_EQ(left, 6) << alpha;
        }
        EXPECT_EQ(out[3], 0.5f) << alpha;  // 1.5 * 0 - 0.5 * -1
    }
    EXPECT_EQ(field_count<contrastive_decoding>(), 3u);
}

template <class Stage>
void expect_nothing_legal_behind_an_error() {
    const std::string name = Stage::name;
    const std::vector<float> longer(first.size() + 1, 1.0f);
    std::vector<float> out;
    const auto refused = [&](std::span<const float> a, std::span<const float> b, std::size_t size,
                             const std::string& sentence) {
        out.assign(size, 77.0f);
        expect_refused(Stage{}.combine(a, b, out), name + ": " + sentence, out);
    };
    refused({}, {}, 0, "the row has no logits");
    refused({}, {}, 5, "the row has no logits");
    refused({}, first, 5, "the row has no logits");
    refused(first, longer, first.size(), "second row's size = 8 is not that of the first");
    refused(first, {}, first.size(), "second row's size = 0 is not that of the first");
    refused(first, second, first.size() - 1, "out's size = 6 is not that of the rows");
    refused(first, second, first.size() + 1, "out's size = 8 is not that of the rows");
    refused(nothing, second, first.size(), "no legal token is left: every logit is -inf, NaN or masked");
    out = nothing;
    EXPECT_EQ(Stage{}.combine(out, second, out).code(), status_code::no_legal_token);
    EXPECT_EQ(out, nothing);
}
TEST(LimitsOfTwoRows, BehindAnErrorNothingIsLegal) {
    expect_nothing_legal_behind_an_error<classifier_free_guidance>();
    expect_nothing_legal_behind_an_error<contrastive_decoding>();
}

}  // namespace
}  // namespace riffle_tests::limits_of_two_rows
