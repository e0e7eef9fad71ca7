// Chains with a grammar of riffle's in front of them, or beside them, against libllama 0.7.0's: the same tokens, from
// the rows of contexts, of the small model that is written here and of one that RIFFLE_LLAMA_MODEL names.
//
// (What the masks of the two differ in, see grammars.cpp, is not in the languages here, or is hidden from both.)

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <llama.h>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/constraint.hpp>
#include <riffle/llama.hpp>

#include "llama/grammar_models.hpp"

namespace riffle_tests::llama_constrained {
namespace {

using namespace riffle;

// ---- languages, rows and chains

constexpr const char* letters = "root ::= [a-eg-z ]+";
const std::vector<std::string> languages = {
    letters,
    R"gbnf(root ::= ("the king" | [a-d]{2,6} " ")+ ".")gbnf",
    R"gbnf(root ::= [0-9]{1,3} (", "? [0-9]{1,3}){3,40} ("." | "\n" root))gbnf",
    R"gbnf(root   ::= object
object ::= "{" member ("," member)* "}"
member ::= string ":" (string | number | object | "[" (number ("," number)*)? "]")
string ::= "\"" [a-z ]{0,12} "\""
number ::= "-"? ("0" | [1-9] [0-9]{0,5}) ("." [0-9]{1,4})?
)gbnf",
    R"gbnf(root ::= "\"" ([^"\\\x7F\x00-\x1F] | "\\" ["\\/bfnrt])* "\"" ([a-z]+ "\n" | root))gbnf",
};

grammar_matcher matcher_of(const known_model& model, const std::string& language) {
    const parsed<grammar> read = parse_gbnf(language);
    EXPECT_TRUE(read.ok()) << read.problem().message();
    grammar_matcher made(*read, model.trie());
    EXPECT_TRUE((made.check)().ok()) << (made.check)().message().c_str();
    return made;
}
llama_sampler* peer_of(const known_model& model, const std::string& language) {
    llama_sampler* const made = llama_sampler_init_grammar(model.vocab(), language.c_str(), "root");
    EXPECT_NE(made, nullptr) << language;
    return made;
}

/// The same chain on both sides.
struct both_chains {
    basic_dynamic_chain<llama_exact> ours;
    sampler_owner peers = sampler_owner(llama_sampler_chain_init(llama_sampler_chain_default_params()));

    template <class Stage>
    void add(const Stage& stage, llama_sampler* peer) {
        EXPECT_TRUE(ours.push(stage).ok()) << ours.last_status().message().c_str();
        llama_sampler_chain_add(peers.get(), peer);
    }
};

/// Tokens in which the two read grammars apart, or might: those that are no whole text of ASCII.
void hide_others(both_chains& c, const known_model& model) {
    logit_bias hidden;
    std::vector<llama_logit_bias> biases;
    for (token_id id = 0; id < model.size(); ++id) {
        const std::string piece = model.piece(id);
        const bool is_ascii = std::all_of(piece.begin(), piece.end(), [](char b) { return std::uint8_t(b) < 0x80; });
        const bool is_name = model.words().is(id, token_role::control) && !model.words().ends_generation(id);
        if (is_ascii && !is_name) continue;
        hidden.biases.push_back({id, illegal_logit});
        biases.push_back({id, illegal_logit});
    }
    c.add(hidden, llama_sampler_init_logit_bias(model.size(), std::int32_t(biases.size()), biases.data()));
}

struct settings {
    const char* name;
    std::function<void(both_chains&, const known_model&, std::uint32_t seed)> add;
};
void add_temperature(both_chains& c, float t) { c.add(temperature{t}, llama_sampler_init_temp(t)); }
void add_dist(both_chains& c, std::uint32_t seed) { c.add(dist{.seed = seed}, llama_sampler_init_dist(seed)); }

