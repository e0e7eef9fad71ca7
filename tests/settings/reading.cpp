// Which texts are settings, and what becomes of those that are not.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "integers.hpp"
#include "long_run.hpp"
#include "settings/built.hpp"

namespace riffle_tests {
namespace {

const names usual{"penalties", "dry",   "top_n_sigma", "top_k",       "typical",
                  "top_p",     "min_p", "xtc",         "temperature", "dist"};

TEST(Settings, NothingIsTheDefaultChain) {
    EXPECT_EQ(stages_of(""), usual);
    EXPECT_EQ(stages_of(" ; ;; \t\n"), usual);
    EXPECT_EQ(stages_of("samplers=default"), usual);
    EXPECT_EQ(stages_of("seed=4;min_keep=1"), usual);  // parameters of no sampler
    EXPECT_EQ(stages_of("sampler_seq=edskypmxt"), usual);
}
TEST(Settings, WhatIsMentionedIsTheChainInItsOrder) {
    EXPECT_EQ(stages_of("top_k=40;top_p=0.95;temp=0.8"), (names{"top_k", "top_p", "temperature", "dist"}));
    EXPECT_EQ(stages_of("temp=0.8;top_k=40"), (names{"temperature", "top_k", "dist"}));
    EXPECT_EQ(stages_of("top_k;min_p"), (names{"top_k", "min_p", "dist"}));
    EXPECT_EQ(stages_of("xtc_threshold=0.2;top_k=3;xtc_probability=0.5"), (names{"xtc", "top_k", "dist"}));
    EXPECT_EQ(stages_of("top_k=1;temp=1;top_k=2"), (names{"top_k", "temperature", "dist"}));
    EXPECT_EQ(read("top_k=1;temp=1;top_k=2").top_k, 2);
    EXPECT_EQ(stages_of("dynatemp_range=0.5"), (names{"dynamic_temperature", "dist"}));
    EXPECT_EQ(stages_of("greedy"), names{"greedy"});
    EXPECT_EQ(stages_of("top_k=5;greedy;temp=0.5"), (names{"top_k", "temperature", "greedy"}));
    EXPECT_EQ(stages_of("gumbel;min_p=0.1"), (names{"min_p", "gumbel"}));
}
TEST(Settings, AnOrderThatIsSaidHolds) {
    EXPECT_EQ(stages_of("samplers=temp,top_k"), (names{"temperature", "top_k", "dist"}));
    EXPECT_EQ(stages_of("top_p=0.5;samplers=temp,top_k;min_p=0.1"), (names{"temperature", "top_k", "dist"}));
    EXPECT_EQ(stages_of("samplers= temp , top_k "), (names{"temperature", "top_k", "dist"}));
    EXPECT_EQ(stages_of("samplers=top_k,top_k"), (names{"top_k", "top_k", "dist"}));
    EXPECT_EQ(stages_of("samplers=top_k;samplers=min_p"), (names{"min_p", "dist"}));
    EXPECT_EQ(stages_of("samplers=top_k;sampler_seq=mt"), (names{"min_p", "temperature", "dist"}));
    EXPECT_EQ(stages_of("sampler_seq=mt;samplers=default"), usual);
    EXPECT_EQ(stages_of("sampler_seq=kkt"), (names{"top_k", "top_k", "temperature", "dist"}));
    EXPECT_EQ(read("top_p=0.5;samplers=temp").top_p, 0.5f);
}

TEST(Settings, EveryNameAndEveryAlias) {
    const std::pair<const char*, std::vector<const char*>> all[] = {
        {"dry", {"dry"}},
        {"top_k", {"top_k", "top-k", "topk"}},
        {"typical", {"typ_p", "typ-p", "typp", "typ", "typical"}},
        {"top_p", {"top_p", "top-p", "topp", "nucleus"}},
        {"top_n_sigma", {"top_n_sigma", "top-n-sigma", "topnsigma"}},
        {"min_p", {"min_p", "min-p", "minp"}},
        {"temperature", {"temperature", "temp"}},
        {"xtc", {"xtc"}},
        {"infill", {"infill"}},
        {"penalties", {"penalties"}},
    };
    for (const auto& [stage, aliases] : all)
        for (const std::string alias : aliases) {
            SCOPED_TRACE(alias);
            std::string shouted = alias;
            for (char& c : shouted) c = c >= 'a' && c <= 'z' ? char(c - 32) : c;
            const names expected{stage, "dist"};
            EXPECT_EQ(stages_of(alias, &small_vocabulary()), expected);
            EXPECT_EQ(stages_of(shouted, &small_vocabulary()), expected);
            EXPECT_EQ(stages_of("samplers=" + alias, &small_vocabulary()), expected);
            EXPECT_EQ(stages_of("SAMPLERS=" + shouted, &small_vocabulary()), expected);
        }
    for (const std::string alias : {"adaptive_p", "adaptive-p", "adaptivep", "ADAPTIVE_P"}) {
        EXPECT_EQ(stages_of("samplers=" + alias), names{"adaptive_p"});
        EXPECT_EQ(stages_of(alias), names{"adaptive_p"});
    }
    for (const std::string own : {"top_a", "tail_free", "epsilon_cutoff", "eta_cutoff", "p_less", "top_h", "min_k",
                                  "quadratic", "soft_cap", "no_repeat_ngram"})
        EXPECT_EQ(stages_of("samplers=" + own), (names{own, "dist"}));
}
TEST(Settings, EveryLetter) {
    const std::pair<char, const char*> all[] = {
        {'d', "dry"},   {'k', "top_k"},       {'y', "typical"}, {'p', "top_p"},  {'s', "top_n_sigma"},
        {'m', "min_p"}, {'t', "temperature"}, {'x', "xtc"},     {'i', "infill"}, {'e', "penalties"},
    };
    for (const auto& [letter, stage] : all)
        EXPECT_EQ(stages_of(std::string("sampler_seq=") + letter, &small_vocabulary()), (names{stage, "dist"}));
    EXPECT_EQ(stages_of("sampler_seq=kat"), (names{"top_k", "temperature", "adaptive_p"}));
    chain_settings s;
    EXPECT_FALSE(s.read("sampler_seq=K"));  // case matters
    EXPECT_FALSE(s.read("sampler_seq=kz"));
    EXPECT_NE(s.problem().find("the letter 'z';"), std::string::npos) << s.problem();
    EXPECT_NE(s.problem().find("k (top_k)"), std::string::npos) << s.problem();
}

TEST(Settings, BlanksDoNotMatter) {
    const auto s = read("  top_k = 7 ;\n\ttemp=\t0.5 ; seed = 3;");
    EXPECT_EQ(s.top_k, 7);
    EXPECT_EQ(s.temp, 0.5f);
    EXPECT_EQ(s.seed, 3u);
    EXPECT_EQ(stages_of(" top_k ; min_p "), (names{"top_k", "min_p", "dist"}));
}

TEST(Settings, NumbersThatAreNone) {
    for (const std::string entry : {"top_k=",
                                    "top_k=x",
                                    "top_k=4.5",
                                    "top_k=40 50",
                                    "top_k=99999999999",
                                    "top_k=1e2",
                                    "top_k=0x10",
                                    "temp=",
                                    "temp=hot",
                                    "temp=0.8f",
                                    "temp=1e999",
                                    "temp=0,8",
                                    "temp==1",
                                    "seed=-2",
                                    "seed=1.5",
                                    "seed=",
                                    "seed=99999999999999999999",
                                    "min_keep=many",
                                    "logit_bias=5",
                                    "logit_bias=x+1",
                                    "logit_bias=5+",
                                    "logit_bias=5+x",
                                    "logit_bias=+1",
                                    "logit_bias=5+1,,6+1",
                                    "logit_bias=5.5+1",
                                    "suppress=x",
                                    "suppress=1,,2",
                                    "suppress=1.5"}) {
        chain_settings s;
        EXPECT_FALSE(s.read(entry)) << entry;
        EXPECT_NE(s.problem().find("settings: "), std::string::npos) << entry;
        const std::string name = entry.substr(0, entry.find('='));
        EXPECT_NE(s.problem().find(name), std::string::npos) << entry << ": " << s.problem();
        EXPECT_NE(s.problem().find("number"), std::string::npos) << entry << ": " << s.problem();
    }
}
TEST(Settings, NumbersOfAllKinds) {
    EXPECT_EQ(read("temp=-1").temp, -1.0f);
    EXPECT_EQ(read("temp=1e-3").temp, 1e-3f);
    EXPECT_EQ(read("temp=.5").temp, 0.5f);
    EXPECT_EQ(read("top_k=-1").top_k, -1);
    EXPECT_EQ(read("top_n_sigma=inf").top_n_sigma, std::numeric_limits<float>::infinity());
    EXPECT_EQ(read("seed=18446744073709551615").seed, ~std::uint64_t{0});
    EXPECT_EQ(read("seed=4294967295").seed, 4294967295u);
    // What has no meaning is found when the chain is built.
    dynamic_chain c;
    EXPECT_EQ(read("temp=nan").build(c).code(), status_code::invalid_parameter);
}
TEST(Settings, SeedsAtRandom) {
    EXPECT_EQ(read("").seed, 0u);
    EXPECT_NE(read("seed=random").seed, read("seed=random").seed);
    EXPECT_NE(read("seed=-1").seed, read("seed=RANDOM").seed);
}

TEST(Settings, EveryProblemIsNamed) {
    chain_settings s;
    EXPECT_FALSE(s.read("topk_=4;temp=hot;samplers=top_k,tpo_p;top_k=5;sampler_seq=k!;logit_bias=5+1,x+1,6;mirostat"));
    EXPECT_EQ(s.problem(), "settings: there is no \"topk_\"; did you mean top_k?\n"
                           "settings: temp = \"hot\" is not a number\n"
                           "settings: there is no sampler \"tpo_p\"; did you mean top_p?\n"
                           "settings: no sampler has the letter '!'; the letters are e (penalties) d (dry) "
                           "s (top_n_sigma) k (top_k) y (typ_p) p (top_p) m (min_p) x (xtc) t (temp) i (infill) "
                           "a (adaptive_p)\n"
                           "settings: logit_bias = \"x\" is not a whole number\n"
                           "settings: logit_bias = \"\" is not a number\n"
                           "settings: mirostat needs a value, as in mirostat=...");
    EXPECT_TRUE(s.read("temp=1"));
    EXPECT_EQ(s.problem(), "");
}
TEST(Settings, ProblemsAreNamedUpToABound) {
    chain_settings s;
    EXPECT_FALSE(s.read("a;b;c;d;e;f;g;h"));
    EXPECT_EQ(std::count(s.problem().begin(), s.problem().end(), '\n'), 7);
    EXPECT_FALSE(s.read("a;b;c;d;e;f;g;h;temp=1;i"));
    EXPECT_EQ(s.problem().substr(s.problem().rfind('\n')), "\nand 1 more");
    EXPECT_FALSE(s.read("a;b;c;d;e;f;g;h;temp=1;i;top_k=x;samplers=j,k;l"));
    EXPECT_EQ(s.problem().substr(s.problem().rfind('\n')), "\nand 5 more");
    EXPECT_EQ(std::count(s.problem().begin(), s.problem().end(), '\n'), 8);
}

bool same_tokens(const chain_settings& a, const chain_settings& b) {
    if (a.biases.size() != b.biases.size()) return false;
    for (std::size_t i = 0; i < a.biases.size(); ++i)
        if (a.biases[i].token != b.biases[i].token || a.biases[i].bias != b.biases[i].bias) return false;
    return a.suppressed == b.suppressed && a.dry_breakers == b.dry_breakers;
}
bool same(const chain_settings& a, const chain_settings& b) {
    return a.seed == b.seed && a.min_keep == b.min_keep && a.top_k == b.top_k && a.top_p == b.top_p &&
           a.min_p == b.min_p && a.typ_p == b.typ_p && a.temp == b.temp && a.mirostat == b.mirostat &&
           a.ignore_eos == b.ignore_eos && a.samplers == b.samplers && same_tokens(a, b);
}
TEST(Settings, AFailedReadChangesNothing) {
    chain_settings s = read("top_k=7;min_p=0.2;seed=5;logit_bias=4+1;suppress=9");
    const chain_settings before = s;
    for (const std::string entry : {"top_k=8;temp=x", "seed=6;samplers=temp,wrong", "logit_bias=5+1,6+", "suppress=1,x",
                                    "sampler_seq=k!", "ignore_eos;nothing", "mirostat=2;top_k=8;oops=1"}) {
        EXPECT_FALSE(s.read(entry)) << entry;
        EXPECT_TRUE(same(s, before)) << entry;
    }
    EXPECT_EQ(stages_of(built_of(s)), (names{"logit_bias", "top_k", "min_p", "dist"}));
}
TEST(Settings, AreReadOnTopOfWhatIsSet) {
    chain_settings s = read("top_k=7;seed=5");
    EXPECT_TRUE(s.read("seed=6;logit_bias=4+1"));
    EXPECT_EQ(s.top_k, 7);
    EXPECT_EQ(s.seed, 6u);
    EXPECT_EQ(stages_of(built_of(s)), (names{"logit_bias", "top_k", "dist"}));
    EXPECT_TRUE(s.read("logit_bias=5-1"));
    ASSERT_EQ(s.biases.size(), 2u);
    s.top_k = 3;  // and by hand
    s.samplers = {sampler_kind::temperature, sampler_kind::top_k};
    EXPECT_EQ(stages_of(built_of(s)), (names{"logit_bias", "temperature", "top_k", "dist"}));
}

TEST(Settings, BiasesInLlamasForm) {
    const auto s = read("logit_bias=15043-1,29871+2.5;logit_bias=7-inf, 8+inf ,9:-3");
    ASSERT_EQ(s.biases.size(), 5u);
    EXPECT_EQ(s.biases[0].token, 15043);
    EXPECT_EQ(s.biases[0].bias, -1.0f);
    EXPECT_EQ(s.biases[1].token, 29871);
    EXPECT_EQ(s.biases[1].bias, 2.5f);
    EXPECT_EQ(s.biases[2].bias, -std::numeric_limits<float>::infinity());
    EXPECT_EQ(s.biases[3].bias, std::numeric_limits<float>::infinity());
    EXPECT_EQ(s.biases[4].bias, -3.0f);
    EXPECT_EQ(read("suppress=5, 7").suppressed, (std::vector<token_id>{5, 7}));
}

TEST(Settings, BreakersOfDryAsLlamaTakesThem) {
    using strings = std::vector<std::string>;
    EXPECT_EQ(read("dry_multiplier=1").dry_breakers, (strings{"\n", ":", "\"", "*"}));
    const auto said = read("dry_sequence_breaker=\\n;dry_sequence_breaker= and so \\x3b");
    EXPECT_EQ(said.dry_breakers, (strings{"\n", "and so ;"}));  // in place of the default ones
    EXPECT_EQ(said.samplers, (std::vector<sampler_kind>{sampler_kind::dry}));
    EXPECT_EQ(read("dry_sequence_breaker=\\x20\\t\\r\\\\n").dry_breakers, (strings{" \t\r\\n"}));
    EXPECT_EQ(read("dry_sequence_breaker=\\q\\x4\\xg0\\").dry_breakers, (strings{"\\q\\x4\\xg0\\"}));
    EXPECT_EQ(read("dry_sequence_breaker=NONE").dry_breakers, strings{});
    EXPECT_EQ(read("dry_sequence_breaker=a;dry_sequence_breaker=none;dry_sequence_breaker=b").dry_breakers,
              (strings{"b"}));
    chain_settings s = read("dry_sequence_breaker=a");
    EXPECT_TRUE(s.read("dry_sequence_breaker=b"));
    EXPECT_EQ(s.dry_breakers, (strings{"a", "b"}));
    EXPECT_FALSE(s.read("dry_sequence_breaker=c;dry_sequence_breaker="));
    EXPECT_EQ(s.problem(), "settings: dry_sequence_breaker needs a text, or none");
    EXPECT_EQ(s.dry_breakers, (strings{"a", "b"}));
}

// ---- hostile ones

/// Reads, and builds both kinds of chain; nothing may go wrong but by an answer.
void survive(const std::string& words) {
    chain_settings s;
    const chain_settings before = s;
    if (!s.read(words)) {
        EXPECT_FALSE(s.problem().empty());
        EXPECT_LT(s.problem().size(), 3000u);
        for (const char c : s.problem()) EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << int(c);
        EXPECT_TRUE(same(s, before));
        return;
    }
    EXPECT_EQ(s.problem(), "");
    const std::vector<float> row{1.0f, 3.0f, 2.0f, -1.0f, 0.0f, 0.5f, 0.25f, 1.5f, 2.5f};
    dynamic_chain sane;
    exact_chain exact_one;
    for (const vocabulary* vocab : {static_cast<const vocabulary*>(nullptr), &small_vocabulary()}) {
        (void)s.build(sane, vocab);  // the second time behind a selector: malformed, and says so
        (void)sane.sample(row);
    }
    if (s.build(exact_one, &small_vocabulary()).ok()) (void)exact_one.sample(row);
}

TEST(Settings, SurviveRandomBytes) {
    const std::size_t texts = how_many(3000, 3000000, "random texts as settings");
    integers random(31);
    for (std::size_t i = 0; i < texts; ++i) {
        std::string words(random.below(60), '\0');
        for (char& c : words) c = char(random.next());
        survive(words);
    }
}
TEST(Settings, SurviveRandomWords) {
    const std::size_t texts = how_many(6000, 2000000, "texts of random words as settings");
    const std::vector<std::string> parts{"top_k",
                                         "temp",
                                         "top_p",
                                         "min_p",
                                         "samplers",
                                         "sampler_seq",
                                         "logit_bias",
                                         "suppress",
                                         "dry_sequence_breaker",
                                         "\\x3",
                                         "seed",
                                         "mirostat",
                                         "dry_multiplier",
                                         "dry",
                                         "infill",
                                         "ignore_eos",
                                         "adaptive_p",
                                         "penalties",
                                         "penalty_last_n",
                                         "xtc",
                                         "typ",
                                         "top_n_sigma",
                                         "min_keep",
                                         "dynatemp_range",
                                         "n_vocab",
                                         "greedy",
                                         "=",
                                         "=",
                                         "=",
                                         "=",
                                         ";",
                                         ";",
                                         ";",
                                         ",",
                                         "+",
                                         "-",
                                         ":",
                                         " ",
                                         "\n",
                                         "1",
                                         "0",
                                         "2",
                                         "0.5",
                                         "-1",
                                         "40",
                                         "1e9",
                                         "nan",
                                         "inf",
                                         "-inf",
                                         "2147483647",
                                         "-2147483648",
                                         "18446744073709551615",
                                         "edskypmxt",
                                         "default",
                                         "random",
                                         "\0x",
                                         "\xff"};
    integers random(32);
    for (std::size_t i = 0; i < texts; ++i) {
        std::string words;
        for (auto n = random.below(24); n > 0; --n) {
            words += parts[random.below(std::uint32_t(parts.size()))];
            if (random.below(3) != 0) continue;
            if (random.below(2)) (words += '=') += std::to_string(random.between(-3, 50));
            else words += ';';
        }
        survive(words);
    }
}
std::string text_of(std::string head, std::size_t count, char repeated) { return head.append(count, repeated); }

TEST(Settings, SurviveLongTexts) {
    std::string many;
    for (int i = 0; i < 5000; ++i) many += "top_k=" + std::to_string(i) + ";";
    EXPECT_EQ(read(many).top_k, 4999);
    EXPECT_EQ(stages_of(many), (names{"top_k", "dist"}));
    std::string biases = "logit_bias=";
    for (int i = 0; i < 20000; ++i) biases += std::to_string(i) + "-1,";
    EXPECT_EQ(read(biases).biases.size(), 20000u);
    chain_settings s;
    EXPECT_FALSE(s.read(std::string(1 << 20, 'x')));
    EXPECT_FALSE(s.read(text_of("top_k=", 1 << 20, '9')));
    EXPECT_TRUE(s.read(std::string(1 << 20, ';')));
    EXPECT_TRUE(s.read(text_of("top_k=", 1 << 16, '0') += '5'));
    EXPECT_EQ(s.top_k, 5);
    EXPECT_FALSE(s.read(text("top_k=1\0;temp=1", 15)));
    EXPECT_EQ(s.problem(), "settings: top_k = \"1\\x00\" is not a whole number");
    // More samplers than a chain has stages.
    EXPECT_TRUE(s.read(text_of("sampler_seq=", 40, 'k')));
    dynamic_chain c;
    EXPECT_EQ(s.build(c).code(), status_code::chain_malformed);
    EXPECT_EQ(c.sample(std::vector<float>{1.0f}), null_token);
}
TEST(Settings, SurviveLongTextsOfProblems) {
    const std::size_t size = 1 << 16;
    std::string names_alone, entries;
    while (names_alone.size() < size) names_alone += "a;";
    while (entries.size() < size) entries += "temperatur=1;top_k=\xff\x1b[31m;";
    for (const std::string& words :
         {names_alone, entries, text_of("samplers=", size, ','), text_of("sampler_seq=", size, '\xff'),
          text_of("logit_bias=", size, ','), text_of("suppress=", size, '-'), text_of("temp=0.", size, '1') += 'x',
          text_of("temp=1e", size, '9'), text_of("seed=", size, '\0'), text_of("", size, '='), text_of("", size, '-'),
          text_of("", size, '\0'), text_of("ignore_eos=", size, '1')})
        survive(words);
    EXPECT_EQ(read(text_of("temp=0.", size, '3')).temp, 1.0f / 3);
    EXPECT_EQ(read(text_of("dry_sequence_breaker=", size, '\\')).dry_breakers[0].size(), size / 2);
}
/// What a chain refuses is not built first: each dry looks through the vocabulary.
TEST(Settings, SurviveMoreSamplersThanAChainTakes) {
    vocabulary large;
    for (int i = 0; i < 20000; ++i) large.add("piece " + std::to_string(i));
    dynamic_chain c;
    const auto s = read(text_of("dry_multiplier=1;sampler_seq=", 1 << 16, 'd'));
    EXPECT_EQ(s.build(c, &large).code(), status_code::chain_malformed);
    EXPECT_EQ(c.sample(std::vector<float>{1.0f}), null_token);
}

}  // namespace
}  // namespace riffle_tests
