// Tokens straight from contexts, with grammars outside of the chain, with llama.cpp's samplers inside of it, and with
// the settings of a model: on the real library.
#include <cstdint>
#include <cstring>
#include <llama.h>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/llama.hpp>

#include "llama/contexts.hpp"

namespace riffle_tests::llama_sampling {
namespace {

using namespace riffle;

constexpr int steps = 40;
constexpr std::uint32_t seed = 77;

const llama_vocab* vocab() { return llama_model_get_vocab(random_model()); }

/// llama.cpp's chain of the same samplers.
sampler_owner peers(bool penalise = false) {
    sampler_owner chain(llama_sampler_chain_init(llama_sampler_chain_default_params()));
    if (penalise) llama_sampler_chain_add(chain.get(), llama_sampler_init_penalties(4096, 64, 1.2f, 0.0f, 0.1f));
    llama_sampler_chain_add(chain.get(), llama_sampler_init_top_k(40));
    llama_sampler_chain_add(chain.get(), llama_sampler_init_top_p(0.95f, 1));
    llama_sampler_chain_add(chain.get(), llama_sampler_init_temp(0.8f));
    llama_sampler_chain_add(chain.get(), llama_sampler_init_dist(seed));
    return chain;
}
auto ours() {
    return chain<llama_exact>(top_k{40}, top_p{.p = 0.95f, .min_keep = 1}, temperature{0.8f}, dist{.seed = seed});
}

/// Calls sample(context, index) for every token of a text, which goes on with what it answers.
template <class Sample>
std::vector<token_id> text_of(Sample sample, int length = steps) {
    const context_owner context = new_context();
    line text(context.get(), 0, 5);
    std::vector<token_id> tokens;
    for (int i = 0; i < length; ++i) {
        text.step();
        tokens.push_back(sample(context.get(), text.index()));
        if (tokens.back() < 0) break;
        text.go_on_with(tokens.back());
    }
    return tokens;
}

TEST(Sample, GivesLlamasTokens) {
    const sampler_owner chain = peers();
    auto same = ours();
    EXPECT_EQ(text_of([&](llama_context* c, std::int32_t i) { return llama::sample(same, c, i); }),
              text_of([&](llama_context* c, std::int32_t i) { return llama_sampler_sample(chain.get(), c, i); }));
}
TEST(Sample, OfEveryKindOfChain) {
    auto typed = ours();
    basic_dynamic_chain<llama_exact> late;
    late.push(top_k{40});
    late.push(top_p{.p = 0.95f, .min_keep = 1});
    late.push(temperature{0.8f});
    late.push(dist{.seed = seed});
    any_pipeline any = typed;
    const auto expected = text_of([&](llama_context* c, std::int32_t i) { return llama::sample(typed, c, i); });
    EXPECT_EQ(text_of([&](llama_context* c, std::int32_t i) { return llama::sample(late, c, i); }), expected);
    EXPECT_EQ(text_of([&](llama_context* c, std::int32_t i) { return llama::sample(any, c, i); }), expected);
}
/// peek is llama_sampler_sample of the same sampler, but for the accepting and the array.
TEST(Peek, IsWhatLlamasFunctionGives) {
    using type = decltype(ours());
    const sampler_owner looked_at(llama::make_sampler(ours())), sampled(llama::make_sampler(ours()));
    EXPECT_EQ(text_of([&](llama_context* c, std::int32_t i) {
                  const token_id token = llama::peek<type>(looked_at.get(), c, i);
                  llama_sampler_accept(looked_at.get(), token);
                  return token;
              }),
              text_of([&](llama_context* c, std::int32_t i) { return llama_sampler_sample(sampled.get(), c, i); }));
    EXPECT_EQ(llama::chain_of<type>(looked_at.get())->mark().tokens, std::uint64_t(steps));
}
TEST(Peek, AcceptsNothingAndDrawsAnew) {
    auto draws = chain<llama_exact>(temperature{1.5f}, dist{.seed = seed});
    using type = decltype(draws);
    const sampler_owner sampler(llama::make_sampler(draws)), other(llama::make_sampler(draws));
    const context_owner context = new_context();
    line text(context.get(), 0, 5);
    text.step();
    for (int i = 0; i < 10; ++i) {  // as applying it again does
        const token_id token = llama::peek<type>(sampler.get(), context.get(), text.index());
        const sampler_owner clone(llama_sampler_clone(other.get()));
        EXPECT_EQ(token, llama_sampler_sample(clone.get(), context.get(), text.index())) << i;
        llama::peek<type>(other.get(), context.get(), text.index());
    }
    EXPECT_EQ(llama::chain_of<type>(sampler.get())->mark().tokens, 0u);
}
TEST(Peek, OfOthersIsNone) {
    using type = decltype(ours());
    const context_owner context = new_context();
    line text(context.get(), 0, 5);
    text.step();
    const sampler_owner greedy_one(llama::make_sampler(greedy{})), llamas(llama_sampler_init_greedy());
    EXPECT_EQ(llama::peek<type>(greedy_one.get(), context.get(), text.index()), null_token);
    EXPECT_EQ(llama::peek<type>(llamas.get(), context.get(), text.index()), null_token);
    EXPECT_EQ(llama::peek<type>(nullptr, context.get(), text.index()), null_token);
}
TEST(Sample, LooksBackOnThePrompt) {
    const std::vector<llama_token> prompt{5, 9, 11, 300, 300, 2047};
    const sampler_owner chain = peers(true);
    for (const llama_token token : prompt) llama_sampler_accept(chain.get(), token);
    auto same = riffle::chain<llama_exact>(penalties{.last_n = 64, .repeat = 1.2f, .presence = 0.1f}, ours());
    EXPECT_TRUE(llama::prompt(same, prompt).ok());
    EXPECT_EQ(text_of([&](llama_context* c, std::int32_t i) { return llama::sample(same, c, i); }),
              text_of([&](llama_context* c, std::int32_t i) { return llama_sampler_sample(chain.get(), c, i); }));
}
TEST(Sample, FromWhatSamplersOfTheGraphLeft) {
    const sampler_owner attached(llama_sampler_chain_init(llama_sampler_chain_default_params()));
    llama_sampler_chain_add(attached.get(), llama_sampler_init_top_k(20));
    const context_owner context = new_context({{0, attached.get()}}), other = new_context();
    auto sampler = chain<llama_exact>(top_k{10}, dist{.seed = 4});
    auto expected = sampler;
    line text(context.get(), 0, 5), same(other.get(), 0, 5);
    for (int i = 0; i < steps; ++i) {
        text.step();
        same.step();
        const float* const row = llama_get_logits_ith(other.get(), same.index());
        const token_id token = expected.sample({row, std::size_t(random_model_size())});
        ASSERT_EQ(llama::sample(sampler, context.get(), text.index()), token);
        text.go_on_with(token);
        same.go_on_with(token);
    }
}
/// Takes no token but one.
struct takes_one {
    token_id one = 3;
    void apply(candidates&) const noexcept {}
    status can_accept(token_id token) const noexcept {
        return token == one ? status() : status::failed(status_code::stage_failed, "takes_one");
    }
    void accept(token_id) noexcept {}
    void reset() noexcept {}
};
TEST(Sample, ATokenThatAStageRefusesIsNotGivenOut) {
    const sampler_owner of_graph(llama_sampler_chain_init(llama_sampler_chain_default_params()));
    llama_sampler_chain_add(of_graph.get(), llama_sampler_init_greedy());
    const context_owner context = new_context({{0, of_graph.get()}});
    line text(context.get(), 0, 5);
    text.step();
    auto refuses = takes_one{-2} | greedy{};
    EXPECT_EQ(llama::sample(refuses, context.get(), text.index()), null_token);
    EXPECT_EQ(refuses.last_status().code(), status_code::stage_failed);
    EXPECT_EQ(refuses.mark().tokens, 0u);
}
TEST(Sample, TheTokenThatTheGraphChose) {
    const sampler_owner attached(llama_sampler_chain_init(llama_sampler_chain_default_params()));
    llama_sampler_chain_add(attached.get(), llama_sampler_init_greedy());
    const context_owner context = new_context({{0, attached.get()}});
    auto sampler = penalties{.repeat = 1.1f} | dist{};
    line text(context.get(), 0, 5);
    text.step();
    const token_id chosen = llama_get_sampled_token_ith(context.get(), text.index());
    ASSERT_GE(chosen, 0);
    EXPECT_EQ(llama::sample(sampler, context.get(), text.index()), chosen);
    EXPECT_EQ(sampler.state().tokens().recent(0).token, chosen);
}

// ---- llama.cpp's samplers as stages

TEST(Stage, LlamasSamplersAmongRiffles) {
    const sampler_owner chain = peers();
    auto mixed = riffle::chain<llama_exact>(
        llama::stage{llama_sampler_init_top_k(40)}, top_p{.p = 0.95f, .min_keep = 1},
        llama::stage{llama_sampler_init_temp(0.8f)}, llama::selector{llama_sampler_init_dist(seed)});
    EXPECT_EQ(text_of([&](llama_context* c, std::int32_t i) { return llama::sample(mixed, c, i); }),
              text_of([&](llama_context* c, std::int32_t i) { return llama_sampler_sample(chain.get(), c, i); }));
}
TEST(Stage, CopiesAreClonesAndResetsReach) {
    auto sampler = top_k{40} | llama::stage{llama_sampler_init_xtc(0.5f, 0.05f, 1, 9)} | dist{.seed = 1};
    const auto draw = [](auto& from) {
        return text_of([&](llama_context* c, std::int32_t i) { return llama::sample(from, c, i); });
    };
    auto copy = sampler;
    const auto first = draw(sampler);
    EXPECT_EQ(draw(copy), first);
    sampler.reset();
    EXPECT_EQ(draw(sampler), first);
    auto moved = std::move(copy);
    moved.reset();
    EXPECT_EQ(draw(moved), first);
}
/// Samplers that draw and samplers that look back are where they were, after rollback, rewind, and in copies.
TEST(Stage, GoesBack) {
    const std::vector<float> row = [] {
        std::vector<float> logits(300);
        for (std::size_t i = 0; i < logits.size(); ++i) logits[i] = 0.01f * float(i * 7919 % 300);
        return logits;
    }();
    auto sampler = llama::stage{llama_sampler_init_penalties(300, 64, 1.5f, 0.0f, 0.5f)} | top_k{40} |
                   llama::stage{llama_sampler_init_xtc(0.5f, 0.01f, 1, 9)} |
                   llama::selector{llama_sampler_init_dist(3)};
    const auto draw = [&](auto& from, int count) {
        std::vector<token_id> tokens;
        for (int i = 0; i < count; ++i) tokens.push_back(from.sample(row));
        return tokens;
    };
    draw(sampler, 37);
    const checkpoint mark = sampler.mark();
    const auto expected = draw(sampler, 90);
    ASSERT_TRUE(sampler.rollback(mark).ok());
    EXPECT_EQ(draw(sampler, 90), expected);
    auto copy = sampler;
    ASSERT_TRUE(sampler.rewind(50).ok());
    EXPECT_EQ(draw(sampler, 50), std::vector<token_id>(expected.end() - 50, expected.end()));
    ASSERT_TRUE(copy.rollback(mark).ok());
    EXPECT_EQ(draw(copy, 90), expected);
}
/// A chain in which another stage cannot go back puts its samplers back as well: forth again, with all clones.
TEST(Stage, GoesForthAgain) {
    const auto accepted = [](llama_sampler* of, int count) {
        llama::detail::held_sampler s(of);
        for (int i = 0; i < count; ++i) EXPECT_TRUE(s.accept(i % 300));
        return s;
    };
    const auto drawn = [](llama::detail::held_sampler s) {  // a copy, since drawing changes it
        std::vector<token_data> tokens;
        for (token_id id = 0; id < 300; ++id) tokens.push_back({id, 1.0f, 0.0f});
        candidates c{tokens.data(), tokens.size(), -1, false};
        EXPECT_TRUE(s.apply(c));
        std::vector<float> left{float(c.selected)};
        for (const auto& token : c) left.push_back(token.logit);
        return left;
    };
    for (const bool draws : {false, true}) {
        const auto make = [&] {
            return draws ? llama_sampler_init_dist(5) : llama_sampler_init_penalties(300, 64, 1.5f, 0.0f, 0.5f);
        };
        auto s = accepted(make(), 200);
        ASSERT_TRUE(s.rollback(72));
        EXPECT_EQ(drawn(s), drawn(accepted(make(), 72)));
        ASSERT_TRUE(s.rollback(200));
        EXPECT_EQ(drawn(s), drawn(accepted(make(), 200)));
        for (int i = 200; i < 230; ++i) ASSERT_TRUE(s.accept(i % 300));
        for (const int back : {215, 190, 120}) {
            ASSERT_TRUE(s.rollback(std::uint64_t(back))) << back;
            EXPECT_EQ(drawn(s), drawn(accepted(make(), back))) << back;
        }
        ASSERT_TRUE(s.accept(7));
        EXPECT_FALSE(s.rollback(122)) << "another token lies there now";
    }
}
TEST(Stage, BeginsAgain) {
    auto sampler = llama::stage{llama_sampler_init_penalties(300, 64, 1.5f, 0.0f, 0.5f)} | top_k{40} | greedy{};
    const checkpoint beginning = sampler.mark();
    for (token_id i = 0; i < 5; ++i) sampler.accept(i);
    sampler.reset();
    EXPECT_TRUE(sampler.rollback(beginning).ok());
}
TEST(Stage, MissingOrUselessOnesAreNamed) {
    const std::vector<float> row(10, 0.0f);
    auto missing = llama::stage{nullptr} | dist{};
    EXPECT_EQ(missing.sample(row), null_token);
    EXPECT_STREQ(missing.last_status().message().c_str(),
                 "llama::stage: sampler = 0 is no sampler, or one that cannot be cloned");
    EXPECT_TRUE(missing.accept(1).state == status_code::stage_failed);
    EXPECT_FALSE(missing.prompt(std::vector<token_id>{1, 2}).ok());
    missing.reset();
}
/// A sampler of the user's without a clone function, at which llama.cpp aborts.
TEST(Stage, WhatCannotBeClonedCannotBeCopied) {
    static llama_sampler_i table = [] {
        llama_sampler_i i{};
        i.apply = [](llama_sampler*, llama_token_data_array* a) { a->data[0].logit = 100.0f; };
        return i;
    }();
    int state = 0;
    const std::vector<float> row{0.0f, 1.0f, 2.0f};
    auto sampler = llama::stage{llama_sampler_init(&table, &state)} | greedy{};
    EXPECT_EQ(sampler.sample(row), 0);
    auto copy = sampler;
    EXPECT_EQ(copy.sample(row), null_token);
    EXPECT_TRUE(copy.last_status() == status_code::invalid_parameter);
    EXPECT_EQ(sampler.sample(row), 0);

    llama_sampler* const around = llama_sampler_chain_init(llama_sampler_chain_default_params());
    llama_sampler_chain_add(around, llama_sampler_init_top_k(2));
    llama_sampler_chain_add(around, llama_sampler_init(&table, &state));
    auto inside = llama::stage{around} | greedy{};
    EXPECT_GE(inside.sample(row), 0);
    auto no_copy = inside;
    EXPECT_EQ(no_copy.sample(row), null_token);
}

// ---- grammars

llama_sampler* grammar(const char* text) { return llama_sampler_init_grammar(vocab(), text, "root"); }
constexpr const char* letters = "root ::= [a-eg-z ]+";

/// As llama.cpp's common_sampler_sample has it, written with llama.cpp's own functions.
std::vector<token_id> as_common_sampler(bool first) {
    const sampler_owner chain = peers(), of_grammar(grammar(letters));
    const auto all = [](llama_context* c, std::int32_t index) {
        std::vector<llama_token_data> tokens;
        const float* const logits = llama_get_logits_ith(c, index);
        for (token_id id = 0; id < random_model_size(); ++id) tokens.push_back({id, logits[id], 0.0f});
        return tokens;
    };
    return text_of([&](llama_context* c, std::int32_t index) {
        auto tokens = all(c, index);
        llama_token_data_array a{tokens.data(), tokens.size(), -1, false};
        if (first) llama_sampler_apply(of_grammar.get(), &a);
        llama_sampler_apply(chain.get(), &a);
        token_id token = a.data[a.selected].id;
        llama_token_data one{token, 1.0f, 0.0f};
        llama_token_data_array single{&one, 1, -1, false};
        llama_sampler_apply(of_grammar.get(), &single);
        if (!first && one.logit == illegal_logit) {
            tokens = all(c, index);
            a = {tokens.data(), tokens.size(), -1, false};
            llama_sampler_apply(of_grammar.get(), &a);
            llama_sampler_apply(chain.get(), &a);
            token = a.data[a.selected].id;
        }
        llama_sampler_accept(of_grammar.get(), token);
        llama_sampler_accept(chain.get(), token);
        return token;
    });
}

token_id id_of(const vocabulary& words, const char* piece) {
    token_id id = 0;
    while (!(words.piece(id) == text(piece))) ++id;
    return id;
}

TEST(Guided, GivesWhatCommonSamplersGive) {
    for (const bool first : {false, true}) {
        llama::guided both(ours(), grammar(letters));
        const auto use = first ? llama::grammar_use::first : llama::grammar_use::afterwards;
        EXPECT_EQ(text_of([&](llama_context* c, std::int32_t i) { return both.sample(c, i, use); }),
                  as_common_sampler(first));
    }
}
TEST(Guided, RiffleDrawsAnewWhereTheGrammarRefuses) {
    llama::guided both(top_k{400} | dist{.seed = 5}, grammar(letters));
    const vocabulary words = llama::vocabulary_of(random_model());
    std::string text;
    const auto tokens = text_of([&](llama_context* c, std::int32_t i) { return both.sample(c, i); });
    for (const token_id token : tokens)
        if (!words.ends_generation(token)) text.append(words.piece(token).data(), words.piece(token).size());
    EXPECT_FALSE(text.empty());
    EXPECT_EQ(text.find_first_not_of("abcdeghijklmnopqrstuvwxyz "), std::string::npos) << text;
}
/// Any sampler that masks, whatever it is called, and one that drops what it does not want.
TEST(Guided, ByAnySamplerThatMasks) {
    allowed_tokens few;
    for (const token_id id : {3, 5, 4000}) few.tokens.add(id);
    llama::guided both(top_k{400} | dist{.seed = 5}, llama::make_sampler(few));
    for (const token_id token : text_of([&](llama_context* c, std::int32_t i) { return both.sample(c, i); }))
        EXPECT_TRUE(token == 3 || token == 5 || token == 4000) << token;
}
TEST(Guided, RefusesTokensAndStaysAsItWas) {
    llama::guided both(top_k{40} | dist{}, grammar("root ::= \"ab\""));
    const vocabulary words = llama::vocabulary_of(vocab());
    const token_id a = id_of(words, "a"), b = id_of(words, "b");
    EXPECT_FALSE(both.accept(b).state.ok());
    EXPECT_FALSE(both.accept(llama_vocab_eos(vocab())).state.ok()) << "llama.cpp aborts at an early end";
    EXPECT_FALSE(both.accept(-1).state.ok());
    EXPECT_FALSE(both.accept(token_id(words.size())).state.ok());
    EXPECT_TRUE(both.accept(a).state.ok());
    EXPECT_TRUE(both.accept(b).state.ok());
    EXPECT_TRUE(both.accept(llama_vocab_eos(vocab())).state.ok());
}
/// What a stage of the chain refuses is taken by neither, so the two never part.
TEST(Guided, AStageMayRefuseToo) {
    const vocabulary words = llama::vocabulary_of(vocab());
    const token_id a = id_of(words, "a"), b = id_of(words, "b");
    llama::guided both(takes_one{b} | greedy{}, grammar("root ::= [ab]+"));
    const step refused = both.accept(a);
    EXPECT_TRUE(refused.refused);
    EXPECT_STREQ(refused.state.message().c_str(), "takes_one: a stage failed, or refused the token");
    EXPECT_EQ(both.mark().of_grammar, 0u);
    EXPECT_TRUE(both.accept(b).state.ok());
    EXPECT_EQ(both.mark().of_grammar, 1u);
    EXPECT_EQ(both.mark().of_chain.tokens, 1u);
}
TEST(Guided, GoesBackAndBegins) {
    llama::guided both(top_k{400} | dist{.seed = 5}, grammar(letters));
    const auto draw = [&](auto& from) {
        return text_of([&](llama_context* c, std::int32_t i) { return from.sample(c, i); }, 20);
    };
    const auto mark = both.mark();
    const auto first = draw(both);
    auto copy = both;
    ASSERT_TRUE(both.rollback(mark).ok());
    EXPECT_EQ(draw(both), first);
    both.reset();
    EXPECT_EQ(draw(both), first);
    ASSERT_TRUE(copy.rollback(mark).ok());
    EXPECT_EQ(draw(copy), first);
}
TEST(Guided, AGrammarThatCannotBeReadLetsNothingPass) {
    llama::guided both(top_k{40} | dist{}, grammar("root ::= ("));
    const std::vector<float> row(std::size_t(random_model_size()), 0.0f);
    EXPECT_EQ(both.sample(row), null_token);
    EXPECT_STREQ(both.last_status().message().c_str(), "guided: grammar = 0 is no grammar");
    EXPECT_FALSE(both.accept(1).state.ok());
}
TEST(Stage, AGrammarInTheChain) {
    auto sampler = llama::stage{grammar(letters)} | top_k{40} | dist{.seed = 1};
    const vocabulary words = llama::vocabulary_of(vocab());
    for (const token_id token : text_of([&](llama_context* c, std::int32_t i) { return llama::sample(sampler, c, i); }))
        EXPECT_FALSE(words.piece(token).contains("f"));
    const token_id f = id_of(words, "f");
    const step refused = sampler.accept(f);
    EXPECT_TRUE(refused.state == status_code::stage_failed);
    EXPECT_STREQ(refused.state.message().c_str(), "grammar: a stage failed, or refused the token");
}

// ---- vocabularies and settings

TEST(Vocabulary, IsTheModels) {
    const vocabulary words = llama::vocabulary_of(vocab());
    ASSERT_EQ(words.size(), std::size_t(random_model_size()));
    EXPECT_EQ(words.end_of_sequence, llama_vocab_eos(vocab()));
    EXPECT_EQ(words.end_of_turn, llama_vocab_eot(vocab()));
    for (token_id id = 0; id < token_id(words.size()); ++id) {
        char piece[64];
        const int length = llama_token_to_piece(vocab(), id, piece, sizeof piece, 0, true);
        ASSERT_EQ(std::string(piece, std::size_t(length)), std::string(words.piece(id).data(), words.piece(id).size()));
        EXPECT_EQ(words.ends_generation(id), llama_vocab_is_eog(vocab(), id));
    }
    EXPECT_TRUE(words.is(llama_vocab_bos(vocab()), token_role::control));
    EXPECT_FALSE(words.is(words.tokenise("king").back(), token_role::control));
    for (const std::string text : {"the king of", "", "a", "\xF0\x9F\x98\x80 and"}) {
        std::vector<llama_token> tokens(64);
        const int count = llama_tokenize(vocab(), text.data(), int(text.size()), tokens.data(), 64, false, false);
        tokens.resize(std::size_t(count));
        EXPECT_EQ(words.tokenise(text), tokens);
    }
    EXPECT_EQ(words.tokenise(std::string(500, '@')).size(), 64u) << "the first 64";
    EXPECT_TRUE(llama::drops_first_space(vocab(), words));
}

TEST(Settings, OfAModelThatSaysNothing) {
    const chain_settings s = llama::settings_of(random_model());
    const chain_settings common;
    EXPECT_EQ(s.samplers, common.samplers);
    EXPECT_EQ(s.temp, 0.8f);
    EXPECT_EQ(s.n_vocab, random_model_size());
    EXPECT_TRUE(s.problem().empty());
}
TEST(Settings, OfTheModelsFileAndOfTheCaller) {
    const model_owner model = load_random_model({{"general.sampling.sequence", "top_k;nonsense;temperature"},
                                                 {"general.sampling.top_k", std::int32_t{20}},
                                                 {"general.sampling.temp", 0.6f},
                                                 {"general.sampling.top_p", 0.5f},
                                                 {"general.sampling.min_p", 0.25f},
                                                 {"general.sampling.xtc_probability", 0.125f},
                                                 {"general.sampling.xtc_threshold", 0.375f},
                                                 {"general.sampling.penalty_last_n", std::int32_t{128}},
                                                 {"general.sampling.penalty_repeat", 1.25f},
                                                 {"general.sampling.mirostat", std::int32_t{0}},
                                                 {"general.sampling.mirostat_tau", 4.0f},
                                                 {"general.sampling.mirostat_eta", 0.5f}});
    chain_settings s = llama::settings_of(model.get());
    EXPECT_EQ(s.samplers, (std::vector{sampler_kind::top_k, sampler_kind::temperature}));
    EXPECT_EQ(s.top_k, 20);
    EXPECT_EQ(s.temp, 0.6f);
    EXPECT_EQ(s.top_p, 0.5f);
    EXPECT_EQ(s.min_p, 0.25f);
    EXPECT_EQ(s.xtc_probability, 0.125f);
    EXPECT_EQ(s.xtc_threshold, 0.375f);
    EXPECT_EQ(s.penalty_last_n, 128);
    EXPECT_EQ(s.penalty_repeat, 1.25f);
    EXPECT_EQ(s.mirostat_tau, 4.0f);
    EXPECT_EQ(s.mirostat_eta, 0.5f);
    EXPECT_EQ(s.problem(), "settings: there is no sampler \"nonsense\"");

    ASSERT_TRUE(s.read("temp=0.9;seed=77"));
    EXPECT_EQ(s.temp, 0.9f);
    EXPECT_EQ(s.samplers.size(), 2u) << "the model's order stays";
    basic_dynamic_chain<llama_exact> made;
    ASSERT_TRUE(s.build(made).ok());
    EXPECT_EQ(made.get_if<top_k>(0)->k, 20);
    EXPECT_EQ(made.get_if<temperature>(1)->t, 0.9f);
    ASSERT_TRUE(s.read("samplers=min_p"));
    EXPECT_EQ(s.samplers, std::vector{sampler_kind::min_p});
}
TEST(Settings, WhatIsNoNumberIsPassedOver) {
    const model_owner model = load_random_model(
        {{"general.sampling.temp", "warm"}, {"general.sampling.top_k", "many"}, {"general.sampling.min_p", 0.5f}});
    const chain_settings s = llama::settings_of(model.get());
    EXPECT_EQ(s.temp, 0.8f);
    EXPECT_EQ(s.top_k, 40);
    EXPECT_EQ(s.min_p, 0.5f);
    EXPECT_EQ(s.problem(), "settings: top_k = \"many\" is not a whole number\n"
                           "settings: temp = \"warm\" is not a number");
}
TEST(Settings, AWholeNumberMayBeStoredAsAFloatAndTheOtherWayRound) {
    const model_owner model =
        load_random_model({{"general.sampling.temp", std::int32_t{1}}, {"general.sampling.top_k", 20.0f}});
    const chain_settings s = llama::settings_of(model.get());
    EXPECT_EQ(s.temp, 1.0f);
    EXPECT_EQ(s.top_k, 20);
    EXPECT_EQ(s.problem(), "");
}
/// llama.cpp's common default chain, by its own constructors, beside the one that the settings make.
TEST(Settings, MakeTheCommonDefaultChain) {
    const vocabulary words = llama::vocabulary_of(vocab());
    chain_settings s = llama::settings_of(random_model(), &words);
    EXPECT_TRUE(s.first_space_is_dropped);
    ASSERT_TRUE(s.read("seed=77;penalty_repeat=1.1;dry_multiplier=0.8;xtc_probability=0.5"));
    basic_dynamic_chain<llama_exact> made;
    ASSERT_TRUE(s.build(made, &words).ok());

    const sampler_owner chain(llama_sampler_chain_init(llama_sampler_chain_default_params()));
    const char* breakers[] = {"\n", ":", "\"", "*"};
    for (llama_sampler* const sampler :
         {llama_sampler_init_penalties(4096, 64, 1.1f, 0.0f, 0.0f),
          llama_sampler_init_dry(vocab(), 0.8f, 1.75f, 2, 64, breakers, 4), llama_sampler_init_top_n_sigma(-1.0f),
          llama_sampler_init_top_k(40), llama_sampler_init_typical(1.0f, 0), llama_sampler_init_top_p(0.95f, 0),
          llama_sampler_init_min_p(0.05f, 0), llama_sampler_init_xtc(0.5f, 0.1f, 0, 77),
          llama_sampler_init_temp_ext(0.8f, 0.0f, 1.0f), llama_sampler_init_dist(77)})
        llama_sampler_chain_add(chain.get(), sampler);
    EXPECT_EQ(text_of([&](llama_context* c, std::int32_t i) { return llama::sample(made, c, i); }, 200),
              text_of([&](llama_context* c, std::int32_t i) { return llama_sampler_sample(chain.get(), c, i); }, 200));
}

}  // namespace
}  // namespace riffle_tests::llama_sampling
