#pragma once
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <riffle/riffle.hpp>
#include <riffle/samplers/dry_breakers.hpp>
#include <riffle/settings/sampler_names.hpp>

namespace riffle::inline RIFFLE_ABI {

/// The sampling parameters of llama.cpp, with its names and defaults, and the chief ones of those samplers of riffle's
/// that are made of numbers alone; read from a text, and made into a chain.
///
///     chain_settings s;
///     if (!s.read("top_k=40;top_p=0.95;temp=0.8;seed=42")) std::puts(s.problem().c_str());
///     dynamic_chain c;
///     status made = s.build(c);
///
/// The text is a list of name=value, separated by `;`. A sampler that is named, or a parameter of one, puts that
/// sampler into the chain, in the order in which they are first mentioned: the example is top_k | top_p | temperature |
/// dist. Where no sampler is mentioned the chain is llama.cpp's default one, as it is where `samplers=default` is said.
/// `samplers=top_k,temp` (or llama.cpp's `samplers=top_k;temp`) and `sampler_seq=kt` (its letters) say the order
/// themselves, whatever was mentioned before: parameters that follow then add no sampler, names alone are appended.
/// What is not set has llama.cpp's default value, but for the seed: nothing is random unasked, so it is 0;
/// `seed=random`, or -1, draws one.
///
/// A sampler that llama.cpp calls disabled stays in the chain and does nothing. Reading and building allocate, and may
/// throw what std::vector throws.
class chain_settings {
public:
    // llama.cpp's common parameters
    std::uint64_t seed = 0;
    std::int32_t min_keep = 0;
    std::int32_t top_k = 40;
    float top_p = 0.95f;
    float min_p = 0.05f;
    float typ_p = 1.0f;
    float top_n_sigma = -1.0f;
    float xtc_probability = 0.0f;
    float xtc_threshold = 0.1f;
    float temp = 0.8f;
    float dynatemp_range = 0.0f;
    float dynatemp_exponent = 1.0f;
    std::int32_t penalty_last_n = 64;
    float penalty_repeat = 1.0f;
    float penalty_freq = 0.0f;
    float penalty_present = 0.0f;
    float dry_multiplier = 0.0f;
    float dry_base = 1.75f;
    std::int32_t dry_allowed_length = 2;
    std::int32_t dry_penalty_last_n = 64;
    float adaptive_target = -1.0f;
    float adaptive_decay = 0.9f;
    std::int32_t mirostat = 0;  ///< 1 or 2: temperature and mirostat alone, whatever else is named
    float mirostat_tau = 5.0f;
    float mirostat_eta = 0.1f;
    std::int32_t n_vocab = 0;     ///< for mirostat 1, where no vocabulary is given
    std::int32_t ignore_eos = 0;  ///< bans the tokens that end generation
    // riffle's own
    float top_a = 0.2f;
    float tail_free = 0.95f;
    float epsilon_cutoff = 3e-4f;
    float eta_cutoff = 3e-4f;
    float top_h = 0.4f;
    float min_k = 3.0f;
    float quadratic = 0.3f;
    float smoothing_curve = 1.0f;
    float soft_cap = 30.0f;
    std::int32_t no_repeat_ngram = 3;

    std::vector<logit_bias_entry> biases;  ///< logit_bias=15043-1,29871+2.5: llama.cpp's form
    std::vector<token_id> suppressed;      ///< suppress=5,7: banned, as a model's suppress_tokens
    /// dry_sequence_breaker=\n, once for each, the first in place of these; `none` leaves none. \n, \t, \r, \\ and \xHH
    /// (of `;`, and of blanks at either end) are escapes. Build needs a vocabulary for them where dry is on.
    std::vector<std::string> dry_breakers{"\n", ":", "\"", "*"};
    token_sequences dry_breaker_tokens;   ///< in place of the strings; no text sets them
    bool first_space_is_dropped = false;  ///< of a piece, when strings are looked for: see dry_breakers
    /// In order, a selector wherever it stands; none = the selector alone. A list set by hand gives way to the first
    /// sampler that a text mentions.
    std::vector<sampler_kind> samplers{std::begin(default_samplers), std::end(default_samplers)};

