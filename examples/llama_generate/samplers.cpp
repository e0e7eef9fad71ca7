#include "samplers.hpp"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <utility>

using namespace riffle;

namespace {

struct free_sampler {
    void operator()(llama_sampler* s) const { llama_sampler_free(s); }
};

/// llama_sampler_sample with what is owned.
token_source source_of_sampler(llama_sampler* owned) {
    const std::shared_ptr<llama_sampler> sampler(owned, free_sampler());
    token_source source;
    source.owned = sampler;
    source.prompt = [sampler](const std::vector<llama_token>& tokens) {
        for (const llama_token token : tokens) llama_sampler_accept(sampler.get(), token);
    };
    source.sample = [sampler](llama_context* context) { return llama_sampler_sample(sampler.get(), context, -1); };
    return source;
}

/// What chain, or chain and grammar together, choose straight from the context's logits.
template <class Both>
token_source source_of_riffle(Both both, std::shared_ptr<const vocabulary> words) {
    const auto shared = std::make_shared<Both>(std::move(both));
    token_source source;
    source.prompt = [shared, words](const std::vector<llama_token>& tokens) { shared->prompt(tokens); };
    source.sample = [shared](llama_context* c) { return llama::sample(*shared, c, -1); };
    return source;
}

/// The file that says which texts are legal; empty where any is.
const std::string& language_file(const options& wanted) {
    return wanted.grammar.empty() ? wanted.json_schema : wanted.grammar;
}

parsed<grammar> read_language(const options& wanted, const std::string& language) {
    if (!wanted.grammar.empty()) return parse_gbnf(language);
    json_schema_options how;
    if (wanted.json_whitespace == "compact") how.whitespace = json_whitespace::compact;
    if (wanted.json_whitespace == "single_space") how.whitespace = json_whitespace::single_space;
    if (wanted.json_whitespace == "pretty") how.whitespace = json_whitespace::pretty;
    return compile_json_schema(language, how);
}

template <class Policies>
token_source riffles(const chain_settings& settings, std::shared_ptr<const vocabulary> words, const options& wanted,
                     const std::string& language, llama_context* context) {
    const options::sampling with = wanted.with;
    basic_dynamic_chain<Policies> chain;
    token_source source;
    grammar_matcher matcher;
    if (!language_file(wanted).empty()) {
        const parsed<grammar> read = read_language(wanted, language);
        if (!read) {
            source.problem = language_file(wanted) + ":" + read.problem().message();
            return source;
        }
        for (const parse_problem& warning : read.warnings())
            std::fprintf(stderr, "%s: %s\n", language_file(wanted).c_str(), warning.message().c_str());
        matcher = grammar_matcher(*read, vocabulary_trie(*words));
        if (!wanted.grammar_after) chain.push(constrain{matcher});
    }
    constrain_by_schema by_schema;  // for a grammar or a schema among the settings
    if (const status built = settings.build(chain, words.get(), by_schema); !built.ok()) {
        source.problem = built.message().c_str();
        if (!by_schema.problem().sentence.empty()) source.problem += ": " + by_schema.problem().message();
        return source;
    }
    if (wanted.grammar_after) {
        if (with == options::sampling::riffle) return source_of_riffle(guided(std::move(chain), matcher), words);
        source.problem = "--grammar-after goes with --with riffle and --with llama";
        return source;
    }
    if (with != options::sampling::riffle) {
        llama_sampler* const sampler = llama::make_chain(std::move(chain));
        // Before the prompt is evaluated, and for as long as the context is used.
        if (with == options::sampling::graph) llama_set_sampler(context, 0, sampler);
        source = source_of_sampler(sampler);
        source.sample = [words, sample = std::move(source.sample)](llama_context* c) { return sample(c); };
        return source;
    }
    return source_of_riffle(std::move(chain), words);
}

llama_sampler* llamas(sampler_kind kind, const chain_settings& s, const llama_vocab* vocab) {
    const auto keep = std::size_t(s.min_keep > 0 ? s.min_keep : 0);
    const auto seed = std::uint32_t(s.seed);
    switch (kind) {
    case sampler_kind::penalties:
        return llama_sampler_init_penalties(s.n_vocab, s.penalty_last_n, s.penalty_repeat, s.penalty_freq,
                                            s.penalty_present);
    case sampler_kind::dry: {
        std::vector<const char*> breakers;
        for (const std::string& breaker : s.dry_breakers) breakers.push_back(breaker.c_str());
        return llama_sampler_init_dry(vocab, s.dry_multiplier, s.dry_base, s.dry_allowed_length, s.dry_penalty_last_n,
                                      breakers.data(), breakers.size());
    }
    case sampler_kind::top_n_sigma: return llama_sampler_init_top_n_sigma(s.top_n_sigma);
    case sampler_kind::top_k: return llama_sampler_init_top_k(s.top_k);
    case sampler_kind::typical: return llama_sampler_init_typical(s.typ_p, keep);
    case sampler_kind::top_p: return llama_sampler_init_top_p(s.top_p, keep);
    case sampler_kind::min_p: return llama_sampler_init_min_p(s.min_p, keep);
    case sampler_kind::xtc: return llama_sampler_init_xtc(s.xtc_probability, s.xtc_threshold, keep, seed);
    case sampler_kind::temperature: return llama_sampler_init_temp_ext(s.temp, s.dynatemp_range, s.dynatemp_exponent);
    case sampler_kind::infill: return llama_sampler_init_infill(vocab);
    case sampler_kind::adaptive_p: return llama_sampler_init_adaptive_p(s.adaptive_target, s.adaptive_decay, seed);
    case sampler_kind::greedy: return llama_sampler_init_greedy();
    case sampler_kind::dist: return llama_sampler_init_dist(seed);
    default: return nullptr;  // llama.cpp has no such sampler
    }
}

/// As llama.cpp's common tools put their chain together.
token_source llamas(const chain_settings& s, const llama_vocab* vocab) {
    llama_sampler* const chain = llama_sampler_chain_init(llama_sampler_chain_default_params());
    token_source source = source_of_sampler(chain);
    const auto add = [&](llama_sampler* sampler) {
        if (sampler) llama_sampler_chain_add(chain, sampler);
        else source.problem = "llama.cpp lacks one of these samplers";
    };
    std::vector<llama_logit_bias> biases;
    for (const auto& entry : s.biases) biases.push_back({entry.token, entry.bias});
    for (const token_id token : s.suppressed) biases.push_back({token, illegal_logit});
    for (token_id id = 0; s.ignore_eos && id < s.n_vocab; ++id)
        if (llama_vocab_is_eog(vocab, id)) biases.push_back({id, illegal_logit});
    if (!biases.empty()) add(llama_sampler_init_logit_bias(s.n_vocab, std::int32_t(biases.size()), biases.data()));

    const auto seed = std::uint32_t(s.seed);
    if (s.mirostat != 0) {
        add(llama_sampler_init_temp(s.temp));
        add(s.mirostat == 1 ? llama_sampler_init_mirostat(s.n_vocab, seed, s.mirostat_tau, s.mirostat_eta, 100)
                            : llama_sampler_init_mirostat_v2(seed, s.mirostat_tau, s.mirostat_eta));
        return source;
    }
    sampler_kind selector = sampler_kind::dist;
    for (const sampler_kind kind : s.samplers) {
        if (kind == sampler_kind::adaptive_p || kind == sampler_kind::greedy || kind == sampler_kind::dist)
            selector = kind;
        else add(llamas(kind, s, vocab));
    }
    add(llamas(selector, s, vocab));
    return source;
}

/// As llama.cpp's common tools have a grammar beside their chain: ahead of it, or asked about the token that was
/// chosen.
class llamas_grammar {
public:
    llamas_grammar(std::shared_ptr<llama_sampler> grammar, token_source chain, const llama_vocab* vocab,
                   bool afterwards)
        : grammar_(std::move(grammar)), chain_(std::move(chain)), vocab_(vocab), afterwards_(afterwards) {}