const std::vector<settings> all_settings = {
    {"the usual ones",
     [](both_chains& c, const known_model& model, std::uint32_t seed) {
         c.add(penalties{.last_n = 64, .repeat = 1.1f, .frequency = 0.2f, .presence = 0.1f},
               llama_sampler_init_penalties(model.size(), 64, 1.1f, 0.2f, 0.1f));
         c.add(top_k{40}, llama_sampler_init_top_k(40));
         c.add(top_p{.p = 0.95f, .min_keep = 1}, llama_sampler_init_top_p(0.95f, 1));
         c.add(min_p{.p = 0.05f, .min_keep = 1}, llama_sampler_init_min_p(0.05f, 1));
         add_temperature(c, 0.8f);
         add_dist(c, seed);
     }},
    {"greedy", [](both_chains& c, const known_model&, std::uint32_t) { c.add(greedy{}, llama_sampler_init_greedy()); }},
    {"nothing that narrows",
     [](both_chains& c, const known_model&, std::uint32_t seed) {
         add_temperature(c, 1.3f);
         add_dist(c, seed);
     }},
    {"sigmas and xtc",
     [](both_chains& c, const known_model&, std::uint32_t seed) {
         c.add(top_n_sigma{.n = 1.5f}, llama_sampler_init_top_n_sigma(1.5f));
         c.add(xtc{.probability = 0.5f, .threshold = 0.05f, .min_keep = 1, .seed = seed},
               llama_sampler_init_xtc(0.5f, 0.05f, 1, seed));
         add_dist(c, seed);
     }},
    {"min_p and a temperature that moves",
     [](both_chains& c, const known_model&, std::uint32_t seed) {
         c.add(min_p{.p = 0.02f, .min_keep = 1}, llama_sampler_init_min_p(0.02f, 1));
         c.add(dynamic_temperature{.t = 1.0f, .range = 0.5f, .exponent = 1.0f},
               llama_sampler_init_temp_ext(1.0f, 0.5f, 1.0f));
         add_dist(c, seed);
     }},
    {"dry and typical",
     [](both_chains& c, const known_model& model, std::uint32_t seed) {
         c.add(dry{.multiplier = 0.8f, .base = 1.75f, .allowed_length = 1, .last_n = 64},
               llama_sampler_init_dry(model.vocab(), 0.8f, 1.75f, 1, 64, nullptr, 0));
         c.add(typical{.p = 0.9f, .min_keep = 1}, llama_sampler_init_typical(0.9f, 1));
         add_dist(c, seed);
     }},
    {"top_p alone",
     [](both_chains& c, const known_model&, std::uint32_t seed) {
         c.add(top_p{.p = 0.7f, .min_keep = 1}, llama_sampler_init_top_p(0.7f, 1));
         add_dist(c, seed);
     }},
    {"few",
     [](both_chains& c, const known_model&, std::uint32_t seed) {
         c.add(top_k{3}, llama_sampler_init_top_k(3));
         add_dist(c, seed);
     }},
    {"mirostat_v2",
     [](both_chains& c, const known_model&, std::uint32_t seed) {
         add_temperature(c, 0.9f);
         c.add(mirostat_v2{.tau = 3.0f, .eta = 0.2f, .seed = seed}, llama_sampler_init_mirostat_v2(seed, 3.0f, 0.2f));
     }},
    {"adaptive_p",
     [](both_chains& c, const known_model&, std::uint32_t seed) {
         c.add(min_p{.p = 0.01f, .min_keep = 1}, llama_sampler_init_min_p(0.01f, 1));
         c.add(adaptive_p{.target = 0.3f, .decay = 0.9f, .seed = seed},
               llama_sampler_init_adaptive_p(0.3f, 0.9f, seed));
     }},
};
/// Of the first hundred tokens' probabilities llama.cpp's mirostat divides each by the next: it is for languages that
/// leave so many legal.
const settings for_wide_languages = {
    "mirostat", [](both_chains& c, const known_model& model, std::uint32_t seed) {
        add_temperature(c, 0.9f);
        c.add(mirostat{.tau = 5.0f, .eta = 0.1f, .m = 100, .n_vocab = model.size(), .seed = seed},
              llama_sampler_init_mirostat(model.size(), seed, 5.0f, 0.1f, 100));
    }};

/// The texts of a model: one at a time.
class writer {
public:
    explicit writer(const known_model& model) : model_(model) {
        llama_context_params with = llama_context_default_params();
        with.n_ctx = 256;
        with.n_batch = with.n_ubatch = 64;
        with.n_threads = with.n_threads_batch = 1;
        context_.reset(llama_init_from_model(model.model(), with));
    }
    llama_context* context() const { return context_.get(); }
    /// Evaluates a token; index() is that of its output.
    void put(llama_token token) {
        index_ = batch_.add(token, position_++, 0, true);
        ASSERT_TRUE(batch_.decode(context_.get()));
    }
    std::int32_t index() const { return index_; }
    std::span<const float> row() const {
        return {llama_get_logits_ith(context_.get(), index_), std::size_t(model_.size())};
    }
    void begin() {
        llama_memory_clear(llama_get_memory(context_.get()), true);
        position_ = 0;
    }

private:
    const known_model& model_;
    context_owner context_;
    batch batch_{4};
    llama_pos position_ = 0;
    std::int32_t index_ = 0;
};

struct counts {
    std::size_t texts = 0, tokens = 0, finished = 0, refused = 0;
};
constexpr int steps = 30;

/// A token from each of them, step after step, until one ends the text: all have to be the same.
using one_way = std::function<token_id()>;
void expect_same_text(writer& text, const known_model& model, const std::vector<one_way>& ways, counts& n,
                      const std::string& of, int longest = steps) {
    text.begin();
    text.put(llama_vocab_bos(model.vocab()) >= 0 ? llama_vocab_bos(model.vocab()) : 0);
    ++n.texts;
    for (int i = 0; i < longest; ++i) {
        const token_id token = ways[0]();
        ++n.tokens;
        for (std::size_t way = 1; way < ways.size(); ++way)
            ASSERT_EQ(ways[way](), token) << of << ": way " << way << ", step " << i << ", " << model.piece(token);
        if (model.words().ends_generation(token)) return void(++n.finished);
        text.put(token);
    }
}

