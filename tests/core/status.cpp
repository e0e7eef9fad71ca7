#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include <riffle/core/status.hpp>

#include "foreign_locale.hpp"

namespace {

using namespace riffle;

constexpr status_code codes[] = {
    status_code::ok,
    status_code::empty_row,
    status_code::row_too_long,
    status_code::no_legal_token,
    status_code::invalid_parameter,
    status_code::not_monotone,
    status_code::bad_candidates,
    status_code::mark_unknown,
    status_code::rewind_too_far,
    status_code::out_of_memory,
    status_code::storage_too_small,
    status_code::chain_malformed,
    status_code::stage_failed,
    status_code::row_lost,
    status_code::no_selector,
    status_code::not_a_token,
    status_code::storage_overlaps,
};

TEST(Status, EveryCodeHasASentenceOfItsOwn) {
    std::set<std::string> sentences;
    for (const auto code : codes) {
        const std::string text = status(code).message().c_str();
        EXPECT_FALSE(text.empty());
        EXPECT_NE(text, "unknown status");
        EXPECT_TRUE(sentences.insert(text).second) << text;
    }
    EXPECT_EQ(std::string(status(status_code(99)).message().c_str()), "unknown status");
}

TEST(Status, NamesStageFieldAndValue) {
    const auto nan = double(std::numeric_limits<float>::quiet_NaN());
    const status s = status::invalid("top_p", "p", std::fabs(nan), "is not a number");
    EXPECT_EQ(std::string_view(s.message()), "top_p: p = nan is not a number");
    EXPECT_EQ(s, status_code::invalid_parameter);
    EXPECT_EQ(std::string_view(status::invalid("penalties", "repeat", -1.5, "is not a positive number").message()),
              "penalties: repeat = -1.5 is not a positive number");
    EXPECT_EQ(std::string_view(status::failed(status_code::not_monotone, "mine").message()),
              "mine: the map is claimed to be monotone, but falls");
}
TEST(Status, HasADecimalPointUnderEveryLocale) {
    const auto printed = [](double value) {
        return std::string(status::invalid("stage", "field", value, "rule").message().c_str());
    };
    for (const char* sign : riffle_tests::decimal_signs) {
        const riffle_tests::foreign_locale abroad(sign);
        if (!abroad.is_set()) GTEST_SKIP() << abroad.reason();
        EXPECT_EQ(printed(-1.5), "stage: field = -1.5 rule");
        EXPECT_EQ(printed(1.0 / 3), "stage: field = 0.333333 rule");
        EXPECT_EQ(printed(1.25e-30), "stage: field = 1.25e-30 rule");
        EXPECT_EQ(printed(-2.5e300), "stage: field = -2.5e+300 rule");
        EXPECT_EQ(printed(1234567), "stage: field = 1234567 rule");
        EXPECT_EQ(printed(HUGE_VAL), "stage: field = inf rule");
        EXPECT_EQ(printed(-HUGE_VAL), "stage: field = -inf rule");
        EXPECT_EQ(printed(-std::nan("")), "stage: field = nan rule");
    }
}
TEST(Status, NamesAnIdToItsLastDigit) {
    const auto sentence_about = [](double id) {
        return std::string(
            status::invalid("accept", "token", id, "is no token", status_code::not_a_token).message().c_str());
    };
    EXPECT_EQ(sentence_about(-2147483648.0), "accept: token = -2147483648 is no token");
    EXPECT_EQ(sentence_about(1234567.0), "accept: token = 1234567 is no token");
    EXPECT_EQ(sentence_about(double(0.1f)), "accept: token = 0.1 is no token");
    EXPECT_EQ(sentence_about(1e38), "accept: token = 1e+38 is no token");
    EXPECT_EQ(sentence_about(-INFINITY), "accept: token = -inf is no token");
}
TEST(Status, AnotherReasonHasItsOwnSentence) {
    status s = status::invalid("top_p", "p", 2.5, "is wrong");
    s.fail(status_code::no_legal_token);
    EXPECT_EQ(std::string_view(s.message()), status(status_code::no_legal_token).message().c_str());
    s.fail(status::invalid("top_k", "k", 1.0, "is wrong too"));
    EXPECT_EQ(std::string_view(s.message()), "top_k: k = 1 is wrong too");
}

TEST(Status, ASentenceFitsWhateverTheNames) {
    const std::string name(400, 'n');
    const sentence s = status::invalid(name.c_str(), "field", 1.0, "is wrong").message();
    EXPECT_EQ(std::string_view(s).size(), sentence::capacity - 1);
}

TEST(Status, IsOkByDefault) {
    constexpr status s;
    static_assert(s.ok() && s && s.code() == status_code::ok && s == status_code::ok);
    static_assert(!s.saw_nan() && !s.saw_infinity());
    EXPECT_EQ(std::string_view(s.message()), "ok");
}

TEST(Status, NotesStayWithAnotherCode) {
    status s;
    s.note_nan();
    EXPECT_TRUE(s.ok());
    EXPECT_TRUE(s.saw_nan());
    EXPECT_FALSE(s.saw_infinity());
    s.note_infinity();
    s.fail(status_code::no_legal_token);
    EXPECT_FALSE(s.ok());
    EXPECT_FALSE(bool(s));
    EXPECT_TRUE(s.saw_nan());
    EXPECT_TRUE(s.saw_infinity());
    EXPECT_EQ(s, status_code::no_legal_token);
}

}  // namespace
