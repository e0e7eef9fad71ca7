// Numbers: in texts, which know no locale, and in a model's metadata, which was written under one.

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "foreign_locale.hpp"
#include "settings/built.hpp"

namespace riffle_tests {
namespace {

chain_settings of_metadata(const std::string& key, const std::string& value) {
    chain_settings s;
    EXPECT_TRUE(s.read_metadata("general.sampling." + key, value)) << key << " " << value << ": " << s.problem();
    EXPECT_EQ(s.problem(), "");
    return s;
}
std::string problem_of_metadata(const std::string& key, const std::string& value) {
    chain_settings s;
    EXPECT_FALSE(s.read_metadata("general.sampling." + key, value)) << key << " " << value;
    EXPECT_EQ(s.temp, 0.8f);
    EXPECT_EQ(s.top_k, 40);
    return s.problem();
}

/// What std::from_chars makes of a text, all of which has to be the number.
template <class Whole>
detail::number_fault read_by_library(const std::string& written, Whole& into) {
    const char* const end = written.data() + written.size();
    Whole read = 0;
    const auto [stop, error] = std::from_chars(written.data(), end, read);
    if (stop != end || error == std::errc::invalid_argument) return detail::number_fault::no_number;
    if (error == std::errc::result_out_of_range) return detail::number_fault::out_of_range;
    into = read;
    return detail::number_fault::none;
}
template <class Whole>
void expect_as_library(const std::string& written) {
    Whole ours = 7, theirs = 7;
    EXPECT_EQ(detail::read_whole(text(written), ours), read_by_library(written, theirs)) << written;
    EXPECT_EQ(ours, theirs) << written;
}
/// What riffle reads where the standard library reads no floats, beside what this one reads.
void expect_nearest_as_library(const std::string& written) {
    detail::exact_decimal number;
    float theirs = 0.0f;
    const detail::number_fault fault = read_by_library(written, theirs);
    const bool is_read = number.read(text(written));
    EXPECT_EQ(is_read, fault != detail::number_fault::no_number) << written;
    if (!is_read) return;
    const float ours = number.nearest();
    if (fault == detail::number_fault::none) EXPECT_EQ(std::memcmp(&ours, &theirs, sizeof ours), 0) << written;
    else EXPECT_TRUE(ours == 0.0f || ours == std::numeric_limits<float>::infinity()) << written;
}
TEST(SettingsNumbers, ThatAreFloatsAreTheNearest) {
    for (const char* written : {"0",
                                "0.0",
                                ".0",
                                "0e99999999999",
                                "1",
                                "1.",
                                ".5",
                                "12345678",
                                "16777217",
                                "16777217.0000000000000000000000001",
                                "16777219",
                                "33554435",
                                "3.4028235e38",
                                "3.40282356e38",
                                "3.40282357e38",
                                "3.5e38",
                                "1e39",
                                "1e999999999999",
                                "1e-45",
                                "7e-46",
                                "7.1e-46",
                                "1e-46",
                                "1e-999999999999",
                                "1.17549435e-38",
                                "1.17549421e-38",
                                "1e+5",
                                "1E5",
                                "",
                                ".",
                                "e5",
                                "1e",
                                "1e+",
                                "1e-",
                                "1.2.3",
                                "1x",
                                "0x1",
                                "1 ",
                                "+1",
                                "--1",
                                "0000000000000000000000000000000000001e1"})
        expect_nearest_as_library(written);
    std::mt19937 random(1);
    char written[256];
    for (int i = 0; i < 3000; ++i) {
        const float value = std::bit_cast<float>(std::uint32_t(random() & 0x7FFFFFFF));
        if (!std::isfinite(value)) continue;
        std::snprintf(written, sizeof written, "%.9g", double(value));
        expect_nearest_as_library(written);
        std::snprintf(written, sizeof written, "%.*g", int(random() % 12 + 1), double(value));
        expect_nearest_as_library(written);
        // in the middle between two floats, with all its digits: as it is, a little above, a little below
        const double middle = (double(value) + double(std::nextafter(value, 1e30f))) / 2;
        std::snprintf(written, sizeof written, "%.160e", middle);
        const std::string whole = written, digits = whole.substr(0, whole.find('e')),
                          end = whole.substr(whole.find('e'));
        expect_nearest_as_library(whole);
        expect_nearest_as_library(digits + "000000001" + end);
        std::snprintf(written, sizeof written, "%.40e", std::nextafter(middle, 0.0));
        expect_nearest_as_library(written);
    }
}
TEST(SettingsNumbers, ThatAreWholeAreThoseOfTheLibrary) {
    std::vector<std::string> texts{"", "-", "--1", "+1", "-+1", "-0", "00", "007", "1-", "1 ", " 1", "0x1", "1e2",
                                   "1.0", "-00000000000000000000000000000012", "99999999999999999999999999999999",
                                   "99999999999999999999999999999999x", "-99999999999999999999x"};
    // About each bound: of 8 to 64 bits, with a sign and without.
    for (const int bits : {7, 8, 15, 16, 31, 32, 63, 64})
        for (const std::uint64_t away : {0u, 1u, 2u, 9u, 10u, 11u})
            for (const std::string sign : {"", "-"}) {
                const std::uint64_t bound = bits == 64 ? 0 : std::uint64_t{1} << bits;
                texts.push_back(sign + std::to_string(bound + away));
                texts.push_back(sign + std::to_string(bound - away));
                texts.push_back(sign + std::to_string(bound - away) + "0");
            }
    for (const std::string carried : {"18446744073709551616", "-9223372036854775809", "18446744073709551620"})
        texts.push_back(carried);
    for (const std::string& written : texts) {
        expect_as_library<std::int32_t>(written);
        expect_as_library<std::uint64_t>(written);
        expect_as_library<std::int64_t>(written);
        expect_as_library<std::uint32_t>(written);
    }
    EXPECT_EQ(read("seed=+18446744073709551615").seed, ~std::uint64_t{0});
    EXPECT_EQ(read("top_k=-2147483648").top_k, -2147483647 - 1);
    for (const std::string out : {"seed=18446744073709551616", "top_k=2147483648", "top_k=-2147483649"}) {
        chain_settings s;
        EXPECT_FALSE(s.read(out)) << out;
        EXPECT_NE(s.problem().find("out of the range"), std::string::npos) << s.problem();
    }
}

TEST(SettingsNumbers, OfTextsHaveADecimalPointUnderEveryLocale) {
    for (const char* sign : decimal_signs) {
        const foreign_locale abroad(sign);
        if (!abroad.is_set()) GTEST_SKIP() << abroad.reason();
        ASSERT_NE(abroad.printed(0.5), "0.5");
        const auto s = read("temp=0.6;top_p=.25;min_p=1e-2;top_k=1000;logit_bias=5+2.5,7-1.5");
        EXPECT_EQ(s.temp, 0.6f);
        EXPECT_EQ(s.top_p, 0.25f);
        EXPECT_EQ(s.min_p, 0.01f);
        EXPECT_EQ(s.top_k, 1000);
        ASSERT_EQ(s.biases.size(), 2u);
        EXPECT_EQ(s.biases[0].bias, 2.5f);
        EXPECT_EQ(s.biases[1].bias, -1.5f);
        for (const std::string entry : {"temp=0,6", "temp=0\xD9\xAB" "6", "top_k=1.000"}) {
            chain_settings other;
            EXPECT_FALSE(other.read(entry)) << entry;
        }
    }
}
TEST(SettingsNumbers, OfBuildingHaveADecimalPointUnderEveryLocale) {
    for (const char* sign : decimal_signs) {
        const foreign_locale abroad(sign);
        if (!abroad.is_set()) GTEST_SKIP() << abroad.reason();
        chain_settings s = read("dry_multiplier=0.5");
        dynamic_chain c;
        EXPECT_EQ(std::string(s.build(c).message().c_str()),
                  "settings: dry_multiplier = 0.5 needs a vocabulary for dry's breakers");
    }
}

TEST(SettingsNumbers, OfAModelHaveTheDecimalSignOfItsReader) {
    for (const std::string point : {".", ",", "\xD9\xAB"}) {
        EXPECT_EQ(of_metadata("temp", "0" + point + "600000").temp, 0.6f);
        EXPECT_EQ(of_metadata("temp", "-1" + point + "500000").temp, -1.5f);
        EXPECT_EQ(of_metadata("top_p", "1" + point + "000000").top_p, 1.0f);
        EXPECT_EQ(of_metadata("min_p", point + "5").min_p, 0.5f);
        EXPECT_EQ(of_metadata("mirostat_tau", "5" + point).mirostat_tau, 5.0f);
    }
    EXPECT_EQ(of_metadata("temp", "1").temp, 1.0f);  // stored as a whole number
    EXPECT_EQ(of_metadata("temp", "1e-3").temp, 1e-3f);
    EXPECT_EQ(of_metadata("temp", "inf").temp, std::numeric_limits<float>::infinity());
    // Whatever std::to_string makes of the greatest float.
    EXPECT_EQ(of_metadata("temp", std::to_string(std::numeric_limits<float>::max())).temp,
              std::numeric_limits<float>::max());
}
/// By the very calls of llama.cpp (src/llama-model.cpp for what it writes, common/common.cpp for what it reads).
TEST(SettingsNumbers, OfAModelAreThoseThatLlamaReads) {
    const std::vector<float> values{0.0f, 1.0f, -1.0f, 40.0f, 40.75f, 0.6f, -0.25f, 64.0f, 1e6f, 2147483520.0f};
    const auto check = [&values] {
        for (const float value : values) {
            const std::string written = std::to_string(value);
            EXPECT_EQ(of_metadata("temp", written).temp, std::strtof(written.c_str(), nullptr)) << written;
            EXPECT_EQ(of_metadata("top_k", written).top_k, std::strtol(written.c_str(), nullptr, 10)) << written;
        }
        for (const int value : {0, 1, -1, 40, 2147483647}) {
            const std::string written = std::to_string(value);
            EXPECT_EQ(of_metadata("temp", written).temp, std::strtof(written.c_str(), nullptr)) << written;
            EXPECT_EQ(of_metadata("top_k", written).top_k, std::strtol(written.c_str(), nullptr, 10)) << written;
        }
    };
    check();
    for (const char* sign : decimal_signs) {
        const foreign_locale abroad(sign);
        if (!abroad.is_set()) GTEST_SKIP() << abroad.reason();
        check();
    }
}
TEST(SettingsNumbers, OfAModelThatAreNone) {
    EXPECT_EQ(problem_of_metadata("temp", "warm"), "settings: temp = \"warm\" is not a number");
    EXPECT_EQ(problem_of_metadata("top_k", "many"), "settings: top_k = \"many\" is not a whole number");
    EXPECT_EQ(problem_of_metadata("top_k", "true"), "settings: top_k = \"true\" is not a whole number");
    EXPECT_EQ(problem_of_metadata("top_k", "3000000000.000000"),
              "settings: top_k = \"3000000000.000000\" is out of the range of a whole number");
    for (const std::string none :
         {"", ".", ",", "\xD9\xAB", "\xD9", "0.6.1", "0,6,1", "1.000,5", "0.6x", "0.6f", " 0.6", "1 2", "[0.5]"})
        problem_of_metadata("temp", none);
    for (const std::string none : {"", ".5", "-.5", "4x", " 4", "4294967336", "4.5x", "4.5.1", "4,000,000", "1e2",
                                   "inf"})
        problem_of_metadata("top_k", none);
    problem_of_metadata("temp", std::string(1 << 20, '1'));
    problem_of_metadata("top_k", std::string(1 << 20, '1'));
    problem_of_metadata("temp", std::string("1\0002", 3));
}

TEST(SettingsMetadata, KeysAreThoseThatLlamaLooksFor) {
    using p = sampling_parameters;
    const std::pair<const char*, float p::*> numbers[] = {
        {"top_p", &p::top_p},
        {"min_p", &p::min_p},
        {"xtc_probability", &p::xtc_probability},
        {"xtc_threshold", &p::xtc_threshold},
        {"temp", &p::temp},
        {"penalty_repeat", &p::penalty_repeat},
        {"mirostat_tau", &p::mirostat_tau},
        {"mirostat_eta", &p::mirostat_eta},
    };
    for (const auto& [key, number] : numbers) EXPECT_EQ(of_metadata(key, "0.375000").*number, 0.375f) << key;
    const std::pair<const char*, std::int32_t p::*> whole_numbers[] = {
        {"top_k", &p::top_k}, {"penalty_last_n", &p::penalty_last_n}, {"mirostat", &p::mirostat}};
    for (const auto& [key, whole] : whole_numbers) EXPECT_EQ(of_metadata(key, "19").*whole, 19) << key;
    EXPECT_EQ(of_metadata("sequence", "temperature;top_k").samplers,
              (std::vector{sampler_kind::temperature, sampler_kind::top_k}));
    for (const char* other : {"typ_p", "seed", "samplers", "temperature", "top-k", "TOP_K", "", "temp.x"}) {
        const chain_settings s = of_metadata(other, "nonsense");
        EXPECT_EQ(s.samplers, chain_settings().samplers) << other;
    }
    chain_settings s;
    EXPECT_TRUE(s.read_metadata("general.name", "small"));
    EXPECT_TRUE(s.read_metadata("llama.sampling.temp", "nonsense"));
    EXPECT_TRUE(s.read_metadata("temp", "nonsense"));
}
TEST(SettingsMetadata, UnknownNamesOfASequenceAreTold) {
    chain_settings s;
    EXPECT_FALSE(s.read_metadata("general.sampling.sequence", "top_k;nonsense;temprature;min-p"));
    EXPECT_EQ(s.problem(), "settings: there is no sampler \"nonsense\"\n"
                           "settings: there is no sampler \"temprature\"; did you mean temperature?");
    EXPECT_EQ(s.samplers, (std::vector{sampler_kind::top_k, sampler_kind::min_p}));  // those that are known
}
TEST(SettingsMetadata, AddsNoSamplerAndKeepsAllProblems) {
    chain_settings s;
    EXPECT_FALSE(s.read_metadata("general.sampling.top_k", "many"));
    EXPECT_TRUE(s.read_metadata("general.sampling.min_p", "0,25"));
    EXPECT_FALSE(s.read_metadata("general.sampling.temp", "warm"));
    EXPECT_EQ(s.problem(), "settings: top_k = \"many\" is not a whole number\n"
                           "settings: temp = \"warm\" is not a number");
    EXPECT_EQ(s.min_p, 0.25f);
    EXPECT_EQ(s.samplers, chain_settings().samplers);
    EXPECT_TRUE(s.read("seed=1"));
    EXPECT_EQ(s.problem(), "");
}

}  // namespace
}  // namespace riffle_tests