    /// Reads a text on top of what is set. False where something in it is unknown or malformed: problem() then says
    /// what (of unknown names, with those that are known); nothing has changed.
    bool read(text settings) {
        chain_settings changed = *this;
        changed.problem_.clear();
        while (!settings.empty()) {
            const std::size_t end = find(settings, ';');
            if (!changed.read_one(trimmed(settings.part(0, end)))) {
                problem_ = changed.problem_;
                return false;
            }
            settings = settings.part(end + 1);
        }
        *this = std::move(changed);
        return true;
    }
    /// What was wrong with the text read last; empty when nothing was.
    const std::string& problem() const noexcept { return problem_; }

    /// Puts the stages into a chain, behind those it has: biases first, then the samplers, then the selector, dist
    /// where none is named. A vocabulary is needed for ignore_eos, infill, and dry's breakers where they are texts and
    /// dry is on; it must outlive the chain. Where it is missing, or mirostat has no such version, nothing is built. A
    /// parameter without meaning is built, and the chain answers with its name until it has one.
    template <class Policies>
    status build(basic_dynamic_chain<Policies>& into, const vocabulary* vocab = nullptr) const {
        builder<Policies> to{*this, into, vocab, {}};
        return to.run();
    }

private:
    // ---- reading

    struct parameter {
        const char* names[3];
        int sampler;  ///< of which it is one, -1 for none
        float chain_settings::*number;
        std::int32_t chain_settings::*whole;
    };
    RIFFLE_LOCAL static std::span<const parameter> parameters() noexcept {
        using s = chain_settings;
        constexpr auto of = [](sampler_kind kind) { return int(kind); };
        using enum sampler_kind;
        static constexpr parameter all[] = {
            {{"min_keep"}, -1, nullptr, &s::min_keep},
            {{"top_k", "top-k"}, of(sampler_kind::top_k), nullptr, &s::top_k},
            {{"top_p", "top-p"}, of(sampler_kind::top_p), &s::top_p, nullptr},
            {{"min_p", "min-p"}, of(sampler_kind::min_p), &s::min_p, nullptr},
            {{"typ_p", "typical", "typical_p"}, of(typical), &s::typ_p, nullptr},
            {{"top_n_sigma", "top-n-sigma"}, of(sampler_kind::top_n_sigma), &s::top_n_sigma, nullptr},
            {{"xtc_probability"}, of(xtc), &s::xtc_probability, nullptr},
            {{"xtc_threshold"}, of(xtc), &s::xtc_threshold, nullptr},
            {{"temp", "temperature"}, of(temperature), &s::temp, nullptr},
            {{"dynatemp_range"}, of(temperature), &s::dynatemp_range, nullptr},
            {{"dynatemp_exponent", "dynatemp_exp"}, of(temperature), &s::dynatemp_exponent, nullptr},
            {{"penalty_last_n", "repeat_last_n"}, of(penalties), nullptr, &s::penalty_last_n},
            {{"penalty_repeat", "repeat_penalty"}, of(penalties), &s::penalty_repeat, nullptr},
            {{"penalty_freq", "frequency_penalty"}, of(penalties), &s::penalty_freq, nullptr},
            {{"penalty_present", "presence_penalty"}, of(penalties), &s::penalty_present, nullptr},
            {{"dry_multiplier"}, of(dry), &s::dry_multiplier, nullptr},
            {{"dry_base"}, of(dry), &s::dry_base, nullptr},
            {{"dry_allowed_length"}, of(dry), nullptr, &s::dry_allowed_length},
            {{"dry_penalty_last_n"}, of(dry), nullptr, &s::dry_penalty_last_n},
            {{"adaptive_target"}, of(adaptive_p), &s::adaptive_target, nullptr},
            {{"adaptive_decay"}, of(adaptive_p), &s::adaptive_decay, nullptr},
            {{"mirostat"}, -1, nullptr, &s::mirostat},
            {{"mirostat_tau", "mirostat_ent"}, -1, &s::mirostat_tau, nullptr},
            {{"mirostat_eta", "mirostat_lr"}, -1, &s::mirostat_eta, nullptr},
            {{"n_vocab"}, -1, nullptr, &s::n_vocab},
            {{"ignore_eos"}, -1, nullptr, &s::ignore_eos},
            {{"top_a", "top-a"}, of(sampler_kind::top_a), &s::top_a, nullptr},
            {{"tail_free", "tfs", "tfs_z"}, of(sampler_kind::tail_free), &s::tail_free, nullptr},
            {{"epsilon_cutoff"}, of(sampler_kind::epsilon_cutoff), &s::epsilon_cutoff, nullptr},
            {{"eta_cutoff"}, of(sampler_kind::eta_cutoff), &s::eta_cutoff, nullptr},
            {{"top_h", "top-h"}, of(sampler_kind::top_h), &s::top_h, nullptr},
            {{"min_k", "min-k"}, of(sampler_kind::min_k), &s::min_k, nullptr},
            {{"quadratic", "smoothing_factor"}, of(sampler_kind::quadratic), &s::quadratic, nullptr},
            {{"smoothing_curve"}, of(sampler_kind::quadratic), &s::smoothing_curve, nullptr},
            {{"soft_cap"}, of(sampler_kind::soft_cap), &s::soft_cap, nullptr},
            {{"no_repeat_ngram", "no_repeat_ngram_size"},
             of(sampler_kind::no_repeat_ngram),
             nullptr,
             &s::no_repeat_ngram},
        };
        return all;
    }