/// All settings with all languages.
void for_all(std::uint32_t seeds,
             const std::function<void(const std::string& language, const settings&, std::uint32_t seed)>& check) {
    for (const std::string& language : languages)
        for (const settings& each : all_settings)
            for (std::uint32_t seed = 1; seed <= seeds && !testing::Test::HasFailure(); ++seed)
                check(language, each, seed);
    for (std::uint32_t seed = 1; seed <= seeds && !testing::Test::HasFailure(); ++seed)
        check(letters, for_wide_languages, seed);
}

// ---- tokens

/// In front of a chain, in every way to get a token out of it.
void expect_llamas_tokens(const known_model& model, std::uint32_t seeds, int longest) {
    counts n;
    writer text(model);
    for_all(seeds, [&](const std::string& language, const settings& with, std::uint32_t seed) {
        both_chains both;
        both.add(constrain{matcher_of(model, language)}, peer_of(model, language));
        hide_others(both, model);
        with.add(both, model, seed);
        auto on_rows = both.ours;
        any_pipeline any = both.ours;
        const sampler_owner as_sampler(llama::make_sampler(both.ours));
        const sampler_owner among_theirs(llama_sampler_chain_init(llama_sampler_chain_default_params()));
        llama_sampler_chain_add(among_theirs.get(), llama::make_sampler(both.ours));
        llama_context* const c = text.context();
        const std::vector<one_way> ways = {
            [&] { return llama_sampler_sample(both.peers.get(), c, text.index()); },
            [&] { return llama::sample(both.ours, c, text.index()); },
            [&] { return on_rows.sample(text.row()); },
            [&] { return llama::sample(any, c, text.index()); },
            [&] { return llama_sampler_sample(as_sampler.get(), c, text.index()); },
            [&] { return llama_sampler_sample(among_theirs.get(), c, text.index()); },
        };
        expect_same_text(text, model, ways, n, language + ", " + with.name, longest);
    });
    std::printf("a grammar first: %zu texts, %zu tokens, %zu texts to their end\n", n.texts, n.tokens, n.finished);
}
TEST(Constrained, GivesLlamasTokens) { expect_llamas_tokens(written_model(), 2, steps); }
TEST(Constrained, GivesLlamasTokensOnAGivenModel) {
    if (!given_model()) GTEST_SKIP() << no_model_given;
    expect_llamas_tokens(*given_model(), 1, 12);
}

/// A chain whose stages are types.
TEST(Constrained, OfTypedStages) {
    const known_model& model = written_model();
    counts n;
    writer text(model);
    for (const std::string& language : languages)
        for (std::uint32_t seed = 1; seed <= 3; ++seed) {
            both_chains both;
            both.add(constrain{matcher_of(model, language)}, peer_of(model, language));
            all_settings[0].add(both, model, seed);
            auto typed =
                chain<llama_exact>(constrain{matcher_of(model, language)},
                                   penalties{.last_n = 64, .repeat = 1.1f, .frequency = 0.2f, .presence = 0.1f},
                                   top_k{40}, top_p{.p = 0.95f, .min_keep = 1}, min_p{.p = 0.05f, .min_keep = 1},
                                   temperature{0.8f}, dist{.seed = seed});
            const sampler_owner sampler(llama::make_sampler(typed));
            llama_context* const c = text.context();
            expect_same_text(text, model,
                             {[&] { return llama::sample(both.ours, c, text.index()); },
                              [&] { return llama::sample(typed, c, text.index()); },
                              [&] { return llama_sampler_sample(sampler.get(), c, text.index()); }},
                             n, language);
        }
    EXPECT_EQ(n.texts, 3 * languages.size());
}

// ---- sample, then check

/// common_sampler_sample, with llama.cpp's own functions.
class common_sampler {
public:
    common_sampler(const known_model& model, llama_sampler* grammar, llama_sampler* chain, counts& n)
        : model_(model), grammar_(grammar), chain_(chain), n_(n) {}
    token_id sample(std::span<const float> row, bool first) {
        fill(row);
        if (first) llama_sampler_apply(grammar_, &array_);
        llama_sampler_apply(chain_, &array_);
        token_id token = array_.data[array_.selected].id;
        if (!first && !takes(token)) {
            ++n_.refused;
            fill(row);
            llama_sampler_apply(grammar_, &array_);
            llama_sampler_apply(chain_, &array_);
            token = array_.data[array_.selected].id;
        }
        llama_sampler_accept(grammar_, token);
        llama_sampler_accept(chain_, token);
        return token;
    }

private:
    void fill(std::span<const float> row) {
        tokens_.clear();
        for (token_id id = 0; id < model_.size(); ++id) tokens_.push_back({id, row[std::size_t(id)], 0.0f});
        array_ = {tokens_.data(), tokens_.size(), -1, false};
    }
    bool takes(token_id token) {
        llama_token_data one{token, 1.0f, 0.0f};
        llama_token_data_array single{&one, 1, -1, false};
        llama_sampler_apply(grammar_, &single);
        return one.logit > illegal_logit;
    }
    const known_model& model_;
    llama_sampler *grammar_, *chain_;
    counts& n_;
    std::vector<llama_token_data> tokens_;
    llama_token_data_array array_{};
};

