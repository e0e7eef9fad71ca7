// Settings as other programs have them: the chains that they mean there.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/riffle.hpp>
#include <riffle/settings.hpp>

namespace {

using namespace riffle;
using pairs = std::initializer_list<std::pair<const char*, const char*>>;

std::string printed(float value) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.6g", double(value));
    return digits;
}
std::string printed(std::int32_t value) { return printed(float(value)); }

/// A stage that is on, with the parameters that matter; nothing for one that is off.
std::string described(dynamic_chain& c, std::size_t i) {
    if (auto* s = c.get_if<penalties>(i))
        return s->off() ? ""
                        : "penalties " + printed(s->last_n) + " " + printed(s->repeat) + " " + printed(s->frequency) +
                              " " + printed(s->presence);
    if (auto* s = c.get_if<dry>(i))
        return s->off() ? ""
                        : "dry " + printed(s->multiplier) + " " + printed(s->base) + " " + printed(s->allowed_length) +
                              " " + printed(s->last_n);
    if (auto* s = c.get_if<top_k>(i)) return s->k <= 0 ? "" : "top_k " + printed(s->k);
    if (auto* s = c.get_if<top_p>(i)) return s->p >= 1 ? "" : "top_p " + printed(s->p);
    if (auto* s = c.get_if<min_p>(i)) return s->p <= 0 ? "" : "min_p " + printed(s->p);
    if (auto* s = c.get_if<typical>(i)) return s->p >= 1 ? "" : "typical " + printed(s->p);
    if (auto* s = c.get_if<top_n_sigma>(i)) return s->n <= 0 ? "" : "top_n_sigma " + printed(s->n);
    if (auto* s = c.get_if<top_a>(i)) return s->a <= 0 ? "" : "top_a " + printed(s->a);
    if (auto* s = c.get_if<tail_free>(i)) return s->z >= 1 ? "" : "tail_free " + printed(s->z);
    if (auto* s = c.get_if<epsilon_cutoff>(i)) return s->epsilon <= 0 ? "" : "epsilon_cutoff " + printed(s->epsilon);
    if (auto* s = c.get_if<eta_cutoff>(i)) return s->epsilon <= 0 ? "" : "eta_cutoff " + printed(s->epsilon);
    if (auto* s = c.get_if<xtc>(i))
        return s->off() ? "" : "xtc " + printed(s->probability) + " " + printed(s->threshold);
    if (auto* s = c.get_if<quadratic>(i))
        return s->factor <= 0 ? "" : "quadratic " + printed(s->factor) + " " + printed(s->curve);
    if (auto* s = c.get_if<no_repeat_ngram>(i)) return s->n <= 0 ? "" : "no_repeat_ngram " + printed(s->n);
    if (auto* s = c.get_if<temperature>(i)) return s->t == 1 ? "" : "temperature " + printed(s->t);
    if (auto* s = c.get_if<dynamic_temperature>(i))
        return "dynamic_temperature " + printed(s->t) + " " + printed(s->range) + " " + printed(s->exponent);
    if (auto* s = c.get_if<mirostat_v2>(i)) return "mirostat_v2 " + printed(s->tau) + " " + printed(s->eta);
    if (auto* s = c.get_if<mirostat>(i)) return "mirostat " + printed(s->tau) + " " + printed(s->eta);
    if (auto* s = c.get_if<adaptive_p>(i)) return "adaptive_p " + printed(s->target) + " " + printed(s->decay);
    if (auto* s = c.get_if<logit_bias>(i)) {
        std::string all = "logit_bias";
        for (const logit_bias_entry& each : s->biases) all += " " + printed(each.token) + ":" + printed(each.bias);
        return all;
    }
    return c.view().name(i);
}
const vocabulary& words() {
    static const vocabulary all = [] {
        vocabulary v;
        for (int i = 0; i < 300; ++i) v.add(i == 10 ? "\n" : i == 58 ? ":" : "x");
        v.add("</s>", token_role::end_of_generation | token_role::control);
        return v;
    }();
    return all;
}
/// The chain that keys and values mean, in words; its seed in `seed`.
std::string chain_of(dialect whose, pairs keys, std::uint64_t* seed = nullptr) {
    preset p(whose);
    for (const auto& [key, value] : keys) EXPECT_TRUE(p.set(text(key), text(value))) << p.problem();
    chain_settings s;
    EXPECT_TRUE(p.make(s));
    if (seed) *seed = s.seed;
    dynamic_chain c;
    const status built = s.build(c, &words());
    EXPECT_TRUE(built.ok()) << built.message().c_str();
    std::string all;
    for (std::size_t i = 0; i < c.view().size(); ++i) {
        const std::string stage = described(c, i);
        if (!stage.empty()) all += (all.empty() ? "" : " | ") + stage;
    }
    return all;
}
std::vector<std::string> notes_of(dialect whose, pairs keys) {
    preset p(whose);
    for (const auto& [key, value] : keys) p.set(text(key), text(value));
    return p.notes();
}
using notes = std::vector<std::string>;