    bool read_one(text entry) {
        if (entry.empty()) return true;
        const std::size_t equals = find(entry, '=');
        const text name = trimmed(entry.part(0, equals));
        if (equals == entry.size()) return name_sampler(name);
        const text value = trimmed(entry.part(equals + 1));
        if (sampler_names::same_name(name, "samplers")) return read_order(value);
        if (sampler_names::same_name(name, "sampler_seq")) return read_letters(value);
        if (sampler_names::same_name(name, "seed")) return read_seed(value);
        if (sampler_names::same_name(name, "logit_bias")) return read_biases(value);
        if (sampler_names::same_name(name, "suppress")) return read_tokens(value);
        if (sampler_names::same_name(name, "dry_sequence_breaker")) return read_breaker(value);
        const sampler_names* const sampler = sampler_called(name);
        for (const parameter& p : parameters())
            for (const char* known : p.names)
                if (known && (sampler_names::same_name(name, known) ||
                              (sampler && sampler_names::same_name(sampler->names[0], known)))) {
                    if (p.sampler >= 0) mention(sampler_kind(p.sampler));
                    return p.number ? read_number(name, value, this->*p.number)
                                    : read_number(name, value, this->*p.whole);
                }
        if (sampler) return fail("settings: ", quoted(name), " takes no value: name it alone, or give its parameters");
        return unknown(name);
    }
    static const sampler_names* sampler_called(text name) noexcept {
        for (const auto& known : known_samplers)
            if (known.has(name)) return &known;
        return nullptr;
    }
    bool name_sampler(text name) {
        if (const sampler_names* const sampler = sampler_called(name)) name_one(sampler->kind);
        else if (sampler_names::same_name(name, "ignore_eos")) ignore_eos = 1;
        else return unknown(name);
        return true;
    }
    /// In the order of first mention, unless the order was said.
    void mention(sampler_kind kind) {
        if (order_said_) return;
        if (!std::exchange(mentioned_, true)) samplers.clear();
        for (const sampler_kind there : samplers)
            if (there == kind) return;
        samplers.push_back(kind);
    }
    /// A name alone: the next of an order that was said, or a mention.
    void name_one(sampler_kind kind) {
        if (order_said_) samplers.push_back(kind);
        else mention(kind);
    }
    bool read_order(text value) {
        say_order();
        if (sampler_names::same_name(value, "default")) {
            samplers.assign(std::begin(default_samplers), std::end(default_samplers));
            return true;
        }
        while (!value.empty()) {
            const std::size_t end = find(value, ',');
            const text name = trimmed(value.part(0, end));
            const sampler_names* const sampler = sampler_called(name);
            if (!sampler) return unknown(name);
            samplers.push_back(sampler->kind);
            value = value.part(end + 1);
        }
        return true;
    }
    bool read_letters(text value) {
        say_order();
        for (const char letter : value) {
            bool found = false;
            for (const auto& known : known_samplers)
                if (!found && letter && known.letter == letter) {
                    samplers.push_back(known.kind);
                    found = true;
                }
            if (!found) return fail("settings: no sampler has the letter '", letter, "'; ", letters());
        }
        return true;
    }
    void say_order() {
        order_said_ = true;
        samplers.clear();
    }