void expect_common_samplers_tokens(const known_model& model, std::uint32_t seeds, int longest) {
    counts n;
    writer text(model);
    for (const bool first : {false, true})
        for_all(seeds, [&](const std::string& language, const settings& with, std::uint32_t seed) {
            both_chains both;
            hide_others(both, model);
            with.add(both, model, seed);
            const grammar_use when = first ? grammar_use::first : grammar_use::afterwards;
            const sampler_owner grammar(peer_of(model, language));
            common_sampler common(model, grammar.get(), both.peers.get(), n);
            riffle::guided ours(both.ours, matcher_of(model, language));
            auto on_rows = ours;
            llama::guided theirs(both.ours, peer_of(model, language));
            llama_context* const c = text.context();
            const std::vector<one_way> ways = {
                [&] { return common.sample(text.row(), first); },
                [&] { return llama::sample(ours, c, text.index(), when); },
                [&] { return on_rows.sample(text.row(), when); },
                [&] { return theirs.sample(c, text.index(), when); },
            };
            expect_same_text(text, model, ways, n, language + ", " + with.name + (first ? ", first" : ", afterwards"),
                             longest);
        });
    std::printf("a grammar beside: %zu texts, %zu tokens, %zu texts to their end, %zu tokens chosen twice\n", n.texts,
                n.tokens, n.finished, n.refused);
    EXPECT_GT(n.refused, 0u);
}
TEST(Guided, GivesCommonSamplersTokens) { expect_common_samplers_tokens(written_model(), 1, steps); }
TEST(Guided, GivesCommonSamplersTokensOnAGivenModel) {
    if (!given_model()) GTEST_SKIP() << no_model_given;
    expect_common_samplers_tokens(*given_model(), 1, 8);
}

// ---- the llama_sampler, and what it takes for a prompt

const std::vector<llama_token>& prompt() {
    static const std::vector<llama_token> tokens = [] {
        std::vector<llama_token> all;
        for (const char* piece : {"f", "0", "the", "the king", "a", "b", "a", "the"})  // the first two are not letters
            if (const token_id id = written_model().id_of(piece); id >= 0) all.push_back(id);
        all.push_back(llama_vocab_bos(written_model().vocab()));
        return all;
    }();
    return tokens;
}
template <class Policies>
auto with_grammar(std::uint32_t seed) {
    return chain<Policies>(constrain{matcher_of(written_model(), letters)},
                           penalties{.last_n = 64, .repeat = 1.5f, .frequency = 0.5f, .presence = 1.0f}, top_k{60},
                           temperature{1.1f}, dist{.seed = seed});
}
/// What a sampler chooses, at most `count` tokens of a text that begins with `first`.
template <class Sample>
std::vector<token_id> text_of(writer& text, llama_token first, int count, Sample sample) {
    text.begin();
    text.put(first);
    std::vector<token_id> tokens;
    for (int i = 0; i < count; ++i) {
        tokens.push_back(sample(text.context(), text.index()));
        if (tokens.back() < 0 || written_model().words().ends_generation(tokens.back())) break;
        text.put(tokens.back());
    }
    return tokens;
}
std::vector<token_id> text_of(writer& text, llama_sampler* sampler, int count = steps) {
    return text_of(text, 5, count,
                   [&](llama_context* c, std::int32_t i) { return llama_sampler_sample(sampler, c, i); });
}
void accept_all(llama_sampler* sampler, const std::vector<llama_token>& tokens) {
    for (const llama_token token : tokens) llama_sampler_accept(sampler, token);
}

template <class Policies>
void expect_same_prompts() {
    writer text(written_model());
    for (std::uint32_t seed = 1; seed <= 5; ++seed) {
        const auto sampler = with_grammar<Policies>(seed);
        auto without = sampler, direct = sampler;
        const auto text_by = [&](auto& from) {
            return text_of(text, 5, steps, [&](llama_context* c, std::int32_t i) { return llama::sample(from, c, i); });
        };
        std::vector<llama_token> all = prompt();
        const std::vector<llama_token> else_chosen = text_by(without);  // and penalised, where they were in the prompt
        all.insert(all.end(), else_chosen.begin(), else_chosen.end());

        ASSERT_TRUE(llama::prompt(direct, all).ok());
        const auto expected = text_by(direct);
        ASSERT_GE(expected.back(), 0) << direct.last_status().message().c_str();
        EXPECT_NE(expected, else_chosen);
        const sampler_owner made(llama::make_sampler(sampler));
        for (int again = 0; again < 2; ++again) {
            accept_all(made.get(), all);
            EXPECT_EQ(text_of(text, made.get()), expected) << seed << ", after a reset: " << again;
            const auto* const held = llama::chain_of<std::remove_cv_t<decltype(sampler)>>(made.get());
            ASSERT_NE(held, nullptr);
            EXPECT_TRUE(held->last_status().ok()) << held->last_status().message().c_str();
            EXPECT_EQ(held->mark().tokens, all.size() + expected.size());
            llama_sampler_reset(made.get());
        }
    }
}
TEST(Prompt, IsWhatComesBeforeTheFirstApply) {
    expect_same_prompts<llama_exact>();
    expect_same_prompts<reproducible>();
}
/// llama.cpp's own grammar in a chain takes a prompt for the beginning of the text; penalties alone see it here.
TEST(Prompt, IsPenalisedAsLlamaDoes) {
    const known_model& model = written_model();
    writer text(model);
    counts n;
    for (std::uint32_t seed = 1; seed <= 5; ++seed) {
        auto sampler = with_grammar<llama_exact>(seed);
        const sampler_owner made(llama::make_sampler(sampler)), grammar(peer_of(model, letters));
        const sampler_owner peers(llama_sampler_chain_init(llama_sampler_chain_default_params()));
        for (llama_sampler* const each :
             {llama_sampler_init_penalties(model.size(), 64, 1.5f, 0.5f, 1.0f), llama_sampler_init_top_k(60),
              llama_sampler_init_temp(1.1f), llama_sampler_init_dist(seed)})
            llama_sampler_chain_add(peers.get(), each);
        accept_all(peers.get(), prompt());
        accept_all(made.get(), prompt());
        ASSERT_TRUE(llama::prompt(sampler, prompt()).ok());
        common_sampler common(model, grammar.get(), peers.get(), n);
        expect_same_text(text, model,
                         {[&] { return common.sample(text.row(), true); },
                          [&] { return llama::sample(sampler, text.context(), text.index()); },
                          [&] { return llama_sampler_sample(made.get(), text.context(), text.index()); }},
                         n, letters);
    }
}