    void prompt(const std::vector<llama_token>& tokens) const { chain_.prompt(tokens); }
    llama_token sample(llama_context* context) {
        llama_token token = afterwards_ ? chosen(context, false) : null_token;
        if (token < 0 || !takes(token)) token = chosen(context, true);
        if (token < 0) return token;
        llama_sampler_accept(grammar_.get(), token);
        llama_sampler_accept(chain_.owned.get(), token);
        return token;
    }

private:
    llama_token chosen(llama_context* context, bool masked) {
        const float* const logits = llama_get_logits_ith(context, -1);
        tokens_.resize(std::size_t(llama_vocab_n_tokens(vocab_)));
        for (std::size_t id = 0; id < tokens_.size(); ++id) tokens_[id] = {llama_token(id), logits[id], 0.0f};
        llama_token_data_array array{tokens_.data(), tokens_.size(), -1, false};
        if (masked) llama_sampler_apply(grammar_.get(), &array);
        llama_sampler_apply(chain_.owned.get(), &array);
        return array.selected >= 0 ? array.data[array.selected].id : null_token;
    }
    bool takes(llama_token token) {
        llama_token_data one{token, 1.0f, 0.0f};
        llama_token_data_array array{&one, 1, -1, false};
        llama_sampler_apply(grammar_.get(), &array);
        return !std::isinf(one.logit);
    }