    bool read_seed(text value) {
        if (sampler_names::same_name(value, "random") || value == text("-1")) {
            seed = random_seed();
            return true;
        }
        return read_number("seed", value, seed);
    }
    /// llama.cpp's TOKEN+BIAS and TOKEN-BIAS, a list of them; TOKEN-inf bans.
    bool read_biases(text value) {
        while (!value.empty()) {
            const std::size_t end = find(value, ',');
            const text one = trimmed(value.part(0, end));
            std::size_t sign = 0;
            while (sign < one.size() && one[sign] != '+' && one[sign] != '-' && one[sign] != ':') ++sign;
            logit_bias_entry entry{};
            if (!read_number("logit_bias", one.part(0, sign), entry.token)) return false;
            const bool signs = sign < one.size() && one[sign] == '-';
            if (!read_number("logit_bias", one.part(signs ? sign : sign + 1), entry.bias)) return false;
            biases.push_back(entry);
            value = value.part(end + 1);
        }
        return true;
    }
    bool read_tokens(text value) {
        while (!value.empty()) {
            const std::size_t end = find(value, ',');
            token_id token = null_token;
            if (!read_number("suppress", trimmed(value.part(0, end)), token)) return false;
            suppressed.push_back(token);
            value = value.part(end + 1);
        }
        return true;
    }
    /// As llama.cpp's --dry-sequence-breaker, with its escapes.
    bool read_breaker(text value) {
        mention(sampler_kind::dry);
        if (!std::exchange(breakers_said_, true)) dry_breakers.clear();
        if (sampler_names::same_name(value, "none")) {
            dry_breakers.clear();
            return true;
        }
        std::string breaker;
        while (!value.empty()) breaker += unescaped(value);
        if (breaker.empty()) return fail("settings: dry_sequence_breaker needs a text, or none");
        dry_breakers.push_back(std::move(breaker));
        return true;
    }
    /// Takes one character off a text. A backslash ahead of anything else stands for itself.
    static char unescaped(text& t) noexcept {
        const auto take = [&t](std::size_t count, char meant) {
            t = t.part(count);
            return meant;
        };
        if (t[0] != '\\' || t.size() < 2) return take(1, t[0]);
        switch (t[1]) {
        case 'n': return take(2, '\n');
        case 't': return take(2, '\t');
        case 'r': return take(2, '\r');
        case '\\': return take(2, '\\');
        case 'x': {
            const text digits = t.part(2, 2);
            const int high = digits.size() == 2 ? value_of_digit(digits[0]) : 16;
            const int low = high < 16 ? value_of_digit(digits[1]) : 16;
            return low < 16 ? take(4, char(16 * high + low)) : take(1, '\\');
        }
        default: return take(1, '\\');
        }
    }
    /// 16 for what is no hexadecimal digit. (std::from_chars would bring a table that keeps a plugin from being unloaded.)
    static int value_of_digit(char digit) noexcept {
        if (digit >= '0' && digit <= '9') return digit - '0';
        if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
        return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : 16;
    }
    template <class Number>
    bool read_number(text name, text value, Number& into) {
        Number read{};
        if (value.size() > 1 && value[0] == '+' && value[1] != '-') value = value.part(1);
        const auto [end, error] = std::from_chars(value.begin(), value.end(), read);
        if (error != std::errc() || end != value.end() || value.empty())
            return fail("settings: ", quoted(name), " = \"", quoted(value), "\" is not ",
                        std::numeric_limits<Number>::is_integer ? "a whole number" : "a number");
        into = read;
        return true;
    }