using letters_chain = decltype(with_grammar<llama_exact>(1));
status_code code_of(const llama_sampler* sampler) {
    const auto* const held = llama::chain_of<letters_chain>(sampler);
    return held ? held->last_status().code() : status_code::chain_malformed;
}
std::uint64_t tokens_of(const llama_sampler* sampler) { return llama::chain_of<letters_chain>(sampler)->mark().tokens; }
/// Two that go on alike.
void expect_alike(writer& text, llama_sampler* a, llama_sampler* b, const char* why) {
    const auto tokens = text_of(text, a, 12);
    EXPECT_EQ(text_of(text, b, 12), tokens) << why;
}

TEST(Sampler, ATokenThatIsNotAllowedChangesNothing) {
    const known_model& model = written_model();
    writer text(model);
    const sampler_owner made(llama::make_sampler(with_grammar<llama_exact>(3)));
    text_of(text, made.get(), 5);
    EXPECT_EQ(code_of(made.get()), status_code::ok);
    const std::uint64_t tokens = tokens_of(made.get());
    const sampler_owner twin(llama_sampler_clone(made.get()));
    for (const token_id refused : {model.id_of("f"), model.id_of("0"), llama_vocab_bos(model.vocab())}) {
        llama_sampler_accept(made.get(), refused);
        EXPECT_EQ(code_of(made.get()), status_code::stage_failed) << refused;
        EXPECT_EQ(tokens_of(made.get()), tokens);
        const sampler_owner copy(llama_sampler_clone(made.get())), copy_of_twin(llama_sampler_clone(twin.get()));
        expect_alike(text, copy.get(), copy_of_twin.get(), "a token was refused");
    }
    llama_sampler_accept(made.get(), model.id_of("a"));
    EXPECT_EQ(tokens_of(made.get()), tokens + 1);
}
/// llama_sampler_sample has accepted its token already.
TEST(Sampler, ATokenThatIsAcceptedTwiceIsReadOnce) {
    const known_model& model = written_model();
    writer text(model);
    const sampler_owner made(llama::make_sampler(with_grammar<llama_exact>(3)));
    const auto tokens = text_of(text, made.get(), 5);
    const std::uint64_t count = tokens_of(made.get());
    const sampler_owner twin(llama_sampler_clone(made.get()));
    llama_sampler_accept(made.get(), tokens.back());
    EXPECT_EQ(code_of(made.get()), status_code::stage_failed);
    EXPECT_EQ(tokens_of(made.get()), count);
    expect_alike(text, made.get(), twin.get(), "a token was accepted twice");

    // Without a constraint it is two tokens, as in llama.cpp: its penalties count it twice.
    const sampler_owner free(llama::make_sampler(with<llama_exact>(penalties{.last_n = 8, .repeat = 1.1f} | greedy{})));
    const auto ids = text_of(text, free.get(), 2);
    llama_sampler_accept(free.get(), ids.back());
    using free_chain = decltype(with<llama_exact>(penalties{} | greedy{}));
    EXPECT_EQ(llama::chain_of<free_chain>(free.get())->mark().tokens, 3u);
}
TEST(Sampler, TakesARunOfForcedTokens) {
    const known_model& model = written_model();
    writer text(model);
    const token_id a = model.id_of("a"), f = model.id_of("f"), k = model.id_of("k"), s = model.id_of("s");
    ASSERT_GE((std::min)({a, f, k, s}), 0);
    const auto free =
        with<llama_exact>(constrain{matcher_of(model, R"(root ::= "kk" [st] [st] [a-e ]+)")} | dist{.seed = 5});
    using free_chain = std::remove_cv_t<decltype(free)>;
    const sampler_owner made(llama::make_sampler(free));
    const auto forced = [&](const std::vector<token_id>& tokens) {
        return llama::accept_forced<free_chain>(made.get(), tokens);
    };
    const auto count = [&] { return llama::chain_of<free_chain>(made.get())->mark().tokens; };
    const auto next = [&] {
        const auto sample = [&](llama_context* c, std::int32_t i) { return llama_sampler_sample(made.get(), c, i); };
        return text_of(text, k, 1, sample)[0];
    };
    EXPECT_TRUE(forced({}).ok());
    llama_sampler_accept(made.get(), f);
    EXPECT_EQ(count(), 1u) << "none was forced yet, so this is the prompt";
    EXPECT_TRUE(forced({k, k}).ok()) << "no prompt, though nothing was sampled";
    EXPECT_EQ(count(), 3u);
    EXPECT_EQ(forced({s, k, s}).code(), status_code::stage_failed);
    EXPECT_EQ(count(), 4u) << "the first one is legal";
    EXPECT_GE(next(), 0);
    const token_id letter = next();
    EXPECT_EQ(count(), 6u);
    EXPECT_TRUE(forced({letter, a}).ok()) << "none is a token that is accepted twice";
    EXPECT_EQ(count(), 8u);
    EXPECT_EQ(llama::accept_forced<letters_chain>(made.get(), std::vector<token_id>{a}).code(),
              status_code::invalid_parameter);
    EXPECT_FALSE(llama::accept_forced<free_chain>(nullptr, std::vector<token_id>{a}).ok());
}
/// One that was not applied takes the prompt; one that was refuses what is no letter.
bool is_in_prompt(llama_sampler* sampler) {
    const sampler_owner copy(llama_sampler_clone(sampler));
    const std::uint64_t before = tokens_of(copy.get());
    llama_sampler_accept(copy.get(), written_model().id_of("f"));
    const bool took = tokens_of(copy.get()) == before + 1;
    EXPECT_EQ(code_of(copy.get()), took ? status_code::ok : status_code::stage_failed);
    return took;
}
TEST(Sampler, KnowsWhatAPromptIsInClonesAndCopies) {
    writer text(written_model());
    const auto make = [] { return sampler_owner(llama::make_sampler(with_grammar<llama_exact>(9))); };
    const sampler_owner begun = make();
    accept_all(begun.get(), prompt());
    EXPECT_TRUE(is_in_prompt(begun.get()));
    const sampler_owner clone_of_begun(llama_sampler_clone(begun.get()));
    EXPECT_TRUE(is_in_prompt(clone_of_begun.get()));

    const auto tokens = text_of(text, begun.get(), 8);
    EXPECT_FALSE(is_in_prompt(begun.get()));
    EXPECT_TRUE(is_in_prompt(clone_of_begun.get()));
    const sampler_owner clone_of_going(llama_sampler_clone(begun.get()));
    EXPECT_FALSE(is_in_prompt(clone_of_going.get()));
    EXPECT_EQ(text_of(text, clone_of_begun.get(), 8), tokens);
    expect_alike(text, begun.get(), clone_of_going.get(), "a clone");

    const sampler_owner fresh = make(), other = make();
    llama_sampler_copy(clone_of_going.get(), fresh.get());
    EXPECT_FALSE(is_in_prompt(fresh.get()));
    EXPECT_EQ(tokens_of(fresh.get()), tokens_of(clone_of_going.get()));
    llama_sampler_copy(other.get(), fresh.get());
    EXPECT_TRUE(is_in_prompt(fresh.get()));
    accept_all(fresh.get(), prompt());
    EXPECT_EQ(text_of(text, fresh.get(), 8), tokens);

    llama_sampler_reset(fresh.get());
    EXPECT_TRUE(is_in_prompt(fresh.get()));
    accept_all(fresh.get(), prompt());
    EXPECT_EQ(text_of(text, fresh.get(), 8), tokens);
}
TEST(Sampler, InAChainOfLlamas) {
    writer text(written_model());
    const sampler_owner around(llama_sampler_chain_init(llama_sampler_chain_default_params()));
    llama_sampler_chain_add(around.get(), llama::make_sampler(with_grammar<llama_exact>(4)));
    const sampler_owner alone(llama::make_sampler(with_grammar<llama_exact>(4)));
    const sampler_owner behind_a_front(llama::make_chain(with_grammar<llama_exact>(4)));
    std::vector<token_id> tokens;
    for (llama_sampler* const each : {alone.get(), around.get(), behind_a_front.get()}) {
        accept_all(each, prompt());
        const sampler_owner clone(llama_sampler_clone(each)), copy(llama_sampler_clone(each));
        const auto chosen = text_of(text, each);
        if (tokens.empty()) tokens = chosen;
        EXPECT_EQ(chosen, tokens);
        EXPECT_EQ(text_of(text, clone.get()), tokens);
        llama_sampler_copy(copy.get(), each);
        EXPECT_EQ(text_of(text, each), tokens);
        llama_sampler_reset(each);
        accept_all(each, prompt());
        EXPECT_EQ(text_of(text, each), tokens);
    }
}
/// The mask alone, as a stage of llama.cpp's own chain: nothing is removed, as llama.cpp's grammar has it.
TEST(Sampler, MasksAsLlamasGrammarDoes) {
    const known_model& model = written_model();
    writer text(model);
    for (const std::string& language : {languages[0], languages[1], languages[2], languages[3]}) {
        const sampler_owner ours(llama::make_sampler(chain<llama_exact>(constrain{matcher_of(model, language)})));
        const sampler_owner theirs(peer_of(model, language));
        text.begin();
        text.put(5);
        for (int step = 0; step < steps; ++step) {
            std::vector<llama_token_data> a, e;
            for (token_id id = 0; id < model.size(); ++id) a.push_back({id, text.row()[std::size_t(id)], 0.0f});
            if (step % 2 == 1) std::reverse(a.begin(), a.end());  // no row
            e = a;
            llama_token_data_array left{a.data(), a.size(), -1, false}, expected{e.data(), e.size(), -1, false};
            llama_sampler_apply(ours.get(), &left);
            llama_sampler_apply(theirs.get(), &expected);
            ASSERT_EQ(left.size, expected.size);
            EXPECT_EQ(left.sorted, expected.sorted);
            EXPECT_EQ(left.selected, expected.selected);
            token_id best = 0;
            float greatest = illegal_logit;
            for (std::size_t i = 0; i < a.size(); ++i) {
                ASSERT_EQ(left.data[i].id, expected.data[i].id);
                ASSERT_EQ(left.data[i].logit, expected.data[i].logit) << language << step;
                if (left.data[i].logit > greatest) greatest = left.data[i].logit, best = left.data[i].id;
            }
            if (model.words().ends_generation(best)) break;
            llama_sampler_accept(ours.get(), best);
            llama_sampler_accept(theirs.get(), best);
            text.put(best);
        }
    }
}
/// llama.cpp's chains cannot be told that there is no token: one candidate is left, and the chain says why.
TEST(Sampler, SaysWhyThereIsNothingMore) {
    const known_model& model = written_model();
    const auto sampler = chain<llama_exact>(constrain{matcher_of(model, "root ::= \"a\"")}, dist{.seed = 1});
    const llama_token end = llama_vocab_eos(model.vocab());
    const sampler_owner made(llama::make_sampler(sampler, {.fallback = end}));
    const auto* const held = llama::chain_of<std::remove_cv_t<decltype(sampler)>>(made.get());
    ASSERT_NE(held, nullptr);
    writer text(model);
    const auto tokens = text_of(text, made.get());
    ASSERT_EQ(tokens.size(), 2u);
    EXPECT_EQ(model.piece(tokens[0]), "a");
    EXPECT_EQ(tokens[1], end);
    EXPECT_TRUE(held->last_status().ok());

    std::vector<llama_token_data> all;
    for (token_id id = 0; id < model.size(); ++id) all.push_back({id, 0.0f, 0.0f});
    llama_token_data_array array{all.data(), all.size(), -1, false};
    llama_sampler_apply(made.get(), &array);
    ASSERT_EQ(array.size, 1u);
    EXPECT_EQ(array.selected, 0);
    EXPECT_EQ(array.data[0].id, end);
    EXPECT_EQ(array.data[0].logit, illegal_logit);
    EXPECT_EQ(held->last_status().code(), status_code::no_legal_token);
    EXPECT_EQ(text_of(text, made.get(), 1), std::vector{end});
}
/// As llama_sampler_sample has it, which accepts what was left as well: that it is refused says nothing new.
TEST(Sampler, SaysWhyWhenItsFallbackIsAccepted) {
    const known_model& model = written_model();
    const auto sampler = chain<llama_exact>(constrain{matcher_of(model, "root ::= \"a\"")}, dist{.seed = 1});
    const sampler_owner made(llama::make_sampler(sampler));
    writer text(model);
    EXPECT_EQ(text_of(text, made.get()).size(), 2u);
    text_of(text, made.get(), 1);
    const auto* const held = llama::chain_of<std::remove_cv_t<decltype(sampler)>>(made.get());
    ASSERT_NE(held, nullptr);
    EXPECT_EQ(held->last_status().code(), status_code::no_legal_token);
}

