// The names that settings know, however they are written, and the nearest of them where one is not known.

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "integers.hpp"
#include "settings/built.hpp"

namespace riffle_tests {
namespace {

/// A name as command lines, llama-server's preset files and its requests have it.
std::vector<std::string> spellings(const std::string& name) {
    const std::string plain = name.substr(name.find_first_not_of('-'));
    std::string kebab = plain, snake = plain, loud = plain;
    for (char& c : kebab) c = c == '_' ? '-' : c;
    for (char& c : snake) c = c == '-' ? '_' : c;
    for (char& c : loud) c = c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c;
    std::vector<std::string> all;
    for (const std::string& spelt : {name, kebab, snake, loud})
        for (const char* dashes : {"", "-", "--"})
            if (spelt[0] != '-' || *dashes == '\0') all.push_back(dashes + spelt);
    return all;
}

// llama.cpp 0.7.0: the options of common/arg.cpp marked as sampling, and the names of a request of llama-server.
using floats = std::pair<float sampling_parameters::*, std::vector<const char*>>;
using integers_named = std::pair<std::int32_t sampling_parameters::*, std::vector<const char*>>;

TEST(SettingsNames, AllOptionsOfLlamaThatAreNumbers) {
    using p = sampling_parameters;
    const floats numbers[] = {
        {&p::temp, {"--temp", "--temperature", "temperature"}},
        {&p::top_p, {"--top-p", "top_p"}},
        {&p::min_p, {"--min-p", "min_p"}},
        {&p::top_n_sigma, {"--top-nsigma", "--top-n-sigma", "top_n_sigma"}},
        {&p::xtc_probability, {"--xtc-probability", "xtc_probability"}},
        {&p::xtc_threshold, {"--xtc-threshold", "xtc_threshold"}},
        {&p::typ_p, {"--typical", "--typical-p", "typical_p", "typ_p"}},
        {&p::penalty_repeat, {"--repeat-penalty", "repeat_penalty"}},
        {&p::penalty_present, {"--presence-penalty", "presence_penalty"}},
        {&p::penalty_freq, {"--frequency-penalty", "frequency_penalty"}},
        {&p::dry_multiplier, {"--dry-multiplier", "dry_multiplier"}},
        {&p::dry_base, {"--dry-base", "dry_base"}},
        {&p::adaptive_target, {"--adaptive-target", "adaptive_target"}},
        {&p::adaptive_decay, {"--adaptive-decay", "adaptive_decay"}},
        {&p::dynatemp_range, {"--dynatemp-range", "dynatemp_range"}},
        {&p::dynatemp_exponent, {"--dynatemp-exp", "dynatemp_exponent"}},
        {&p::mirostat_eta, {"--mirostat-lr", "mirostat_eta"}},
        {&p::mirostat_tau, {"--mirostat-ent", "mirostat_tau"}},
    };
    for (const auto& [parameter, options] : numbers)
        for (const char* name : options)
            for (const std::string& spelt : spellings(name))
                EXPECT_EQ(read(spelt + "=0.375").*parameter, 0.375f) << spelt;
}
TEST(SettingsNames, AllOptionsOfLlamaThatAreWholeNumbers) {
    using p = sampling_parameters;
    const integers_named whole[] = {
        {&p::top_k, {"--top-k", "top_k", "LLAMA_ARG_TOP_K"}},
        {&p::penalty_last_n, {"--repeat-last-n", "repeat_last_n"}},
        {&p::dry_allowed_length, {"--dry-allowed-length", "dry_allowed_length"}},
        {&p::dry_penalty_last_n, {"--dry-penalty-last-n", "dry_penalty_last_n"}},
        {&p::mirostat, {"--mirostat", "mirostat"}},
        {&p::min_keep, {"min_keep"}},
    };
    for (const auto& [parameter, options] : whole)
        for (const char* name : options)
            for (const std::string& spelt : spellings(name)) EXPECT_EQ(read(spelt + "=19").*parameter, 19) << spelt;
}
TEST(SettingsNames, AllOtherOptionsOfLlama) {
    for (const std::string& spelt : spellings("--samplers"))
        EXPECT_EQ(read(spelt + "=temp;top_k").samplers,
                  (std::vector{sampler_kind::temperature, sampler_kind::top_k})) << spelt;
    for (const char* name : {"--sampler-seq", "--sampling-seq"})
        for (const std::string& spelt : spellings(name))
            EXPECT_EQ(read(spelt + "=tk").samplers, (std::vector{sampler_kind::temperature, sampler_kind::top_k}));
    for (const char* name : {"-s", "--seed"})
        for (const std::string& spelt : spellings(name)) EXPECT_EQ(read(spelt + "=19").seed, 19u) << spelt;
    for (const char* name : {"-l", "--logit-bias"})
        for (const std::string& spelt : spellings(name)) EXPECT_EQ(read(spelt + "=19-1").biases.size(), 1u) << spelt;
    for (const char* name : {"--dry-sequence-breaker", "dry_sequence_breakers"})
        for (const std::string& spelt : spellings(name)) {
            EXPECT_EQ(read(spelt + "=none").dry_breakers.size(), 0u) << spelt;
            EXPECT_EQ(read(spelt + "=x;" + spelt + "=y").dry_breakers, (std::vector<std::string>{"x", "y"})) << spelt;
        }
    for (const std::string& spelt : spellings("--ignore-eos")) {
        EXPECT_EQ(read(spelt).ignore_eos, 1) << spelt;
        for (const char* yes : {"1", "true", "on", "enabled", "TRUE"}) EXPECT_EQ(read(spelt + "=" + yes).ignore_eos, 1);
        for (const char* no : {"0", "false", "off", "disabled"})
            EXPECT_EQ(read("ignore_eos;" + spelt + "=" + no).ignore_eos, 0);
    }
    chain_settings s;
    EXPECT_FALSE(s.read("ignore_eos=perhaps"));
    EXPECT_EQ(s.problem(), "settings: ignore_eos = \"perhaps\" is neither true nor false");
    for (const std::string& spelt : spellings("--grammar")) {
        EXPECT_EQ(read(spelt + "= root ::= \"a\" | [=,+]\n# as it stands ;top_k=3").grammar,
                  "root ::= \"a\" | [=,+]\n# as it stands");
        EXPECT_FALSE(s.read(spelt)) << spelt;
    }
    for (const char* name : {"-j", "--json-schema"})
        for (const std::string& spelt : spellings(name)) {
            EXPECT_EQ(read(spelt + R"(= {"pattern": "a=\u003B, "} ;top_k=3)").json_schema, R"({"pattern": "a=\u003B, "})");
            EXPECT_FALSE(s.read(spelt)) << spelt;
        }
    for (const char* name : {"--grammar-file", "-jf", "--json-schema-file", "-bs",
                             "--backend-sampling", "LLAMA_ARG_BACKEND_SAMPLING", "n_probs", "post_sampling_probs",
                             "logprobs", "top_logprobs", "grammar_lazy", "grammar_triggers", "preserved_tokens"})
        for (const std::string& entry : {std::string(name), name + std::string("=x")}) {
            EXPECT_FALSE(s.read(entry)) << entry;
            EXPECT_NE(s.problem().find(name + std::string(" makes no stage of a chain: ")), std::string::npos)
                << s.problem();
        }
}
/// What names a sampler is a name of its chief parameter, and the other way round.
TEST(SettingsNames, OfSamplersAreThoseOfTheirParameters) {
    for (const option& o : known_options) {
        if (!o.names_sampler) continue;
        for (const char* name : o.names) {
            if (!name) continue;
            for (const std::string& spelt : spellings(name)) {
                const std::vector expected{o.sampler};
                EXPECT_EQ(read(spelt).samplers, expected) << spelt;
                EXPECT_EQ(read("samplers=" + spelt).samplers, expected) << spelt;
                if (o.number || o.whole) {
                    EXPECT_EQ(read(spelt + "=1").samplers, expected) << spelt;
                }
            }
        }
    }
    EXPECT_EQ(stages_of("samplers=typical_p;temp"), (names{"typical", "temperature", "dist"}));
    EXPECT_EQ(stages_of("samplers=top-nsigma,typical-p"), (names{"top_n_sigma", "typical", "dist"}));
}
TEST(SettingsNames, AreInOneTableOnce) {
    std::set<std::string> all;
    std::set<char> letters;
    for (const option& o : known_options) {
        ASSERT_NE(o.names[0], nullptr);
        EXPECT_NE(std::string(o.meaning), "") << o.names[0];
        EXPECT_EQ(option_called(o.names[0]), &o) << o.names[0];
        for (const char* name : o.names) {
            if (!name) continue;
            EXPECT_TRUE(all.insert(name).second) << name;
            for (const char c : std::string(name)) EXPECT_TRUE(c == '_' || (c >= 'a' && c <= 'z')) << name;
            EXPECT_LE(std::string(name).size(), 31u) << "edit_distance measures no longer ones";
        }
        EXPECT_TRUE(o.letter == 0 || letters.insert(o.letter).second) << o.letter;
    }
    EXPECT_EQ(letters.size(), 11u);
}

// ---- names that are not known

std::string problem_of(const std::string& words) {
    chain_settings s;
    EXPECT_FALSE(s.read(words)) << words;
    return s.problem();
}
TEST(SettingsNames, TheNearestIsTold) {
    const std::pair<const char*, const char*> all[] = {
        {"topp_=0.5", "top_p"},
        {"tpo_p=0.5", "top_p"},
        {"top p=0.5", "top_p"},
        {"tmep=1", "temp"},
        {"temperatur=1", "temperature"},
        {"--tempreature=1", "temperature"},
        {"repeat-penality=1", "repeat_penalty"},
        {"frequency_penatly=1", "frequency_penalty"},
        {"xtc_treshold=1", "xtc_threshold"},
        {"ignore-eso", "ignore_eos"},
        {"dry_sequence_braker=x", "dry_sequence_breaker"},
        {"gredy", "greedy"},
        // Written as its kind is not: with a value, or without.
        {"gredy=1", "greedy"},
        {"penaltes=1", "penalties"},
        {"dist_=1", "dist"},
        {"xtx=1", "xtc"},
        {"mirostt", "mirostat"},
        {"logit_bais", "logit_bias"},
        {"seeed", "seed"},
        {"repeat_penlty", "repeat_penalty"},
        {"sampler_sq", "sampler_seq"},
        {"samplers=top_k,pen_alties", "penalties"},
        {"SAMPLER=top_k", "samplers"},
    };
    for (const auto& [words, nearest] : all) {
        const std::string problem = problem_of(words), expected = std::string("; did you mean ") + nearest + "?";
        EXPECT_NE(problem.find(expected), std::string::npos) << words << ": " << problem;
        EXPECT_LT(problem.size(), 100u) << problem;
    }
    EXPECT_EQ(problem_of("tmep=1"), "settings: there is no \"tmep\"; did you mean temp?");
    EXPECT_EQ(problem_of("samplers=tmep"), "settings: there is no sampler \"tmep\"; did you mean temp?");
}
TEST(SettingsNames, NoneIsToldWhereNoneIsNear) {
    EXPECT_EQ(problem_of("nothing"), "settings: there is no \"nothing\"");
    EXPECT_EQ(problem_of("q=1"), "settings: there is no \"q\"");
    EXPECT_EQ(problem_of("=4"), "settings: there is no \"\"");
    EXPECT_EQ(problem_of("--=4"), "settings: there is no \"--\"");
    EXPECT_EQ(problem_of("samplers=,"), "settings: there is no sampler \"\"");
    EXPECT_EQ(problem_of("samplers=dry_base"), "settings: there is no sampler \"dry_base\"");  // it is no sampler
    EXPECT_EQ(problem_of(std::string(4000, 'x')), "settings: there is no \"" + std::string(60, 'x') + "...\"");
}
TEST(SettingsNames, WhatIsKnownButNotUsedSoSaysHow) {
    EXPECT_EQ(problem_of("mirostat"), "settings: mirostat needs a value, as in mirostat=...");
    EXPECT_EQ(problem_of("samplers=temp;dry-base"), "settings: dry-base needs a value, as in dry_base=...");
    EXPECT_EQ(problem_of("greedy=1"), "settings: greedy takes no value: name it alone, or give its parameters");
}

/// The distance by its definition: the least of all ways, without a table.
std::size_t distance_by_trying(const std::string& a, const std::string& b) {
    if (a.empty() || b.empty()) return a.size() + b.size();
    const std::string a1 = a.substr(1), b1 = b.substr(1);
    std::size_t least = distance_by_trying(a1, b1) + (a[0] != b[0]);
    least = (std::min)({least, distance_by_trying(a1, b) + 1, distance_by_trying(a, b1) + 1});
    if (a.size() > 1 && b.size() > 1 && a[0] == b[1] && a[1] == b[0])
        least = (std::min)(least, distance_by_trying(a.substr(2), b.substr(2)) + 1);
    return least;
}
TEST(SettingsNames, EditDistance) {
    using detail::edit_distance;
    EXPECT_EQ(edit_distance("top_p", "TOP-P"), 0u);
    EXPECT_EQ(edit_distance("", "abc"), 3u);
    EXPECT_EQ(edit_distance("abc", ""), 3u);
    integers random(33);
    for (int i = 0; i < 2000; ++i) {
        std::string a(random.below(7), ' '), b(random.below(7), ' ');
        for (std::string* s : {&a, &b})
            for (char& c : *s) c = char('a' + random.below(3));
        EXPECT_EQ(edit_distance(a, b), distance_by_trying(a, b)) << a << " " << b;
    }
    EXPECT_EQ(edit_distance(std::string(31, 'a'), std::string(31, 'b')), 31u);
    EXPECT_EQ(edit_distance(std::string(32, 'a'), "a"), std::size_t(-1));
    EXPECT_EQ(edit_distance("a", std::string(1 << 20, 'a')), std::size_t(-1));
}

}  // namespace
}  // namespace riffle_tests