    template <class... Parts>
    bool fail(const Parts&... sentence) {
        problem_.clear();
        ((problem_ += sentence), ...);
        return false;
    }
    bool unknown(text name) {
        std::string samplers_known, parameters_known;
        const char* between = " ";
        for (const auto& known : known_samplers) (samplers_known += std::exchange(between, ", ")) += known.names[0];
        for (const parameter& p : parameters()) (parameters_known += ", ") += p.names[0];
        return fail("settings: there is no \"", quoted(name), "\"; the samplers are", samplers_known,
                    "; the parameters are samplers, sampler_seq, seed, logit_bias, suppress, dry_sequence_breaker",
                    parameters_known);
    }
    static std::string letters() {
        std::string all = "the letters are";
        for (const auto& known : known_samplers) {
            if (!known.letter) continue;
            (all += ' ') += known.letter;
            ((all += " (") += known.names[0]) += ')';
        }
        return all;
    }
    /// The beginning of what a caller wrote.
    static std::string quoted(text t) {
        constexpr std::size_t most = 60;
        std::string all(t.data(), t.size() < most ? t.size() : most);
        if (t.size() > most) all += "...";
        return all;
    }
    static std::size_t find(text in, char what) noexcept {
        std::size_t at = 0;
        while (at < in.size() && in[at] != what) ++at;
        return at;
    }
    static text trimmed(text t) noexcept {
        const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
        while (!t.empty() && blank(t[0])) t = t.part(1);
        while (!t.empty() && blank(t[t.size() - 1])) t = t.part(0, t.size() - 1);
        return t;
    }

    // ---- building

    template <class Policies>
    struct builder {
        const chain_settings& s;
        basic_dynamic_chain<Policies>& chain;
        const vocabulary* vocab;
        status first;  ///< what went wrong first

        status run() {
            look_for_what_is_missing();
            if (!first.ok()) return first;
            push_biases();
            if (s.mirostat != 0) push_mirostat();
            else push_samplers();
            return first;
        }
        void look_for_what_is_missing() {
            if (s.ignore_eos && vocab == nullptr) fail("ignore_eos", 1, "needs a vocabulary");
            if (s.mirostat < 0 || s.mirostat > 2) fail("mirostat", s.mirostat, "is not 0, 1 or 2");
            if (s.mirostat != 0) return;
            for (const sampler_kind kind : s.samplers) {
                if (kind == sampler_kind::infill && vocab == nullptr) fail("infill", 0, "needs a vocabulary");
                if (kind == sampler_kind::dry && breaks_at_texts(dry_stage()) && vocab == nullptr)
                    fail("dry_multiplier", double(s.dry_multiplier), "needs a vocabulary for dry's breakers");
            }
        }
        template <class S>
        void push(S stage) {
            if (const status pushed = chain.push(std::move(stage)); first.ok()) first = pushed;
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
                stage.breakers = riffle::dry_breakers(*vocab, strings, s.first_space_is_dropped);
            }
            push(std::move(stage));
        }
    };

    std::string problem_;
    bool mentioned_ = false;   ///< a sampler was
    bool order_said_ = false;  ///< by samplers= or sampler_seq=
    bool breakers_said_ = false;
};

}  // namespace riffle