// ---- attached to a context

/// What comes back of a graph, the greatest logits, says nothing of which ones are legal: such a chain is run on the
/// processor, on whole rows.
template <class Chain>
void expect_same_tokens_attached(const Chain& sampler, const char* front, bool set_later) {
    const sampler_owner attached(llama::make_chain(sampler));
    const context_owner context = set_later ? new_context() : new_context({{0, attached.get()}});
    if (set_later) {
        EXPECT_TRUE(llama_set_sampler(context.get(), 0, attached.get()));
    }
    const context_owner other = new_context();
    EXPECT_STREQ(llama_sampler_name(llama_sampler_chain_get(attached.get(), 0)), front);
    accept_all(attached.get(), prompt());
    auto expected = sampler;
    ASSERT_TRUE(llama::prompt(expected, prompt()).ok());
    line text(context.get(), 0, 5), same(other.get(), 0, 5);
    for (int i = 0; i < steps; ++i) {
        text.step();
        same.step();
        const token_id token = llama::sample(expected, other.get(), same.index());
        ASSERT_GE(token, 0) << expected.last_status().message().c_str();
        ASSERT_EQ(llama_sampler_sample(attached.get(), context.get(), text.index()), token) << i;
        EXPECT_EQ(llama_get_sampled_logits_count_ith(context.get(), text.index()), std::uint32_t(random_model_size()));
        EXPECT_EQ(llama_get_sampled_token_ith(context.get(), text.index()), null_token);
        if (written_model().words().ends_generation(token)) break;
        text.go_on_with(token);
        same.go_on_with(token);
    }
    if (set_later) llama_set_sampler(context.get(), 0, nullptr);
}
TEST(Attached, StaysOnTheProcessorAndGivesTheSameTokens) {
    for (const bool set_later : {false, true}) {
        expect_same_tokens_attached(with_grammar<llama_exact>(12), "riffle-front", set_later);
        expect_same_tokens_attached(with_grammar<reproducible>(12), "riffle-front", set_later);
        expect_same_tokens_attached(with_grammar<fast>(12), "riffle-front", set_later);
    }
}
/// Biases ahead of it under `fast` are the graph's; otherwise they change nothing.
TEST(Attached, BehindBiases) {
    const constrain grammar{matcher_of(written_model(), letters)};
    const logit_bias biases{{{300, -1.0f}, {301, -2.0f}}};
    const auto bias_first = biases | grammar | top_k{20} | dist{.seed = 3};
    expect_same_tokens_attached(bias_first, "riffle-front", false);
    expect_same_tokens_attached(with<llama_exact>(bias_first), "riffle-front", false);
    expect_same_tokens_attached(with<fast>(bias_first), "+riffle-front", false);
}