// ---- llama.cpp

TEST(Presets, OfLlamasRequests) {
    EXPECT_EQ(chain_of(dialect::llama, {}), "top_k 40 | top_p 0.95 | min_p 0.05 | temperature 0.8 | dist");
    EXPECT_EQ(chain_of(dialect::llama, {{"n_predict", "220"},
                                        {"samplers", R"(["dry","top_k","min_p","xtc","temperature"])"},
                                        {"top_k", "80"},
                                        {"min_p", "0.03"},
                                        {"temperature", "1.15"},
                                        {"dry_multiplier", "0.6"},
                                        {"dry_allowed_length", "3"},
                                        {"dry_penalty_last_n", "512"},
                                        {"dry_sequence_breakers", R"(["\n"])"},
                                        {"xtc_probability", "0.4"},
                                        {"xtc_threshold", "0.12"},
                                        {"repeat_penalty", "1.2"},
                                        {"logit_bias", "[[128,-2.5],[42,false]]"}}),
              "logit_bias 128:-2.5 42:-inf | dry 0.6 1.75 3 512 | top_k 80 | min_p 0.03 | xtc 0.4 0.12 | temperature "
              "1.15 | dist");
    EXPECT_EQ(chain_of(dialect::llama, {{"temperature", "0.9"},
                                        {"mirostat", "2"},
                                        {"mirostat_tau", "4.2"},
                                        {"mirostat_eta", "0.08"},
                                        {"top_p", "0.8"}}),
              "temperature 0.9 | mirostat_v2 4.2 0.08");
    EXPECT_EQ(chain_of(dialect::llama, {{"samplers", R"("kpt")"}, {"top_k", "7"}}),
              "top_k 7 | top_p 0.95 | temperature 0.8 | dist");
    EXPECT_EQ(chain_of(dialect::llama, {{"samplers", "top_k;temperature;top_k"}, {"temp", "2"}}),
              "top_k 40 | temperature 2 | top_k 40 | dist");
    EXPECT_EQ(chain_of(dialect::llama, {{"samplers", "[]"}}), "dist");
    EXPECT_EQ(chain_of(dialect::llama, {{"logit_bias", R"({"7": 2, "9": false})"}, {"samplers", "[]"}}),
              "logit_bias 7:2 9:-inf | dist");
    EXPECT_EQ(
        chain_of(
            dialect::llama,
            {{"repeat-penalty", "1.07"}, {"repeat-last-n", "192"}, {"top-k", "0"}, {"top-p", "1"}, {"temp", "0.65"}}),
        "penalties 192 1.07 0 0 | min_p 0.05 | temperature 0.65 | dist");
}

