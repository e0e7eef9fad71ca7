#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <riffle/core/text.hpp>
#include <riffle/riffle.hpp>
#include <riffle/settings/sampling_parameters.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// What is given to build where no grammar is expected.
struct no_constraint {
    template <class Chain>
    status operator()(const text& grammar, const vocabulary*, Chain&) const noexcept {
        return status::invalid("settings", "grammar", double(grammar.size()),
                               "bytes long, and build was given nothing to read it with (constrain_by_text)");
    }
};
template <class Constrain, class Chain>
concept reads_json_schemas = requires(Constrain& c, const text& schema, const vocabulary* vocab, Chain& chain) {
    { c.by_json_schema(schema, vocab, chain) } -> std::same_as<status>;
};

/// Puts the stages of parameters into a chain.
template <class Policies, class Constrain>
struct chain_builder {
    const sampling_parameters& s;
    basic_dynamic_chain<Policies>& chain;
    const vocabulary* vocab;
    Constrain& make_constraint;
    status first{};        ///< what went wrong first
    bool is_full = false;  ///< the chain takes no more

    status run() {
        look_for_what_is_missing();
        if (!first.ok()) return first;
        push_constraint();
        if (!first.ok() && chain.view().size() == 0) return first;
        push_biases();
        if (s.mirostat != 0) push_mirostat();
        else push_samplers();
        return first;
    }
    void push_constraint() {
        if (!s.grammar.empty() && !s.json_schema.empty())
            fail("json_schema", double(s.json_schema.size()), "bytes long, beside a grammar: one of them is enough");
        else if (!s.grammar.empty()) first = make_constraint(text(s.grammar), vocab, chain);
        else if (s.json_schema.empty()) return;
        else if constexpr (reads_json_schemas<Constrain, basic_dynamic_chain<Policies>>)
            first = make_constraint.by_json_schema(text(s.json_schema), vocab, chain);
        else
            fail("json_schema", double(s.json_schema.size()),
                 "bytes long, and build was given nothing to read it with (constrain_by_schema)");
    }
    void look_for_what_is_missing() {
        if (s.ignore_eos && vocab == nullptr) fail("ignore_eos", 1, "needs a vocabulary");
        if (s.mirostat < 0 || s.mirostat > 2) fail("mirostat", s.mirostat, "is not 0, 1 or 2");
        if (s.mirostat != 0) return;
        const bool has_texts = breaks_at_texts(dry_stage());
        for (const sampler_kind kind : s.samplers) {
            if (kind == sampler_kind::infill && vocab == nullptr) fail("infill", 0, "needs a vocabulary");
            if (kind == sampler_kind::dry && has_texts && vocab == nullptr)
                fail("dry_multiplier", double(s.dry_multiplier), "needs a vocabulary for dry's breakers");
        }
    }
    template <class S>
    void push(S stage) {
        const status pushed = chain.push(std::move(stage));
        is_full |= pushed == status_code::chain_malformed;
        if (first.ok()) first = pushed;
    }
    void fail(const char* field, double value, const char* rule) {
        if (first.ok()) first = status::invalid("settings", field, value, rule);
    }
    std::size_t keep() const { return s.min_keep > 0 ? std::size_t(s.min_keep) : 0; }

