// What settings become: the stages of a chain, with every parameter where it belongs.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "integers.hpp"
#include "settings/built.hpp"

namespace riffle_tests {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

std::vector<float> row_at(std::uint64_t step) {
    integers random(step);
    std::vector<float> row(500);
    for (float& logit : row) logit = random.real(-3, 3) + random.real(-3, 3);
    return row;
}
template <class A, class B>
void expect_same_tokens(A a, B b) {
    for (std::uint64_t step = 0; step < 60; ++step) ASSERT_EQ(a.sample(row_at(step)), b.sample(row_at(step))) << step;
}

/// The stage of a type, of which there is one.
template <class S, class Chain>
S stage_in(Chain&& c) {
    for (std::size_t i = 0; i < c.view().size(); ++i)
        if (const S* found = c.template get_if<S>(i)) return *found;
    ADD_FAILURE() << "there is no " << S::name;
    return S{};
}
template <class S>
S stage_of(const std::string& words, const vocabulary* vocab = nullptr) {
    return stage_in<S>(built(words, vocab));
}

TEST(SettingsChain, OfTheExampleIsTheTypedOne) {
    const std::string example = "top_k=40;top_p=0.95;temp=0.8";
    const auto typed = top_k{.k = 40} | top_p{.p = 0.95f} | temperature{.t = 0.8f} | dist{.seed = 0};
    expect_same_tokens(built(example), typed);
    expect_same_tokens(built<exact_chain>(example), with<llama_exact>(typed));
    expect_same_tokens(built(example + ";seed=42"),
                       chain(top_k{.k = 40}, top_p{.p = 0.95f}, temperature{.t = 0.8f}, dist{.seed = 42}));
    EXPECT_EQ(stages_of(built(example)), stages_of(typed));
}
TEST(SettingsChain, OfNothingIsLlamasDefault) {
    const auto typed =
        chain(penalties{.last_n = 64, .repeat = 1.0f, .frequency = 0.0f, .presence = 0.0f},
              dry{.multiplier = 0.0f, .base = 1.75f, .allowed_length = 2, .last_n = 64, .breakers = {}},
              top_n_sigma{.n = -1.0f}, top_k{.k = 40}, typical{.p = 1.0f}, top_p{.p = 0.95f}, min_p{.p = 0.05f},
              xtc{.probability = 0.0f, .threshold = 0.1f}, temperature{.t = 0.8f}, dist{.seed = 0});
    EXPECT_EQ(stages_of(built("")), stages_of(typed));
    expect_same_tokens(built(""), typed);
    expect_same_tokens(built<exact_chain>(""), with<llama_exact>(typed));
    auto c = built("");
    EXPECT_EQ(stage_in<penalties>(c).last_n, 64);
    EXPECT_EQ(stage_in<dry>(c).multiplier, 0.0f);
    EXPECT_EQ(stage_in<dry>(c).base, 1.75f);
    EXPECT_EQ(stage_in<dry>(c).last_n, 64);
    EXPECT_EQ(stage_in<top_n_sigma>(c).n, -1.0f);
    EXPECT_EQ(stage_in<top_k>(c).k, 40);
    EXPECT_EQ(stage_in<typical>(c).p, 1.0f);
    EXPECT_EQ(stage_in<top_p>(c).p, 0.95f);
    EXPECT_EQ(stage_in<min_p>(c).p, 0.05f);
    EXPECT_EQ(stage_in<xtc>(c).probability, 0.0f);
    EXPECT_EQ(stage_in<xtc>(c).threshold, 0.1f);
    EXPECT_EQ(stage_in<temperature>(c).t, 0.8f);
    EXPECT_EQ(stage_in<dist>(c).seed, 0u);
}

TEST(SettingsChain, EveryParameterReachesItsStage) {
    EXPECT_EQ(stage_of<top_k>("top_k=7").k, 7);
    EXPECT_EQ(stage_of<top_p>("top_p=0.25").p, 0.25f);
    EXPECT_EQ(stage_of<min_p>("min_p=0.25").p, 0.25f);
    EXPECT_EQ(stage_of<typical>("typ_p=0.25").p, 0.25f);
    EXPECT_EQ(stage_of<typical>("typical=0.25").p, 0.25f);
    EXPECT_EQ(stage_of<top_n_sigma>("top_n_sigma=1.5").n, 1.5f);
    EXPECT_EQ(stage_of<temperature>("temp=0.25").t, 0.25f);
    EXPECT_EQ(stage_of<temperature>("temperature=0.25").t, 0.25f);

    const auto excluding = stage_of<xtc>("xtc_probability=0.25;xtc_threshold=0.2;seed=9;min_keep=3");
    EXPECT_EQ(excluding.probability, 0.25f);
    EXPECT_EQ(excluding.threshold, 0.2f);
    EXPECT_EQ(excluding.seed, 9u);
    EXPECT_EQ(excluding.min_keep, 3u);
    EXPECT_EQ(stage_of<top_p>("top_p=0.25;min_keep=3").min_keep, 3u);
    EXPECT_EQ(stage_of<min_p>("min_p=0.25;min_keep=3").min_keep, 3u);
    EXPECT_EQ(stage_of<typical>("typ_p=0.25;min_keep=3").min_keep, 3u);
    EXPECT_EQ(stage_of<min_p>("min_p=0.25;min_keep=-3").min_keep, 0u);

    const auto varied = stage_of<dynamic_temperature>("temp=0.75;dynatemp_range=0.5;dynatemp_exponent=2");
    EXPECT_EQ(varied.t, 0.75f);
    EXPECT_EQ(varied.range, 0.5f);
    EXPECT_EQ(varied.exponent, 2.0f);
    EXPECT_EQ(stage_of<dynamic_temperature>("dynatemp_range=0.5;dynatemp_exp=3").exponent, 3.0f);

    for (const std::string words : {"penalty_last_n=9;penalty_repeat=1.5;penalty_freq=0.25;penalty_present=0.5",
                                    "repeat_last_n=9;repeat_penalty=1.5;frequency_penalty=0.25;presence_penalty=0.5"}) {
        const auto repeated = stage_of<penalties>(words);
        EXPECT_EQ(repeated.last_n, 9);
        EXPECT_EQ(repeated.repeat, 1.5f);
        EXPECT_EQ(repeated.frequency, 0.25f);
        EXPECT_EQ(repeated.presence, 0.5f);
    }
    const auto repeating =
        stage_of<dry>("dry_multiplier=0.5;dry_base=2;dry_allowed_length=3;dry_penalty_last_n=32", &small_vocabulary());
    EXPECT_EQ(repeating.multiplier, 0.5f);
    EXPECT_EQ(repeating.base, 2.0f);
    EXPECT_EQ(repeating.allowed_length, 3);
    EXPECT_EQ(repeating.last_n, 32);

    const auto adaptive = stage_of<adaptive_p>("adaptive_target=0.25;adaptive_decay=0.5;seed=9");
    EXPECT_EQ(adaptive.target, 0.25f);
    EXPECT_EQ(adaptive.decay, 0.5f);
    EXPECT_EQ(adaptive.seed, 9u);

    EXPECT_EQ(stage_of<top_a>("top_a=0.5").a, 0.5f);
    EXPECT_EQ(stage_of<soft_cap>("soft_cap=20").cap, 20.0f);
    EXPECT_EQ(stages_of("tail_free=0.5"), (names{"tail_free", "dist"}));
    EXPECT_EQ(stages_of("tfs=0.5"), (names{"tail_free", "dist"}));
    EXPECT_EQ(stages_of("epsilon_cutoff=0.001;eta_cutoff=0.001;top_h=0.5;min_k=2;quadratic=0.1;no_repeat_ngram=4"),
              (names{"epsilon_cutoff", "eta_cutoff", "top_h", "min_k", "quadratic", "no_repeat_ngram", "dist"}));
    EXPECT_EQ(stage_of<dist>("seed=9").seed, 9u);
    EXPECT_EQ(stage_of<gumbel>("gumbel;seed=9").seed, 9u);
}
/// A name's alias is one of its parameter's too: top-k=5 as well as samplers=top-k.
TEST(SettingsChain, AliasesTakeValues) {
    for (const std::string alias : {"top_k", "top-k", "topk", "TOP_K"}) EXPECT_EQ(stage_of<top_k>(alias + "=7").k, 7);
    for (const std::string alias : {"top_p", "top-p", "topp", "nucleus"})
        EXPECT_EQ(stage_of<top_p>(alias + "=0.5").p, 0.5f);
    for (const std::string alias : {"min_p", "min-p", "minp"}) EXPECT_EQ(stage_of<min_p>(alias + "=0.5").p, 0.5f);
    for (const std::string alias : {"typ_p", "typ-p", "typp", "typ", "typical"})
        EXPECT_EQ(stage_of<typical>(alias + "=0.5").p, 0.5f);
    for (const std::string alias : {"temp", "temperature", "Temperature"})
        EXPECT_EQ(stage_of<temperature>(alias + "=0.5").t, 0.5f);
    for (const std::string alias : {"top_n_sigma", "top-n-sigma", "topnsigma"})
        EXPECT_EQ(stage_of<top_n_sigma>(alias + "=0.5").n, 0.5f);
}

TEST(SettingsChain, MirostatIgnoresTheList) {
    const std::string rest = ";top_k=5;min_p=0.1;temp=0.5;mirostat_tau=3;mirostat_eta=0.25;seed=9;n_vocab=500";
    EXPECT_EQ(stages_of("mirostat=1" + rest), (names{"temperature", "mirostat"}));
    EXPECT_EQ(stages_of("mirostat=2" + rest), (names{"temperature", "mirostat_v2"}));
    EXPECT_EQ(stages_of("mirostat=0" + rest), (names{"top_k", "min_p", "temperature", "dist"}));
    EXPECT_EQ(stages_of("mirostat=2;logit_bias=3-1"), (names{"logit_bias", "temperature", "mirostat_v2"}));
    EXPECT_EQ(stages_of("mirostat=2;dynatemp_range=0.5"), (names{"temperature", "mirostat_v2"}));
    const auto first = stage_of<mirostat>("mirostat=1" + rest);
    EXPECT_EQ(first.tau, 3.0f);
    EXPECT_EQ(first.eta, 0.25f);
    EXPECT_EQ(first.m, 100);
    EXPECT_EQ(first.n_vocab, 500);
    EXPECT_EQ(first.seed, 9u);
    EXPECT_EQ(stage_of<mirostat>("mirostat=1", &small_vocabulary()).n_vocab, 9);
    const auto second = stage_of<mirostat_v2>("mirostat=2;mirostat_ent=3;mirostat_lr=0.25;seed=9");
    EXPECT_EQ(second.tau, 3.0f);
    EXPECT_EQ(second.eta, 0.25f);
    EXPECT_EQ(second.seed, 9u);
    dynamic_chain c, without;
    EXPECT_EQ(read("mirostat=3").build(c).code(), status_code::invalid_parameter);
    EXPECT_EQ(c.sample(row_at(0)), null_token);
    EXPECT_EQ(read("mirostat=1").build(without).code(), status_code::invalid_parameter);  // of how many tokens?
}
TEST(SettingsChain, AdaptivePEndsItWhereverItIsNamed) {
    EXPECT_EQ(stages_of("samplers=adaptive_p,top_k"), (names{"top_k", "adaptive_p"}));
    EXPECT_EQ(stages_of("samplers=top_k,adaptive_p,temp"), (names{"top_k", "temperature", "adaptive_p"}));
    EXPECT_EQ(stages_of("adaptive_target=0.3;min_p=0.05"), (names{"min_p", "adaptive_p"}));
}
TEST(SettingsChain, DisabledSamplersDoNothing) {
    expect_same_tokens(
        built("top_k=0;top_p=1;min_p=0;typ_p=1;temp=1;xtc_probability=0;top_n_sigma=-1;penalty_repeat=1"),
        chain(dist{}));
}

TEST(SettingsChain, BiasesComeFirst) {
    EXPECT_EQ(stages_of("top_k=5;logit_bias=3+2"), (names{"logit_bias", "top_k", "dist"}));
    const auto all = stage_of<logit_bias>("logit_bias=3+2,4-inf;suppress=6,7;ignore_eos", &small_vocabulary());
    ASSERT_EQ(all.biases.size(), 6u);
    EXPECT_EQ(all.biases[0].token, 3);
    EXPECT_EQ(all.biases[0].bias, 2.0f);
    EXPECT_EQ(all.biases[1].bias, -infinity);
    EXPECT_EQ(all.biases[2].token, 6);
    EXPECT_EQ(all.biases[2].bias, -infinity);
    EXPECT_EQ(all.biases[4].token, 7);  // </s> and <end>
    EXPECT_EQ(all.biases[5].token, 8);
    EXPECT_EQ(all.biases[5].bias, -infinity);
    auto c = built("suppress=1;greedy");
    EXPECT_EQ(c.sample(std::vector<float>{1.0f, 3.0f, 2.0f}), 2);
    auto biased = built<exact_chain>("logit_bias=0+5;greedy");
    EXPECT_EQ(biased.sample(std::vector<float>{1.0f, 3.0f, 2.0f}), 0);
    EXPECT_EQ(stages_of("ignore_eos=0"), stages_of(""));
}
TEST(SettingsChain, WhatNeedsAVocabularySaysSo) {
    for (const std::string words : {"ignore_eos", "ignore_eos=1", "samplers=infill", "dry_multiplier=0.5"}) {
        dynamic_chain c;
        const status made = read(words).build(c);
        EXPECT_EQ(made.code(), status_code::invalid_parameter) << words;
        EXPECT_NE(std::string(made.message().c_str()).find("vocab"), std::string::npos) << made.message().c_str();
        EXPECT_EQ(c.sample(std::vector<float>{1.0f, 2.0f}), null_token) << words;  // not half of what was asked for
        dynamic_chain with_one;
        EXPECT_TRUE(read(words).build(with_one, &small_vocabulary()).ok()) << words;
        exact_chain exact_one;
        EXPECT_TRUE(read(words).build(exact_one, &small_vocabulary()).ok()) << words;
    }
    EXPECT_EQ(stage_of<infill>("infill", &small_vocabulary()).vocab, &small_vocabulary());
    EXPECT_EQ(stages_of("dry_multiplier=0"), (names{"dry", "dist"}));  // off: needs none
}
TEST(SettingsChain, NaNIsAnErrorWhereverItStands) {
    for (const std::string words : {"dynatemp_range=nan", "temp=nan", "top_p=nan", "mirostat=2;mirostat_tau=nan"}) {
        dynamic_chain c;
        EXPECT_EQ(read(words).build(c).code(), status_code::invalid_parameter) << words;
        EXPECT_EQ(c.sample(std::vector<float>{1.0f, 2.0f}), null_token) << words;
    }
    chain_settings s;
    EXPECT_FALSE(s.read(text("sampler_seq=k\0t", 15))) << "no sampler has the letter NUL";
}
TEST(SettingsChain, BreakersOfDry) {
    const auto by_vocabulary = stage_of<dry>("dry_multiplier=0.5", &small_vocabulary());
    for (const token_id breaker : {2, 4, 6}) EXPECT_TRUE(by_vocabulary.breakers.contains_alone(breaker)) << breaker;
    EXPECT_FALSE(by_vocabulary.breakers.contains_alone(0));
    chain_settings s = read("dry_multiplier=0.5");
    s.dry_breakers = {"ab"};
    const auto own = stage_in<dry>(built_of(s, &small_vocabulary()));
    EXPECT_TRUE(own.breakers.contains_alone(5));
    EXPECT_EQ(own.breakers.size(), 2u);  // abc, and a with b behind it
    const auto said = stage_of<dry>("dry_multiplier=0.5;dry_sequence_breaker=ab", &small_vocabulary());
    EXPECT_EQ(said.breakers.size(), 2u);
    EXPECT_TRUE(said.breakers.contains_alone(5));
    s.dry_breaker_tokens = token_sequences{{1}, {2, 3}};
    const auto as_tokens = stage_in<dry>(built_of(s));  // no vocabulary
    EXPECT_EQ(as_tokens.breakers.size(), 2u);
    EXPECT_TRUE(as_tokens.breakers.contains_alone(1));
    s.dry_breaker_tokens = {};
    s.dry_breakers.clear();
    EXPECT_TRUE(stage_in<dry>(built_of(s)).breakers.empty());
}

TEST(SettingsChain, GoesBehindTheStagesThatAreThere) {
    dynamic_chain c;
    ASSERT_TRUE(c.push(soft_cap{.cap = 20.0f}).ok());
    ASSERT_TRUE(read("top_k=5").build(c).ok());
    EXPECT_EQ(stages_of(c), (names{"soft_cap", "top_k", "dist"}));
    EXPECT_EQ(read("top_k=5").build(c).code(), status_code::chain_malformed);  // behind a selector
}
TEST(SettingsChain, NamesTheFirstThatIsWrong) {
    dynamic_chain c;
    const status made = read("top_p=nan;temp=nan").build(c);
    EXPECT_EQ(made.code(), status_code::invalid_parameter);
    EXPECT_NE(std::string(made.message().c_str()).find("top_p"), std::string::npos) << made.message().c_str();
    EXPECT_EQ(c.sample(row_at(0)), null_token);
}
TEST(SettingsChain, BuildsWithEitherPolicies) {
    for (const std::string words :
         {"", "top_k=40;top_p=0.95;temp=0.8", "typ_p=0.9", "mirostat=2", "adaptive_target=0.3",
          "top_n_sigma=1;temp=0.9", "xtc_probability=0.5;xtc_threshold=0.05", "dynatemp_range=0.5",
          "penalty_repeat=1.2;penalty_freq=0.1", "top_a=0.1;temp=0.9", "greedy", "gumbel",
          "dry_multiplier=0.8;infill"}) {
        SCOPED_TRACE(words);
        auto sane = built(words, &small_vocabulary());
        auto as_peer = built<exact_chain>(words, &small_vocabulary());
        auto quick = built<basic_dynamic_chain<fast>>(words, &small_vocabulary());
        EXPECT_EQ(stages_of(sane), stages_of(as_peer));
        const std::vector<float> row{1.0f, 3.0f, 2.0f, -1.0f, 0.0f, 0.5f, 0.25f, 1.5f, 2.5f};
        for (int i = 0; i < 20; ++i) {
            EXPECT_NE(sane.sample(row), null_token);
            EXPECT_NE(as_peer.sample(row), null_token) << as_peer.last_status().message().c_str();
            EXPECT_NE(quick.sample(row), null_token);
        }
    }
}

}  // namespace
}  // namespace riffle_tests