TEST(Presets, OfLlamasRequestsSayYesAndNo) {
    EXPECT_EQ(notes_of(dialect::llama, {{"ignore_eos", "true"}}), notes{});
    preset on(dialect::llama), off(dialect::llama);
    EXPECT_TRUE(on.set("ignore_eos", "true"));
    EXPECT_TRUE(off.set("ignore_eos", "false"));
    chain_settings s;
    ASSERT_TRUE(on.make(s));
    EXPECT_EQ(s.ignore_eos, 1);
    ASSERT_TRUE(off.make(s));
    EXPECT_EQ(s.ignore_eos, 0);
}
/// Every option of llama.cpp's that is said by yes or no, by a word and by a number.
TEST(Presets, OfLlamasRequestsTakeEveryOption) {
    for (const option& known : known_options) {
        if (known.value != option_value::yes_or_no && known.value != option_value::usual) continue;
        if (!known.number && !known.whole) continue;
        for (const char* name : known.names) {
            if (!name) continue;
            preset p(dialect::llama);
            EXPECT_TRUE(p.set(text(name), "1")) << name << ": " << p.problem();
            if (known.value == option_value::yes_or_no) {
                EXPECT_TRUE(p.set(text(name), "false")) << name << ": " << p.problem();
            }
        }
    }
}
/// riffle's own samplers are in no order of llama.cpp's: what sets one without naming it is said.
TEST(Presets, OfLlamasRequestsNoteWhatTheirOrderLeavesOut) {
    EXPECT_EQ(notes_of(dialect::llama, {{"tfs_z", "0.9"}, {"top_k", "5"}}),
              (notes{"tfs_z makes a stage only where samplers names it"}));
    EXPECT_EQ(notes_of(dialect::llama, {{"logit_bias", R"([["Hello, World!",-0.5],[5,1]])"}}),
              (notes{"logit_bias names the text Hello, World!: give its ids, from a tokeniser"}));
    EXPECT_EQ(chain_of(dialect::llama, {{"logit_bias", R"([["Hello",-0.5],[5,1]])"}, {"samplers", "[]"}}),
              "logit_bias 5:1 | dist");
    EXPECT_EQ(chain_of(dialect::llama, {{"samplers", R"(["tail_free"])"}, {"tfs_z", "0.9"}}), "tail_free 0.9 | dist");
}

// ---- KoboldCpp