    std::shared_ptr<llama_sampler> grammar_;
    token_source chain_;
    const llama_vocab* vocab_;
    bool afterwards_;
    std::vector<llama_token_data> tokens_;
};

token_source with_llamas_grammar(token_source chain, const std::string& text, const options& wanted,
                                 const llama_vocab* vocab) {
    llama_sampler* const made = llama_sampler_init_grammar(vocab, text.c_str(), "root");
    token_source source;
    if (!made) {
        source.problem = "llama.cpp cannot read " + wanted.grammar;
        return source;
    }
    const std::shared_ptr<llama_sampler> grammar(made, free_sampler());
    const auto both = std::make_shared<llamas_grammar>(grammar, std::move(chain), vocab, wanted.grammar_after);
    source.prompt = [both](const std::vector<llama_token>& tokens) { both->prompt(tokens); };
    source.sample = [both](llama_context* c) { return both->sample(c); };
    return source;
}

bool read_file(const std::string& path, std::string& text) {
    std::ifstream file(path, std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(file), {});
    return bool(file);
}

}  // namespace

token_source source_of(const options& wanted, const loaded_model& from) {
    const auto words = std::make_shared<const vocabulary>(llama::vocabulary_of(from.model()));
    chain_settings settings = llama::settings_of(from.model(), words.get());
    token_source none;
    if (!settings.read(wanted.settings)) {
        none.problem = settings.problem();
        return none;
    }
    std::string language;
    if (!language_file(wanted).empty() && !read_file(language_file(wanted), language)) {
        none.problem = language_file(wanted) + " cannot be read";
        return none;
    }
    if (wanted.with == options::sampling::llama) {
        if (!settings.grammar.empty() || !settings.json_schema.empty()) {
            none.problem = "a grammar or a schema among the settings goes with the others: --with llama takes a grammar from --grammar FILE";
            return none;
        }
        token_source chain = llamas(settings, from.vocab());
        if (wanted.grammar.empty() || !chain.problem.empty()) return chain;
        return with_llamas_grammar(std::move(chain), language, wanted, from.vocab());
    }
    llama_context* const context = from.context();
    if (wanted.numerics == "fast") return riffles<fast>(settings, words, wanted, language, context);
    if (wanted.numerics == "reproducible") return riffles<reproducible>(settings, words, wanted, language, context);
    return riffles<llama_exact>(settings, words, wanted, language, context);
}