    void push_biases() {
        logit_bias all{s.biases};
        for (const token_id token : s.suppressed) all.biases.push_back({token, illegal_logit});
        for (token_id id = 0; s.ignore_eos && vocab && vocab->contains(id); ++id)
            if (vocab->ends_generation(id)) all.biases.push_back({id, illegal_logit});
        if (!all.biases.empty()) push(std::move(all));
    }
    void push_temperature() {
        if (s.dynatemp_range <= 0.0f) push(riffle::temperature{s.temp});
        else push(dynamic_temperature{s.temp, s.dynatemp_range, s.dynatemp_exponent});
    }
    void push_mirostat() {
        push(riffle::temperature{s.temp});
        const std::int32_t size = vocab ? std::int32_t(vocab->size()) : s.n_vocab;
        if (s.mirostat == 1) push(riffle::mirostat{s.mirostat_tau, s.mirostat_eta, 100, size, s.seed});
        else push(mirostat_v2{s.mirostat_tau, s.mirostat_eta, s.seed});
    }
    void push_samplers() {
        sampler_kind selector = sampler_kind::dist;
        for (const sampler_kind kind : s.samplers) {
            if (is_full) return;                 // a list may be as long as a text
            if (selects(kind)) selector = kind;  // at the end, wherever it is named, as llama.cpp has adaptive_p
            else push_sampler(kind);
        }
        switch (selector) {
        case sampler_kind::adaptive_p: return push(riffle::adaptive_p{s.adaptive_target, s.adaptive_decay, s.seed});
        case sampler_kind::greedy: return push(riffle::greedy{});
        case sampler_kind::gumbel: return push(riffle::gumbel{s.seed});
        default: return push(riffle::dist{s.seed});
        }
    }
    static bool selects(sampler_kind kind) {
        return kind == sampler_kind::adaptive_p || kind == sampler_kind::greedy || kind == sampler_kind::dist ||
               kind == sampler_kind::gumbel;
    }
    void push_sampler(sampler_kind kind) {
        switch (kind) {
        case sampler_kind::dry: return push_dry();
        case sampler_kind::top_k: return push(riffle::top_k{s.top_k});
        case sampler_kind::typical: return push(riffle::typical{s.typ_p, keep()});
        case sampler_kind::top_p: return push(riffle::top_p{s.top_p, keep()});
        case sampler_kind::min_p: return push(riffle::min_p{s.min_p, keep()});
        case sampler_kind::temperature: return push_temperature();
        case sampler_kind::xtc: return push(riffle::xtc{s.xtc_probability, s.xtc_threshold, keep(), s.seed});
        case sampler_kind::infill: return push(riffle::infill{vocab});
        case sampler_kind::penalties:
            return push(riffle::penalties{s.penalty_last_n, s.penalty_repeat, s.penalty_freq, s.penalty_present});
        case sampler_kind::top_n_sigma: return push(riffle::top_n_sigma{s.top_n_sigma});
        case sampler_kind::top_a: return push(riffle::top_a{s.top_a});
        case sampler_kind::tail_free: return push(riffle::tail_free{s.tail_free, keep()});
        case sampler_kind::epsilon_cutoff: return push(riffle::epsilon_cutoff{s.epsilon_cutoff, keep()});
        case sampler_kind::eta_cutoff: return push(riffle::eta_cutoff{s.eta_cutoff, keep()});
        case sampler_kind::p_less: return push(riffle::p_less{});
        case sampler_kind::top_h: return push(riffle::top_h{s.top_h, keep()});
        case sampler_kind::min_k: return push(riffle::min_k{s.min_k});
        case sampler_kind::quadratic: return push(riffle::quadratic{s.quadratic, s.smoothing_curve});
        case sampler_kind::soft_cap: return push(riffle::soft_cap{s.soft_cap});
        case sampler_kind::no_repeat_ngram: return push(riffle::no_repeat_ngram{s.no_repeat_ngram});
        case sampler_kind::none:
        case sampler_kind::adaptive_p:
        case sampler_kind::greedy:
        case sampler_kind::dist:
        case sampler_kind::gumbel: return;
        }
    }
    riffle::dry dry_stage() const {
        return {s.dry_multiplier, s.dry_base, s.dry_allowed_length, s.dry_penalty_last_n, s.dry_breaker_tokens};
    }
    bool breaks_at_texts(const riffle::dry& stage) const {
        return !stage.off() && stage.breakers.empty() && !s.dry_breakers.empty();
    }
    void push_dry() {
        riffle::dry stage = dry_stage();
        if (breaks_at_texts(stage)) {
            const std::vector<text> strings(s.dry_breakers.begin(), s.dry_breakers.end());
            const std::span<const text> all(strings.data(), strings.size());
            stage.breakers = riffle::dry_breakers(*vocab, all, s.first_space_is_dropped);
        }
        push(std::move(stage));
    }
};

}  // namespace riffle::detail