/// SillyTavern's presets for it call the temperature temp.
TEST(Presets, OfSillyTavernForKoboldCpp) {
    EXPECT_EQ(chain_of(dialect::koboldcpp, {{"temp", "1.35"},
                                            {"rep_pen", "1.06"},
                                            {"rep_pen_range", "900"},
                                            {"top_p", "1"},
                                            {"min_p", "0.04"},
                                            {"top_k", "0"},
                                            {"tfs", "0.9"},
                                            {"sampler_order", "[6,0,1,3,4,2,5]"},
                                            {"use_default_badwordsids", "false"}}),
              "penalties 900 1.06 0 0 | tail_free 0.9 | min_p 0.04 | temperature 1.35 | dist");
}
TEST(Presets, OfKoboldCpp) {
    std::uint64_t seed = 0;
    EXPECT_EQ(chain_of(dialect::koboldcpp, {}), "top_k 100 | top_p 0.9 | temperature 0.7 | dist");
    EXPECT_EQ(chain_of(dialect::koboldcpp,
                       {{"temperature", "0.85"},
                        {"top_p", "0.93"},
                        {"top_k", "0"},
                        {"min_p", "0.02"},
                        {"typical", "1"},
                        {"tfs", "0.97"},
                        {"top_a", "0"},
                        {"rep_pen", "1.08"},
                        {"rep_pen_range", "1536"},
                        {"rep_pen_slope", "1"},
                        {"sampler_order", "[6,0,1,3,4,2,5]"},
                        {"sampler_seed", "4711"}},
                       &seed),
              "penalties 1536 1.08 0 0 | tail_free 0.97 | top_p 0.93 | min_p 0.02 | temperature 0.85 | dist");
    EXPECT_EQ(seed, 4711u);
    EXPECT_EQ(chain_of(dialect::koboldcpp, {{"temperature", "1.3"},
                                            {"dynatemp_range", "0.6"},
                                            {"smoothing_factor", "0.22"},
                                            {"min_p", "0.06"},
                                            {"top_p", "1"},
                                            {"top_k", "0"},
                                            {"nsigma", "1.4"},
                                            {"dry_multiplier", "0.75"},
                                            {"dry_base", "1.7"},
                                            {"dry_allowed_length", "3"},
                                            {"dry_penalty_last_n", "0"},
                                            {"dry_sequence_breakers", R"(["\n", ":"])"},
                                            {"xtc_threshold", "0.1"},
                                            {"xtc_probability", "0.35"},
                                            {"rep_pen", "1.2"},
                                            {"sampler_order", "[0,1,3,4,2,5]"}}),
              "dry 0.75 1.7 3 -1 | min_p 0.06 | dynamic_temperature 1.3 0.6 1 | quadratic 0.22 1 | top_n_sigma 1.4 | "
              "xtc 0.35 0.1 | dist");
    EXPECT_EQ(chain_of(dialect::koboldcpp,
                       {{"rep_pen", "1.1"}, {"rep_pen_range", "0"}, {"top_k", "5"}, {"sampler_order", "[6,0]"}}),
              "penalties 1 1.1 0 0 | top_k 5 | dist");
    EXPECT_EQ(chain_of(dialect::koboldcpp, {{"adaptive_target", "0.4"}, {"top_p", "1"}, {"top_k", "0"}}),
              "min_p 0.002 | temperature 0.7 | adaptive_p 0.4 0.9");
    EXPECT_EQ(chain_of(dialect::koboldcpp,
                       {{"logit_bias", R"({"12": -3.5})"}, {"custom_token_bans", R"("5,7")"}, {"top_k", "1"}}),
              "logit_bias 12:-3.5 5:-inf 7:-inf | top_k 1 | top_p 0.9 | temperature 0.7 | dist");
    EXPECT_EQ(notes_of(dialect::koboldcpp, {{"rep_pen_slope", "0.7"},
                                            {"max_length", "80"},
                                            {"banned_strings", R"(["a shiver"])"},
                                            {"guidance_scale", "1"},
                                            {"sampler_order", "[0,9]"},
                                            {"moonphase", "2"}}),
              (notes{"rep_pen_slope has no counterpart: riffle penalises the whole window alike",
                     "max_length is no part of choosing a token",
                     "banned_strings makes no stage here: push the stage phrase_ban, which needs the vocabulary",
                     "sampler_order names 9, which is none of 0 to 6", "moonphase is no key of these settings"}));
}

// ---- text-generation-webui and SillyTavern

