// Bad input for the stages of the field: parameters without meaning, ids that no vocabulary has, tokens that nobody
// chose, rows of nothing. An answer each time, never an abort, never an illegal token; and a chain that goes on.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/riffle.hpp>

#include "integers.hpp"
#include "reference/agreement.hpp"
#include "reference/refusal.hpp"

namespace riffle_tests::chain_bad_input_new_stages {
namespace {

using namespace riffle;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr token_id greatest_id = std::numeric_limits<token_id>::max();

/// A vocabulary smaller than most rows here.
const vocabulary& words() {
    static const vocabulary v = [] {
        vocabulary made;
        for (const char* piece : {"a", "b", "ab", "c", "abc", " a", "x"}) made.add(piece);
        made.end_of_sequence = made.add("</s>", token_role::end_of_generation | token_role::control);
        return made;
    }();
    return v;
}
std::vector<float> random_row(std::size_t size, std::uint64_t seed) {
    integers random(seed);
    std::vector<float> row(size);
    for (float& l : row) l = random.real(-3, 5);
    return row;
}
std::vector<token_data> all_candidates(const std::vector<float>& row) {
    std::vector<token_data> all;
    for (std::size_t i = 0; i < row.size(); ++i) all.push_back({token_id(i), row[i], 0.0f});
    return all;
}
template <class Stage>
constexpr bool is_selector = facts_of<Stage>().selects != selecting::no;

/// The stage in a chain that samples.
template <class Stage>
auto sampling(const Stage& stage) {
    if constexpr (is_selector<Stage>) return chain(stage);
    else return chain(stage, dist{.seed = 3});
}
template <class Stage>
dynamic_chain sampling_at_run_time(const Stage& stage) {
    dynamic_chain c;
    c.push(stage);
    if constexpr (!is_selector<Stage>) c.push(dist{.seed = 3});
    return c;
}

// --- parameters without meaning --------------------------------------------------------------------------------------

/// Refused from construction on, and when a chain breaks on its way; mended it goes on where it stood. `c` and `late`
/// are broken, mend(true) mends both and mend(false) breaks them again.
void expect_refused(chain_view c, chain_view late, chain_view whole, const std::function<void(bool)>& mend,
                    const char* sentence) {
    SCOPED_TRACE(sentence);
    const auto row = random_row(12, 2);
    const std::vector<token_id> prompt{1, 2, 1, 2, 1};

    for (chain_view broken : {c, late}) {
        EXPECT_EQ(broken.last_status().code(), status_code::invalid_parameter);
        EXPECT_STREQ(broken.last_status().message().c_str(), sentence);
        expect_every_call_refused(broken, sentence);
    }
    mend(true);
    EXPECT_TRUE(whole.last_status().ok()) << whole.last_status().message().c_str();
    for (chain_view any : {c, late, whole}) EXPECT_TRUE(any.prompt(prompt).ok());
    for (int step = 0; step < 3; ++step) {
        const token_id token = whole.sample(row);
        EXPECT_NE(token, null_token) << whole.last_status().message().c_str();
        for (chain_view mended : {c, late}) {
            EXPECT_EQ(mended.sample(row), token);
            EXPECT_TRUE(mended.last_status().ok());
        }
        mend(false);
        for (chain_view broken : {c, late}) expect_every_call_refused(broken, sentence);
        mend(true);
    }
}
template <class Stage>
void expect_refused(const Stage& bad, const Stage& good, const char* sentence) {
    auto c = sampling(bad), whole = sampling(good);
    auto late = sampling_at_run_time(bad);
    const auto mend = [&](bool mended) { get<0>(c) = *late.template get_if<Stage>(0) = mended ? good : bad; };
    expect_refused(view_of(c), view_of(late), view_of(whole), mend, sentence);
    any_pipeline hidden = sampling(bad);
    expect_every_call_refused(view_of(hidden), sentence);
}

/// What each value means is in the table of samplers/limits.hpp; here, that every kind of chain asks.
TEST(BadInputOfNewStages, AParameterWithoutMeaning) {
    expect_refused(top_a{.a = nan}, top_a{}, "top_a: a = nan is not a number");
    expect_refused(quadratic{.factor = 2e6f}, quadratic{},
                   "quadratic: factor = 2000000 is not a number between -1e6 and 1e6");
    expect_refused(no_repeat_ngram{.last_n = -2}, no_repeat_ngram{}, "no_repeat_ngram: last_n = -2 is below -1");
    expect_refused(mirostat{}, mirostat{.n_vocab = 12}, "mirostat: n_vocab = 0 is not the size of a vocabulary");
    expect_refused(infill{}, infill{.vocab = &words()}, "infill: vocab = 0 is no vocabulary");
}
TEST(BadInputOfNewStages, PhrasesWithoutAVocabulary) {
    auto c = sampling(phrase_ban{.phrases = {"ab"}});
    EXPECT_TRUE(c.accept(2).state.ok());  // accepting is no sampling: it goes on without a word
    EXPECT_EQ(c.last_step().rewind, 0);
    auto empty = sampling(phrase_ban{});  // nothing to look for
    EXPECT_NE(empty.sample(random_row(12, 3)), null_token);
}

// --- every stage, on rows that are nothing or hardly anything --------------------------------------------------------

/// Parameters with which every stage has something to do.
template <class Test>
void with_every_stage(Test test) {
    test(top_a{.a = 0.5f});
    test(tail_free{.z = 0.5f});
    test(tail_free{.z = 0.9f, .centred = true});
    test(epsilon_cutoff{.epsilon = 0.05f});
    test(eta_cutoff{.epsilon = 0.05f});
    test(quadratic{.factor = 0.5f, .curve = 2.0f});
    test(p_less{});
    test(p_less{.normalised = true});
    test(top_h{.alpha = 0.4f});
    test(top_h{.alpha = 0.4f, .renormalised = true});
    test(min_k{.tau = 1.0f});
    test(typical{.p = 0.5f});
    test(dynamic_temperature{.t = 1.0f, .range = 0.9f});
    test(xtc{.probability = 1.0f, .threshold = 0.02f});
    test(no_repeat_ngram{.n = 2});
    test(dry{.multiplier = 2.0f, .breakers = {{4}, {1, 2, 3}}});
    test(factual_nucleus{.resets = {4}});
    test(allowed_tokens{{0, 1, 2, 3, 4, 5, 6, 7, 8, 64, 200, 300}});
    test(banned_sequences{{{{1}, -1.0f}, {{2, 3}, -infinity}}});
    test(encoder_repetition{.penalty = 1.5f, .tokens = {1, 2, 300}});
    test(length_penalty{.start = 0, .factor = 1.5f, .ends = {2, 300}});
    test(min_tokens{.count = 3, .ends = {3, 300}});
    test(phrase_ban{.vocab = &words(), .phrases = {"abc"}});
    test(infill{.vocab = &words()});
    test(skew{.amount = 0.5f, .seed = 4});
    test(mirostat{.tau = 1.5f, .n_vocab = 12, .seed = 4});
    test(mirostat_v2{.tau = 1.5f, .seed = 4});
    test(adaptive_p{.target = 0.3f, .seed = 4});
}
using chain_test = void (*)(any_pipeline&, const std::string&);
void for_each_chain(chain_test test) {
    with_every_stage([test](const auto& stage) {
        using stage_type = std::remove_cvref_t<decltype(stage)>;
        const std::string name = stage_type::name;
        any_pipeline typed = sampling(stage);
        test(typed, name);
        any_pipeline late = sampling_at_run_time(stage);
        test(late, name + ", put together at run time");
        dynamic_chain behind;
        behind.push(top_k{.k = 50});
        behind.push(stage);
        if constexpr (!is_selector<stage_type>) behind.push(greedy{});
        any_pipeline narrow = behind;
        test(narrow, name + ", narrow");
    });
}

TEST(BadInputOfNewStages, EmptyRow) {
    for_each_chain([](any_pipeline& c, const std::string& what) {
        EXPECT_EQ(c.sample({}), null_token) << what;
        EXPECT_EQ(c.last_status().code(), status_code::empty_row) << what;
        EXPECT_TRUE(c.survivors().empty()) << what;
        EXPECT_TRUE(c.distribution({}).empty()) << what;
        EXPECT_EQ(c.mark().tokens, 0u) << what;
        candidates none{};
        EXPECT_EQ(c.apply(none).code(), status_code::no_legal_token) << what;
        EXPECT_EQ(none.selected, -1) << what;
        EXPECT_NE(c.sample(random_row(12, 5)), null_token) << what;
    });
}
TEST(BadInputOfNewStages, NothingLegal) {
    for_each_chain([](any_pipeline& c, const std::string& what) {
        for (const std::size_t size : {1u, 2u, 40u, 256u, 700u})
            for (const float nothing : {-infinity, nan, -nan}) {
                const std::vector<float> row(size, nothing);
                EXPECT_EQ(c.sample(row), null_token) << what;
                EXPECT_EQ(c.last_status().code(), status_code::no_legal_token) << what;
                // allowed_tokens gathers a few of many, and one that a mask hides may go unseen
                EXPECT_EQ(c.last_status().saw_nan(), nothing != nothing) << what << ", " << size;
                EXPECT_TRUE(c.survivors().empty()) << what;
                EXPECT_TRUE(c.distribution(row).empty()) << what;
                EXPECT_EQ(c.last_status().code(), status_code::no_legal_token) << what;
                auto memory = all_candidates(row);
                candidates all{memory.data(), memory.size(), -1, false};
                EXPECT_EQ(c.apply(all).code(), status_code::no_legal_token) << what << ", " << size;
                EXPECT_EQ(all.selected, -1) << what;
                EXPECT_EQ(c.mark().tokens, 0u) << what;
            }
        EXPECT_NE(c.sample(random_row(12, 5)), null_token) << what;
        EXPECT_TRUE(c.last_status().ok()) << what;
    });
}
TEST(BadInputOfNewStages, OneToken) {
    for_each_chain([](any_pipeline& c, const std::string& what) {
        for (const float logit : {0.0f, -0.0f, 5.0f, -3e38f, 3e38f, 1e-40f, infinity}) {
            EXPECT_EQ(c.peek(std::vector<float>{logit}), 0) << what << ", " << logit;
            ASSERT_EQ(c.survivors().size(), 1u) << what;
            EXPECT_EQ(c.survivors()[0].p, 1.0f) << what;
            ASSERT_EQ(c.distribution(std::vector<float>{logit}).size(), 1u) << what;
            // alone among illegal ones
            for (const std::size_t size : {2u, 300u}) {
                std::vector<float> row(size, -infinity);
                row[size / 2 == 1 ? 1 : 64] = logit;
                EXPECT_EQ(c.peek(row), size == 2 ? 1 : 64) << what << ", " << logit;
                auto memory = all_candidates(row);
                candidates all{memory.data(), memory.size(), -1, false};
                EXPECT_TRUE(c.apply(all).ok()) << what << ", " << logit;
                ASSERT_GE(all.selected, 0) << what << ", " << logit;
                EXPECT_EQ(all[std::size_t(all.selected)].id, size == 2 ? 1 : 64) << what << ", " << logit;
            }
        }
    });
}
/// Great, tiny, equal, infinite and absent logits in one row.
std::vector<float> wild_row(std::size_t size, std::uint64_t seed) {
    integers random(seed);
    std::vector<float> row(size);
    for (float& l : row) {
        l = random.any_float();
        if (random.below(3) == 0) l = random.real(-2, 2);
        if (random.below(6) == 0) l = -infinity;
    }
    return row;
}
/// Whether it may be right that a stage leaves nothing of a row with legal tokens.
bool may_ban_all(const std::string& what) {
    return what.rfind("no_repeat_ngram", 0) == 0 || what == "allowed_tokens, narrow";
}
TEST(BadInputOfNewStages, WildRowsGiveLegalTokens) {
    for_each_chain([](any_pipeline& c, const std::string& what) {
        for (const std::size_t size : {2u, 3u, 9u, 255u, 257u, 700u})
            for (std::uint64_t seed = 0; seed < 40; ++seed) {
                auto row = wild_row(size, seed);
                row[8 % size] = 0.5f;  // one is legal, for allowed_tokens too
                const token_id token = c.sample(row);
                if (token == null_token && may_ban_all(what)) {
                    EXPECT_EQ(c.last_status().code(), status_code::no_legal_token) << what;
                    continue;
                }
                ASSERT_NE(token, null_token)
                    << what << ", size " << size << ", seed " << seed << ": " << c.last_status().message().c_str();
                ASSERT_LT(std::size_t(token), size) << what;
                EXPECT_GT(row[std::size_t(token)], -infinity) << what << ", size " << size << ", seed " << seed;
                for (const auto& t : c.survivors()) EXPECT_TRUE(t.p >= 0.0f && t.p <= 1.0f) << what;
                if (const int back = c.last_step().rewind) {
                    EXPECT_TRUE(c.rewind(std::size_t(back)).ok()) << what;
                }
                double total = 0.0;
                for (const auto& t : c.distribution(row)) {
                    total += double(t.p);
                    EXPECT_GT(row[std::size_t(t.id)], -infinity) << what;
                    EXPECT_GT(t.logit, -infinity) << what;
                }
                if (total == 0.0 && may_ban_all(what)) continue;
                EXPECT_NEAR(total, 1.0, 1e-5) << what << ", size " << size << ", seed " << seed;
                auto memory = all_candidates(row);
                candidates all{memory.data(), memory.size(), -1, false};
                const token_id expected = c.peek(row);
                EXPECT_TRUE(c.apply(all).ok()) << what << ", size " << size << ", seed " << seed;
                ASSERT_GE(all.selected, 0) << what;
                EXPECT_EQ(all[std::size_t(all.selected)].id, expected)
                    << what << ", size " << size << ", seed " << seed << ": row and candidates differ";
            }
    });
}
TEST(BadInputOfNewStages, InfinityEverywhere) {
    for_each_chain([](any_pipeline& c, const std::string& what) {
        for (const std::size_t size : {2u, 9u, 700u}) {
            EXPECT_NE(c.peek(std::vector<float>(size, infinity)), null_token) << what << ", " << size;
            EXPECT_TRUE(c.last_status().ok()) << what;
            EXPECT_TRUE(c.last_status().saw_infinity()) << what;
        }
    });
}

/// The cut of min_k depends on the gaps between all legal logits, those between tokens that weigh nothing too.
TEST(BadInputOfNewStages, MinKSeesTheGapBehindWhatWeighs) {
    const std::vector<float> row{30.0f, 29.0f, 0.0f};  // gaps 1 and 29 / 2: the cliff is behind the second
    auto wide = min_k{.tau = 0.0f} | greedy{};
    wide.peek(row);
    EXPECT_EQ(wide.survivors().size(), 2u);
    auto memory = all_candidates(row);
    candidates all{memory.data(), memory.size(), -1, false};
    auto narrow = chain(min_k{.tau = 0.0f});
    narrow.apply(all);
    EXPECT_EQ(all.size, 2u);
}
/// A row that lies under -3e38 is a row like any other.
TEST(BadInputOfNewStages, RowsOfTheLeastLogits) {
    for_each_chain([](any_pipeline& c, const std::string& what) {
        for (const float least : {std::numeric_limits<float>::lowest(), -3.1e38f})
            for (const std::size_t size : {1u, 2u, 9u, 300u, 700u}) {
                const std::vector<float> row(size, least);
                const token_id token = c.peek(row);
                EXPECT_NE(token, null_token) << what << ", " << size;
                auto memory = all_candidates(row);
                candidates all{memory.data(), memory.size(), -1, false};
                EXPECT_TRUE(c.apply(all).ok()) << what << ", " << size;
                if (all.selected >= 0) {
                    EXPECT_EQ(all[std::size_t(all.selected)].id, token) << what << ", " << size;
                }
            }
    });
}

// --- ids that no vocabulary has --------------------------------------------------------------------------------------

/// Two stages that must be alike, in front of a few rows and with the same history.
void expect_alike(chain_view first, chain_view second, chain_view late, const char* what) {
    for (int step = 0; step < 30; ++step) {
        const auto row = random_row(step % 3 == 0 ? 12 : 300, std::uint64_t(step));
        const token_id token = first.sample(row);
        EXPECT_NE(token, null_token) << what << ": " << first.last_status().message().c_str();
        EXPECT_EQ(second.sample(row), token) << what << ", step " << step;
        EXPECT_EQ(late.sample(row), token) << what << ", step " << step;
        auto memory = all_candidates(row);
        candidates all{memory.data(), memory.size(), -1, false};
        const token_id peeked = first.peek(row);
        EXPECT_TRUE(first.apply(all).ok()) << what;
        EXPECT_EQ(all[std::size_t(all.selected)].id, peeked) << what << ", step " << step;
    }
}
template <class Stage>
void expect_alike(const Stage& one, const Stage& other, const char* what) {
    auto first = sampling(one), second = sampling(other);
    auto late = sampling_at_run_time(one);
    expect_alike(view_of(first), view_of(second), view_of(late), what);
}
constexpr token_id far_away = 1 << 24;

TEST(BadInputOfNewStages, IdsOutsideTheVocabulary) {
    const token_set few{1, 2, 7}, and_others{1, 2, 7, -1, -greatest_id, 5000, far_away};
    expect_alike(allowed_tokens{and_others}, allowed_tokens{few}, "allowed_tokens");
    expect_alike(encoder_repetition{3.0f, and_others}, encoder_repetition{3.0f, few}, "encoder_repetition");
    expect_alike(length_penalty{2, 1.5f, and_others}, length_penalty{2, 1.5f, few}, "length_penalty");
    expect_alike(min_tokens{20, and_others}, min_tokens{20, few}, "min_tokens");
    expect_alike(factual_nucleus{.resets = and_others}, factual_nucleus{.resets = few}, "factual_nucleus");
    expect_alike(banned_sequences{{{{1}, -infinity},
                                   {{-1}, -infinity},
                                   {{greatest_id}, 1.0f},
                                   {{5000}, infinity},
                                   {{2, -7}, 1.0f},
                                   {{-3, 2}, -infinity},
                                   {{greatest_id, 2}, -infinity},
                                   {{}, -infinity}}},
                 banned_sequences{{{{1}, -infinity}}}, "banned_sequences");
    expect_alike(
        dry{.multiplier = 3.0f, .allowed_length = 1, .breakers = {{1, 2}, {-1}, {-4, 2}, {greatest_id}, {1, 9999}, {}}},
        dry{.multiplier = 3.0f, .allowed_length = 1, .breakers = {{1, 2}}}, "dry");
}
TEST(BadInputOfNewStages, OnlyIdsOutsideTheVocabulary) {
    auto c = sampling(allowed_tokens{{-1, 5000, far_away}});
    auto none = sampling(allowed_tokens{});
    for (const std::size_t size : {1u, 12u, 300u}) {
        EXPECT_EQ(c.sample(random_row(size, 1)), null_token);
        EXPECT_EQ(c.last_status().code(), status_code::no_legal_token);
        EXPECT_EQ(none.sample(random_row(size, 1)), null_token);
        EXPECT_EQ(none.last_status().code(), status_code::no_legal_token);
    }
    get<allowed_tokens>(c).tokens.add(4);
    EXPECT_EQ(c.sample(random_row(12, 1)), 4);
}
/// A chain of every kind, set up for a vocabulary of 300 tokens, names the id that is in none; a greater one has it.
template <class Stage>
void expect_named(const Stage& stage, const char* sentence, bool greater_one_has_it = true) {
    auto typed = sampling(stage);
    auto late = sampling_at_run_time(stage);
    any_pipeline any = typed;
    const status found[] = {typed.check(300), late.check(300), any.check(300)};
    for (const status& s : found) {
        EXPECT_EQ(s.code(), status_code::invalid_parameter);
        EXPECT_STREQ(s.message().c_str(), sentence);
    }
    EXPECT_EQ(typed.check(10000).ok(), greater_one_has_it) << sentence;
    EXPECT_EQ(late.check(10000).ok(), greater_one_has_it) << sentence;
    EXPECT_NE(typed.sample(random_row(300, 1)), null_token) << "a step ignores it: " << sentence;
}
TEST(BadInputOfNewStages, IdsOutsideTheVocabularyAreNamed) {
    expect_named(logit_bias{{{1, 2.0f}, {300, 1.0f}}}, "logit_bias: token = 300 is outside the vocabulary");
    expect_named(logit_bias{{{-7, 1.0f}}}, "logit_bias: token = -7 is outside the vocabulary", false);
    expect_named(allowed_tokens{{1, 5000}}, "allowed_tokens: tokens = 5000 is outside the vocabulary");
    expect_named(allowed_tokens{{1, -1}}, "allowed_tokens: tokens = -1 is outside the vocabulary", false);
    expect_named(encoder_repetition{2.0f, {300}}, "encoder_repetition: tokens = 300 is outside the vocabulary");
    expect_named(length_penalty{2, 1.5f, {4, 301}}, "length_penalty: ends = 301 is outside the vocabulary");
    expect_named(min_tokens{2, {9999, 302}}, "min_tokens: ends = 302 is outside the vocabulary");
    expect_named(factual_nucleus{.resets = {303}}, "factual_nucleus: resets = 303 is outside the vocabulary");
    expect_named(banned_sequences{{{{1}}, {}, {{2, 304, 3}}}},
                 "banned_sequences: tokens = 304 is outside the vocabulary");
    expect_named(dry{.multiplier = 1.0f, .breakers = {{1}, {2, greatest_id}}},
                 "dry: breakers = 2147483647 is outside the vocabulary", false);
}
TEST(BadInputOfNewStages, AChainIsSoundForItsVocabulary) {
    const logit_bias last{{{299, 1.0f}}};
    const dry breaks{.multiplier = 1.0f, .breakers = {{0}, {299, 1}}};
    EXPECT_TRUE(chain(last, allowed_tokens{{0, 299}}, breaks, dist{}).check(300).ok());
    EXPECT_TRUE(chain(top_k{}, dist{}).check(0).ok());
    EXPECT_TRUE(dynamic_chain().check(0).ok());
    // The first complaint in the order of stages; of parameters ahead of that of ids.
    EXPECT_STREQ(chain(last, min_tokens{1, {400}}, dist{}).check(10).message().c_str(),
                 "logit_bias: token = 299 is outside the vocabulary");
    EXPECT_STREQ(chain(last, top_p{.p = std::numeric_limits<float>::quiet_NaN()}, dist{}).check(10).message().c_str(),
                 "top_p: p = nan is not a number");
    // Legal, and hardly meant: no step minds it.
    auto negative = top_p{.p = -0.5f} | dist{};
    EXPECT_STREQ(negative.check(10).message().c_str(), "top_p: p = -0.5 is below 0, so it keeps one token");
    EXPECT_TRUE(negative.try_sample(std::vector<float>{1.0f, 2.0f}));
    EXPECT_FALSE(chain(typical{.p = -1.0f}, dist{}).check(10));
    EXPECT_FALSE(chain(tail_free{.z = -1.0f}, dist{}).check(10));
    EXPECT_FALSE(chain(top_h{.alpha = -1.0f}, dist{}).check(10));
    EXPECT_STREQ(chain(factual_nucleus{.p_min = -1.0f}, dist{}).check(10).message().c_str(),
                 "factual_nucleus: p_min = -1 is below 0, so it keeps one token");
    EXPECT_TRUE(chain(top_p{.p = 0.0f}, min_p{.p = -1.0f}, dist{}).check(10));  // off, as llama.cpp has it
    dynamic_chain malformed;
    malformed.push(greedy{});
    malformed.push(last);
    EXPECT_EQ(malformed.check(10).code(), status_code::chain_malformed);
}
TEST(BadInputOfNewStages, TokensThatNoVocabularyHasAreAcceptedAndDoNoHarm) {
    for_each_chain([](any_pipeline& c, const std::string& what) {
        EXPECT_TRUE(c.prompt(std::vector<token_id>{0, 1, greatest_id, 300, 1}).ok()) << what;
        for (const token_id token : {2000000000, 0, greatest_id, 300, 0, greatest_id}) {
            const std::size_t before = c.mark().tokens;
            c.accept(token);
            EXPECT_EQ(c.mark().tokens, before + 1) << what;
        }
        for (const token_id token : {null_token, -greatest_id})
            EXPECT_EQ(c.accept(token).state.code(), status_code::not_a_token) << what;
        const auto row = random_row(300, 8);
        const token_id token = c.sample(row);
        EXPECT_NE(token, null_token) << what << ": " << c.last_status().message().c_str();
        EXPECT_LT(token, 300) << what;
        std::vector<token_data> memory{{greatest_id, 1.0f, 0.0f}, {0, 1.5f, 0.0f},  {greatest_id - 1, 0.5f, 0.0f},
                                       {1 << 30, 1.0f, 0.0f},     {64, 2.0f, 0.0f}, {8, 2.0f, 0.0f}};
        candidates all{memory.data(), memory.size(), -1, false};
        EXPECT_TRUE(c.apply(all).ok()) << what << ": " << c.last_status().message().c_str();
        EXPECT_GE(all.selected, 0) << what;
    });
}
/// Where nothing is likely enough infill ends the text: but not with a token that is masked, or in no row.
TEST(BadInputOfNewStages, InfillNeverChoosesAnIllegalEnd) {
    vocabulary v;
    for (const char* piece : {"p", "q", "r", "s", "t", "u", "v"}) v.add(piece);
    v.add("</s>", token_role::end_of_generation);
    std::vector<float> row(8, 0.0f);  // none of seven holds a fifth
    row[7] = -infinity;
    for (const token_id end : {7, 5000, greatest_id}) {
        v.end_of_sequence = end;
        auto c = sampling(infill{.vocab = &v});
        const token_id token = c.sample(row);
        if (token == null_token) continue;
        EXPECT_LT(token, 8) << "not in the row";
        if (token < 8) {
            EXPECT_GT(row[std::size_t(token)], -infinity) << "a masked token";
        }
    }
}

// --- dry and its breakers --------------------------------------------------------------------------------------------

TEST(BadInputOfNewStages, ABreakerLongerThanTheHistory) {
    const dry plain{.multiplier = 5.0f, .allowed_length = 1};
    dry broken = plain;
    broken.breakers = {{1, 2, 1, 2, 1, 2, 1, 2}, {2, 2, 2, 2, 2, 2}};
    auto one = broken | greedy{}, other = plain | greedy{};
    const std::vector<float> for_1{0.0f, 2.0f, 1.5f, 1.0f}, for_2{0.0f, 1.5f, 2.0f, 1.0f};
    for (const token_id token : {1, 2, 1, 2, 1, 2, 1}) {
        EXPECT_EQ(one.peek(for_1), other.peek(for_1));
        EXPECT_EQ(one.peek(for_2), other.peek(for_2));
        one.accept(token);
        other.accept(token);
    }
    EXPECT_EQ(other.peek(for_2), 1);  // 2 would repeat
    EXPECT_EQ(one.peek(for_2), 1);    // and the breaker does not stand there yet
    one.accept(2);
    other.accept(2);
    EXPECT_EQ(other.peek(for_1), 2);  // 1 would repeat
    EXPECT_EQ(one.peek(for_1), 1);    // but now the breaker ends the text, and nothing stands behind it
}
TEST(BadInputOfNewStages, BreakersInWindowsOfEverySize) {
    for (std::int32_t last_n = 0; last_n <= 9; ++last_n) {
        auto c = dry{.multiplier = 5.0f, .allowed_length = 0, .last_n = last_n, .breakers = {{3, 1, 2, 3, 1, 2}, {9}}} |
                 dist{.seed = 1};
        for (int step = 0; step < 40; ++step) {
            EXPECT_NE(c.peek(random_row(12, std::uint64_t(step))), null_token);
            c.accept(token_id(1 + step % 3));
        }
    }
}

// --- tokens that were never candidates -------------------------------------------------------------------------------

template <class Selector>
void expect_learns_from_its_own_choices_alone(const Selector& selector) {
    const std::string name = Selector::name;
    std::vector<float> row = random_row(12, 9);
    row[11] = -infinity;  // never a candidate
    const auto softmax_of = [&](auto& c) {
        const auto distribution = c.distribution(row);
        return std::vector<token_data>(distribution.begin(), distribution.end());
    };
    const auto alike = [](const std::vector<token_data>& a, const std::vector<token_data>& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const token_data& x, const token_data& y) {
            return x.id == y.id && x.logit == y.logit && x.p == y.p;
        });
    };
    for (any_pipeline c : {any_pipeline(chain(selector)), any_pipeline(top_k{.k = 8} | selector),
                           any_pipeline(sampling_at_run_time(selector))}) {
        const auto expect_not_learnt = [&](token_id token, const char* when) {
            const auto before = softmax_of(c);
            c.peek(row);
            const auto accepted = c.mark().tokens;
            const step s = c.accept(token);
            EXPECT_EQ(s.state.code(), status_code::invalid_parameter) << when;
            EXPECT_EQ(std::string(s.state.message().c_str()),
                      name + ": token = " + std::to_string(token) + " is not what it chose last, so it learnt nothing")
                << when;
            EXPECT_EQ(c.last_step().state.code(), status_code::invalid_parameter) << when;
            EXPECT_EQ(c.mark().tokens, accepted + 1) << when;
            EXPECT_TRUE(alike(softmax_of(c), before)) << when;
        };
        expect_not_learnt(11, "an illegal token");
        expect_not_learnt(5000, "a token outside the row");
        const token_id chosen = c.peek(row);
        expect_not_learnt(chosen == 0 ? 1 : 0, "another candidate");
        // its own choice it learns from, without a word
        const auto before = softmax_of(c);
        const token_id token = c.sample(row);
        EXPECT_NE(token, null_token);
        EXPECT_TRUE(c.last_status().ok());
        EXPECT_TRUE(c.last_step().state.ok());
        EXPECT_FALSE(alike(softmax_of(c), before));
        // nothing chosen since: the same token once more is not its choice either
        EXPECT_EQ(c.accept(token).state.code(), status_code::invalid_parameter);
        EXPECT_EQ(c.last_step().rewind, 0);
        // a prompt says nothing about its choices
        EXPECT_TRUE(c.prompt(std::vector<token_id>{11, 3, 5000}).ok());
        c.reset();
        EXPECT_EQ(c.accept(3).state.code(), status_code::invalid_parameter);
        EXPECT_NE(c.sample(row), null_token);
        EXPECT_TRUE(c.last_step().state.ok());
    }
}
TEST(BadInputOfNewStages, TokensThatWereNeverCandidates) {
    expect_learns_from_its_own_choices_alone(mirostat_v2{.tau = 1.5f, .eta = 0.5f, .seed = 5});
    expect_learns_from_its_own_choices_alone(mirostat{.tau = 1.5f, .eta = 0.5f, .n_vocab = 12, .seed = 5});
    expect_learns_from_its_own_choices_alone(adaptive_p{.target = 0.3f, .decay = 0.5f, .seed = 5});
}
TEST(BadInputOfNewStages, WithoutATargetThereIsNothingToLearn) {
    auto c = chain(adaptive_p{.seed = 5});
    c.peek(random_row(12, 9));
    EXPECT_TRUE(c.accept(5000).state.ok());
}

}  // namespace
}  // namespace riffle_tests::chain_bad_input_new_stages