// ---- behind samplers of a graph

/// Two thousand of the greatest logits are what llama.cpp's own sampler leaves of a row.
TEST(BehindAGraph, FromWhatItsSamplersLeft) {
    const known_model& model = written_model();
    for (std::uint32_t seed = 1; seed <= 5; ++seed) {
        const sampler_owner of_graph(llama_sampler_chain_init(llama_sampler_chain_default_params()));
        llama_sampler_chain_add(of_graph.get(), llama_sampler_init_top_k(2000));
        const context_owner context = new_context({{0, of_graph.get()}});
        both_chains both;
        both.add(constrain{matcher_of(model, letters)}, peer_of(model, letters));
        all_settings[0].add(both, model, seed);
        const sampler_owner made(llama::make_sampler(both.ours));
        both_chains outside;
        all_settings[0].add(outside, model, seed);
        riffle::guided beside(outside.ours, matcher_of(model, letters));
        line text(context.get(), 0, 5);
        for (int i = 0; i < steps; ++i) {
            text.step();
            EXPECT_EQ(llama_get_sampled_logits_count_ith(context.get(), text.index()), 2000u);
            const token_id token = llama_sampler_sample(both.peers.get(), context.get(), text.index());
            ASSERT_EQ(llama::sample(both.ours, context.get(), text.index()), token) << i;
            ASSERT_EQ(llama_sampler_sample(made.get(), context.get(), text.index()), token) << i;
            ASSERT_EQ(llama::sample(beside, context.get(), text.index(), grammar_use::first), token) << i;
            if (model.words().ends_generation(token)) break;
            text.go_on_with(token);
        }
    }
}
/// A token that the graph has chosen is taken or refused; there is no second one.
TEST(BehindAGraph, TheTokenThatItChose) {
    const known_model& model = written_model();
    const sampler_owner of_graph(llama_sampler_chain_init(llama_sampler_chain_default_params()));
    llama_sampler_chain_add(of_graph.get(), llama_sampler_init_greedy());
    const context_owner context = new_context({{0, of_graph.get()}});
    line text(context.get(), 0, 5);
    text.step();
    const token_id chosen = llama_get_sampled_token_ith(context.get(), text.index());
    ASSERT_GE(chosen, 0);
    for (const bool takes : {true, false}) {
        const std::string language = "root ::= " + std::string(takes ? "" : "!") + "<[" + std::to_string(chosen) + "]>";
        riffle::guided beside(top_k{40} | dist{}, matcher_of(model, language));
        auto inside = constrain{matcher_of(model, language)} | top_k{40} | dist{};
        EXPECT_EQ(llama::sample(beside, context.get(), text.index()), takes ? chosen : null_token);
        EXPECT_EQ(beside.last_status().code(), takes ? status_code::ok : status_code::stage_failed);
        EXPECT_EQ(beside.matcher().mark(), takes ? 1u : 0u);
        EXPECT_EQ(llama::sample(inside, context.get(), text.index()), takes ? chosen : null_token);
        EXPECT_EQ(inside.last_status().code(), takes ? status_code::ok : status_code::stage_failed);
    }
}

}  // namespace
}  // namespace riffle_tests::llama_constrained