TEST(Presets, OfTextGenerationWebui) {
    EXPECT_EQ(chain_of(dialect::text_generation_webui, {}), "dist");
    EXPECT_EQ(chain_of(dialect::text_generation_webui, {{"temperature", "1.25"},
                                                        {"min_p", "0.045"},
                                                        {"temperature_last", "true"},
                                                        {"epsilon_cutoff", "2.5"},
                                                        {"repetition_penalty", "1.06"},
                                                        {"repetition_penalty_range", "2048"},
                                                        {"dry_multiplier", "0.7"},
                                                        {"dry_sequence_breakers", R"("\n", ":", "#")"}}),
              "penalties 2048 1.06 0 0 | dry 0.7 1.75 2 2048 | epsilon_cutoff 0.00025 | min_p 0.045 | temperature 1.25 "
              "| dist");
    EXPECT_EQ(
        chain_of(dialect::text_generation_webui, {{"dynamic_temperature", "true"},
                                                  {"dynatemp_low", "0.5"},
                                                  {"dynatemp_high", "1.9"},
                                                  {"dynatemp_exponent", "1.2"},
                                                  {"top_k", "60"},
                                                  {"typical_p", "0.96"},
                                                  {"xtc_probability", "0.3"},
                                                  {"sampler_priority", "dynamic_temperature\ntypical_p\ntop_k\nxtc"}}),
        "dynamic_temperature 1.2 0.7 1.2 | typical 0.96 | top_k 60 | xtc 0.3 0.1 | dist");
    // What the order does not name comes first.
    EXPECT_EQ(chain_of(dialect::text_generation_webui, {{"top_k", "9"},
                                                        {"min_p", "0.1"},
                                                        {"temperature", "0.5"},
                                                        {"sampler_priority", R"(["temperature", "min_p"])"}}),
              "top_k 9 | temperature 0.5 | min_p 0.1 | dist");
    EXPECT_EQ(chain_of(dialect::text_generation_webui, {{"do_sample", "false"}, {"top_k", "9"}}), "top_k 9 | greedy");
}
TEST(Presets, OfSillyTavern) {
    EXPECT_EQ(chain_of(dialect::text_generation_webui, {{"temp", "0.95"},
                                                        {"temperature_last", "true"},
                                                        {"top_p", "1"},
                                                        {"top_k", "0"},
                                                        {"top_a", "0"},
                                                        {"tfs", "1"},
                                                        {"epsilon_cutoff", "0"},
                                                        {"eta_cutoff", "0"},
                                                        {"typical_p", "1"},
                                                        {"min_p", "0.035"},
                                                        {"rep_pen", "1.04"},
                                                        {"rep_pen_range", "0"},
                                                        {"rep_pen_decay", "0"},
                                                        {"rep_pen_slope", "1"},
                                                        {"no_repeat_ngram_size", "0"},
                                                        {"penalty_alpha", "0"},
                                                        {"encoder_rep_pen", "1"},
                                                        {"freq_pen", "0"},
                                                        {"presence_pen", "0.1"},
                                                        {"skew", "0"},
                                                        {"do_sample", "true"},
                                                        {"dynatemp", "false"},
                                                        {"min_temp", "0"},
                                                        {"max_temp", "2"},
                                                        {"dynatemp_exponent", "1"},
                                                        {"smoothing_factor", "0.2"},
                                                        {"smoothing_curve", "1"},
                                                        {"dry_multiplier", "0.8"},
                                                        {"dry_penalty_last_n", "0"},
                                                        {"dry_sequence_breakers", R"("[\"\\n\", \":\"]")"},
                                                        {"guidance_scale", "1"},
                                                        {"json_schema", "{}"},
                                                        {"sampler_order", "[6,0,1,3,4,2,5]"},
                                                        {"nsigma", "0"}}),
              "penalties -1 1.04 0 0.1 | dry 0.8 1.75 2 -1 | min_p 0.035 | temperature 0.95 | quadratic 0.2 1 | dist");
    EXPECT_EQ(notes_of(dialect::text_generation_webui,
                       {{"skew", "0.3"}, {"penalty_alpha", "0.6"}, {"num_beams", "1"}, {"negative_prompt", "\"\""}}),
              (notes{"skew makes no stage here: push the stage skew in place of dist",
                     "penalty_alpha has no counterpart: contrastive search needs the model's hidden states",
                     "negative_prompt is no part of choosing a token"}));
}

// ---- Ollama

TEST(Presets, OfOllama) {
    std::uint64_t seed = 0;
    EXPECT_EQ(chain_of(dialect::ollama, {}), "top_k 40 | top_p 0.9 | temperature 0.8 | dist");
    EXPECT_EQ(chain_of(dialect::ollama, {{"temperature", "0.55"},
                                         {"top_k", "30"},
                                         {"top_p", "0.88"},
                                         {"repeat_penalty", "1.12"},
                                         {"repeat_last_n", "-1"},
                                         {"num_ctx", "16384"},
                                         {"stop", "\"<|end|>\""}}),
              "penalties -1 1.12 0 0 | top_k 30 | top_p 0.88 | temperature 0.55 | dist");
    EXPECT_EQ(chain_of(dialect::ollama,
                       {{"temperature", "1.1"},
                        {"top_k", "0"},
                        {"top_p", "1.0"},
                        {"min_p", "0.07"},
                        {"typical_p", "0.98"},
                        {"presence_penalty", "0.3"},
                        {"seed", "99"},
                        {"num_predict", "300"}},
                       &seed),
              "penalties 64 1 0 0.3 | typical 0.98 | min_p 0.07 | temperature 1.1 | dist");
    EXPECT_EQ(seed, 99u);
    EXPECT_EQ(chain_of(dialect::ollama, {{"mirostat", "1"}, {"mirostat_tau", "3.5"}, {"mirostat_eta", "0.2"}}),
              "temperature 0.8 | mirostat 3.5 0.2");
    EXPECT_EQ(notes_of(dialect::ollama, {{"tfs_z", "0.9"}, {"penalize_newline", "false"}, {"num_gpu", "1"}}),
              (notes{"tfs_z has no counterpart: Ollama does not look at it any more; riffle's setting is tail_free",
                     "penalize_newline makes no stage here: name the newline in penalties.exempt",
                     "num_gpu is no part of choosing a token"}));
}

// ---- OpenAI and vLLM

TEST(Presets, OfOpenAI) {
    std::uint64_t seed = 0;
    EXPECT_EQ(chain_of(dialect::openai, {}), "dist");
    EXPECT_EQ(chain_of(dialect::openai,
                       {{"temperature", "0.35"},
                        {"top_p", "0.92"},
                        {"frequency_penalty", "0.25"},
                        {"presence_penalty", "0.1"},
                        {"logit_bias", R"({"1734":-100,"88":3})"},
                        {"seed", "12"},
                        {"max_completion_tokens", "400"}},
                       &seed),
              "logit_bias 1734:-100 88:3 | penalties -1 1 0.25 0.1 | temperature 0.35 | top_p 0.92 | dist");
    EXPECT_EQ(seed, 12u);
    EXPECT_EQ(chain_of(dialect::openai, {{"temperature", "0.75"},
                                         {"top_p", "0.9"},
                                         {"top_k", "50"},
                                         {"min_p", "0.01"},
                                         {"repetition_penalty", "1.03"},
                                         {"allowed_token_ids", "null"},
                                         {"ignore_eos", "false"}}),
              "penalties -1 1.03 0 0 | temperature 0.75 | min_p 0.01 | top_k 50 | top_p 0.9 | dist");
    EXPECT_EQ(notes_of(dialect::openai, {{"min_tokens", "16"},
                                         {"bad_words", R"(["foo bar"])"},
                                         {"top_logprobs", "5"},
                                         {"length_penalty", "1.0"},
                                         {"min_p", "null"}}),
              (notes{"min_tokens makes no stage here: push the stage min_tokens, which needs the ends",
                     "bad_words makes no stage here: push the stage banned_sequences, which needs a tokeniser",
                     "top_logprobs makes no stage here: ask the chain for probabilities, by logprobs()"}));
}

// ---- all of them

TEST(Presets, SayWhatCannotBeRead) {
    preset p(dialect::koboldcpp);
    EXPECT_FALSE(p.set("top_k", "many"));
    EXPECT_FALSE(p.set("rep_pen", "[1]"));
    EXPECT_FALSE(p.set("sampler_order", "[0,x]"));
    EXPECT_FALSE(p.set("logit_bias", "[5]"));
    EXPECT_FALSE(p.set("ban_eos_token", "perhaps"));
    EXPECT_FALSE(p.set("top_k", "1e30"));
    EXPECT_FALSE(p.set("top_k", "2.5"));
    EXPECT_EQ(p.problem().substr(0, p.problem().find('\n')), "settings: top_k = many is no number that fits");
    chain_settings s;
    s.temp = 0.123f;
    EXPECT_FALSE(p.make(s));
    EXPECT_EQ(s.temp, 0.123f);
}
TEST(Presets, TakeNumbersAsPeopleWriteThem) {
    EXPECT_EQ(chain_of(dialect::ollama,
                       {{"top_k", "30.0"}, {"temperature", "\"0.5\""}, {"TOP_P", " 0.8 "}, {"min_p", "null"}}),
              "top_k 30 | top_p 0.8 | temperature 0.5 | dist");
    std::uint64_t one = 0, two = 0;
    chain_of(dialect::ollama, {{"seed", "-1"}}, &one);
    chain_of(dialect::koboldcpp, {{"sampler_seed", "0"}}, &two);
    EXPECT_NE(one, two);  // drawn, each time
}
TEST(Presets, NoteSoMuchAndNoMore) {
    preset p(dialect::openai);
    for (int i = 0; i < 1000; ++i) p.set(text(("key " + std::to_string(i)).c_str()), "1");
    ASSERT_EQ(p.notes().size(), 65u);
    EXPECT_EQ(p.notes().front(), "key 0 is no key of these settings");
    EXPECT_EQ(p.notes()[63], "key 63 is no key of these settings");
    EXPECT_EQ(p.notes().back(), "and 936 more");
}
TEST(Presets, QuoteNamesOfAnyBytes) {
    preset p(dialect::text_generation_webui);
    p.set("sampler_priority", "[\"top_k\", \"\x1b[2J\"]");
    ASSERT_EQ(p.notes().size(), 1u);
    EXPECT_EQ(p.notes()[0], "sampler_priority names \\x1B[2J, which makes no stage here");
}
/// A key that means a setting names one that there is, and no two keys of a program have one name.
TEST(Presets, TablesAreSound) {
    for (const dialect whose :
         {dialect::llama, dialect::koboldcpp, dialect::text_generation_webui, dialect::ollama, dialect::openai}) {
        std::vector<std::string> seen;
        for (const dialect_key& key : keys_of(whose).keys) {
            const bool has_setting = key.meaning <= key_meaning::seed_above_0 || key.meaning == key_meaning::yes;
            EXPECT_EQ(key.setting != nullptr, has_setting) << key.names[0];
            if (key.setting) {
                EXPECT_NE(option_called(text(key.setting)), nullptr) << key.setting;
            }
            if (key.meaning != key_meaning::server) {
                EXPECT_NE(std::string(key.note), "") << key.names[0];
            }
            for (const char* name : key.names) {
                if (!name) continue;
                for (const std::string& other : seen) EXPECT_NE(other, name);
                seen.push_back(name);
            }
        }
    }
}
/// Whatever a value is, it is read or refused.
TEST(Presets, SurviveAnyValue) {
    for (const dialect whose :
         {dialect::llama, dialect::koboldcpp, dialect::text_generation_webui, dialect::ollama, dialect::openai})
        for (const dialect_key& key : keys_of(whose).keys)
            for (const char* value : {"",        "\"",      "[",     "]",
                                      "{",       "[[",      "[[1",   "[[1,",
                                      "[\"",     "\"\\",    "\"\\u", "\"\\uD83D\\uDE00\"",
                                      "{\"a\":", ",,,",     ":::",   "-",
                                      "nan",     "inf",     "-1e99", "[1,2,3,4,5,6,7,8,9]",
                                      "true",    "\xff\xfe"}) {
                preset p(whose);
                p.set(text(key.names[0]), text(value));
                chain_settings s;
                dynamic_chain c;
                if (p.make(s)) s.build(c, &words());
            }
}

// ---- documents

std::string schema_in(dialect whose, pairs keys) {
    preset p(whose);
    for (const auto& [key, value] : keys) EXPECT_TRUE(p.set(text(key), text(value))) << p.problem();
    chain_settings s;
    EXPECT_TRUE(p.make(s));
    EXPECT_EQ(p.notes(), notes{});
    return s.json_schema;
}
TEST(Presets, HaveJsonSchemas) {
    const std::string any_object = R"({"type":"object"})";
    const char* const schema = R"({"pattern": "\\d\\\\", "x": [1, {"y": ","}]})";  // its text ends in a backslash
    for (const auto& [whose, key] : {std::pair{dialect::llama, "json_schema"}, {dialect::text_generation_webui, "json_schema"},
                                     {dialect::ollama, "format"}, {dialect::openai, "guided_json"}}) {
        EXPECT_EQ(schema_in(whose, {{key, schema}}), schema);
        EXPECT_EQ(schema_in(whose, {{key, R"("{\"const\": \"\u00e9\"}")"}}), "{\"const\": \"é\"}") << "as a text";
        EXPECT_EQ(schema_in(whose, {{key, "\"\""}}), "");
        EXPECT_EQ(schema_in(whose, {{key, "null"}}), "");
    }
    EXPECT_EQ(schema_in(dialect::ollama, {{"format", "json"}}), any_object);
    EXPECT_EQ(schema_in(dialect::ollama, {{"format", "\"json\""}}), any_object);
    EXPECT_EQ(schema_in(dialect::llama, {{"json_schema", "{}"}}), any_object) << "as llama.cpp has it";
    EXPECT_EQ(schema_in(dialect::openai, {{"guided_json", "{}"}}), "{}") << "any value";
    EXPECT_EQ(schema_in(dialect::text_generation_webui, {{"json_schema", "{}"}}), "") << "SillyTavern's for none";
}
TEST(Presets, HaveFormatsOfResponses) {
    const std::string any_object = R"({"type":"object"})";
    for (const dialect whose : {dialect::llama, dialect::openai}) {
        const auto of = [&](const char* format) { return schema_in(whose, {{"response_format", format}}); };
        EXPECT_EQ(of(R"({"type": "json_schema", "json_schema": {"name": "x", "strict": true, "schema": {"type": "array"}}})"), R"({"type": "array"})");
        EXPECT_EQ(of(R"({"json_schema": {"schema": {"a": "]}"}}, "type": "json_schema"})"), R"({"a": "]}"})");
        EXPECT_EQ(of(R"({"type": "json_object"})"), any_object);
        EXPECT_EQ(of(R"({"type": "json_object", "schema": {"minProperties": 1}})"), R"({"minProperties": 1})");
        EXPECT_EQ(of(R"({"type": "text"})"), "");
        EXPECT_EQ(of("{}"), "");
        preset p(whose);
        EXPECT_FALSE(p.set("response_format", R"({"type": "yaml"})"));
        EXPECT_NE(p.problem().find("is neither text nor JSON"), std::string::npos) << p.problem();
    }
    EXPECT_EQ(schema_in(dialect::openai, {{"structured_outputs", R"({"json": {"type": "null"}})"}}), R"({"type": "null"})");
    EXPECT_EQ(schema_in(dialect::openai, {{"structured_outputs", R"({"json": null, "json_object": true})"}}), any_object);
    EXPECT_EQ(notes_of(dialect::openai, {{"structured_outputs", R"({"regex": "a"})"}}),
              notes{"structured_outputs asks for regex: a grammar of it keeps a chain to it"});
    preset p(dialect::openai);
    EXPECT_TRUE(p.set("structured_outputs", R"({"grammar": "root ::= \"a\""})"));
    chain_settings s;
    EXPECT_TRUE(p.make(s));
    EXPECT_EQ(s.grammar, "root ::= \"a\"");
}

}  // namespace
