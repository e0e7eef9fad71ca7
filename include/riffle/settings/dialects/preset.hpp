#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <riffle/core/seed.hpp>
#include <riffle/core/text.hpp>
#include <riffle/settings/chain_settings.hpp>
#include <riffle/settings/dialects/dialect_key.hpp>
#include <riffle/settings/dialects/document_format.hpp>
#include <riffle/settings/dialects/json_items.hpp>
#include <riffle/settings/dialects/koboldcpp.hpp>
#include <riffle/settings/dialects/llama_server.hpp>
#include <riffle/settings/dialects/ollama.hpp>
#include <riffle/settings/dialects/openai.hpp>
#include <riffle/settings/dialects/sampler_order.hpp>
#include <riffle/settings/dialects/text_generation_webui.hpp>
#include <riffle/settings/reader/number_text.hpp>
#include <riffle/settings/reader/options.hpp>
#include <riffle/settings/reader/problem_list.hpp>
#include <riffle/settings/sampling_parameters.hpp>

namespace riffle::inline RIFFLE_ABI::inline in_riffle_settings_hpp {

/// Whose settings a preset or a request has.
enum class dialect : std::uint8_t {
    llama,                  ///< llama.cpp: its options, and bodies of llama-server's requests
    koboldcpp,              ///< KoboldCpp's requests, and SillyTavern's presets for it
    text_generation_webui,  ///< its presets, and SillyTavern's text completion presets
    ollama,                 ///< Modelfiles' PARAMETER lines, and `options` of requests
    openai,                 ///< requests to OpenAI, and to vLLM
};

/// Everything that is known of a program's settings: what a preset is read by, and what a program can print.
inline const dialect_table& keys_of(dialect whose) noexcept {
    switch (whose) {
    case dialect::koboldcpp: return detail::koboldcpp::table;
    case dialect::text_generation_webui: return detail::text_generation_webui::table;
    case dialect::ollama: return detail::ollama::table;
    case dialect::openai: return detail::openai::table;
    case dialect::llama: break;
    }
    return detail::llama_server::table;
}

/// Settings as another program has them, key by key, and the chain that they mean there: with its defaults for what is
/// missing, its units, and its order of samplers.
///
///     preset kobold(dialect::koboldcpp);
///     for (const auto& [key, value] : request.items()) kobold.set(key, value.dump());
///     chain_settings settings;
///     if (!kobold.make(settings)) std::puts(kobold.problem().c_str());
///     for (const std::string& note : kobold.notes()) std::puts(note.c_str());
///     settings.build(chain, &words);
///
/// Values are texts: JSON as it stands (0.7, true, "text", [6, 0, 1]), or the plain words of a YAML file or a
/// Modelfile; null is a key that is not there. What reads the file is the caller's. Keys may come in any order, and in
/// either case of letters. Nothing is ignored without a word: what is no part of choosing a token, what settings cannot
/// make and what riffle has not, where it is switched on, is a note, and so is a key that nobody knows. A value that
/// cannot be read is a problem: make then changes nothing. Setting takes time and memory in proportion to the value; it
/// may throw what std::string throws.
class preset {
public:
    /// Of no keys yet: the defaults of that program.
    explicit preset(dialect whose) : table_(&keys_of(whose)), values_(table_->defaults()) {
        order_.assign(table_->order.begin(), table_->order.end());
    }

    /// Reads the value of a key; the last of several counts. False where it cannot be read: problem() says why.
    bool set(const text& key, const text& value) {
        const text plain = detail::json_items::trimmed(value);
        if (plain == text("null")) return true;
        const std::size_t problems_so_far = problems_.size();
        for (const dialect_key& known : table_->keys)
            if (known.is_called(key)) {
                read(known, key, plain);
                return problems_.size() == problems_so_far;
            }
        const option* const own = table_ == &detail::llama_server::table ? option_called(key) : nullptr;
        if (own && (own->number || own->whole)) read_own(*own, key, plain);
        else note(key, "is no key of these settings");
        return problems_.size() == problems_so_far;
    }
    /// Puts what the keys mean into settings, in place of all that was there. False where a value could not be read.
    bool make(chain_settings& into) const {
        if (problems_.size() > 0) return false;
        static_cast<sampling_parameters&>(into) = finished();
        return true;
    }
    /// What was wrong with the values; a line for each of the first eight.
    const std::string& problem() const noexcept { return problems_.sentences(); }
    /// What the chain leaves out or does in another way: a sentence each, in the order of the keys, for the first 64,
    /// and behind them how many more there are.
    const std::vector<std::string>& notes() const noexcept { return notes_; }

private:
    // ---- values

    /// An option of riffle's settings: in llama.cpp's orders there is no sampler that only riffle has.
    void read_own(const option& own, const text& key, const text& value) {
        read_number(own, key, value, 1.0);
        if (own.sampler == sampler_kind::none) return;
        for (const sampler_kind known : table_->order)
            if (known == own.sampler) return;
        note(key, "makes a stage only where samplers names it");
    }
    void read(const dialect_key& known, const text& key, const text& value) {
        const option* const own = known.setting ? option_called(text(known.setting)) : nullptr;
        switch (known.meaning) {
        case key_meaning::value: read_number(*own, key, value, 1.0); return;
        case key_meaning::ten_thousandths: read_number(*own, key, value, 1e-4); return;
        case key_meaning::window: read_window(*own, key, value, -1); return;
        case key_meaning::window_of_one: read_window(*own, key, value, 1); return;
        case key_meaning::above_0:
            if (read_number(*own, key, value, 1.0) && !(values_.*own->number > 0.0f)) values_.*own->number = -1.0f;
            return;
        case key_meaning::seed: read_seed(key, value, 0); return;
        case key_meaning::seed_above_0: read_seed(key, value, 1); return;
        case key_meaning::yes: values_.*own->whole = read_yes(key, value); return;
        case key_meaning::order: read_order(key, value); return;
        case key_meaning::numbered_order: read_numbered_order(key, value); return;
        case key_meaning::breakers: read_breakers(value); return;
        case key_meaning::biases: read_biases(key, value); return;
        case key_meaning::bans: read_bans(key, value); return;
        case key_meaning::gbnf: values_.grammar = detail::string_in(value); return;
        case key_meaning::schema:
            if (!is_off(known, value) || (!known.off && value == text("{}"))) read_schema(detail::string_in(value));
            return;
        case key_meaning::format: return read_response_format(key, value);
        case key_meaning::structured: return read_structured_outputs(key, value);
        case key_meaning::lowest_t: read_into(low_, key, value); return;
        case key_meaning::highest_t: read_into(high_, key, value); return;
        case key_meaning::dynamic_t: is_dynamic_ = read_yes(key, value); return;
        case key_meaning::last_t: is_t_last_ = read_yes(key, value); return;
        case key_meaning::draws: draws_ = read_yes(key, value); return;
        case key_meaning::server: note(key, "is no part of choosing a token", known.note); return;
        case key_meaning::elsewhere:
            if (!is_off(known, value)) note(key, "makes no stage here", known.note);
            return;
        case key_meaning::missing:
            if (!is_off(known, value)) note(key, "has no counterpart", known.note);
            return;
        }
    }
    /// A number, also of a text that holds one; whole ones may be written as 40.0.
    template <class Number>
    bool read_into(Number& into, const text& key, const text& value, double unit = 1.0) {
        float number = 0.0f;
        const std::string digits = detail::string_in(value);
        Number whole{};
        if constexpr (std::numeric_limits<Number>::is_integer)
            if (detail::read_number(text(digits), whole) == detail::number_fault::none) return into = whole, true;
        const bool is_read = detail::read_number(text(digits), number) == detail::number_fault::none;
        const bool fits = !std::numeric_limits<Number>::is_integer ||
                          (number >= -2147483648.0f && number < 2147483648.0f && float(std::int64_t(number)) == number);
        if (!is_read || !fits) return refuse(key, value, "is no number that fits");
        into = Number(double(number) * unit);
        return true;
    }
    bool read_number(const option& own, const text& key, const text& value, double unit) {
        return own.number ? read_into(values_.*own.number, key, value, unit)
                          : read_into(values_.*own.whole, key, value);
    }
    void read_window(const option& own, const text& key, const text& value, std::int32_t below_1) {
        if (read_number(own, key, value, 1.0) && values_.*own.whole < 1) values_.*own.whole = below_1;
        is_dry_window_said_ |= own.whole == &sampling_parameters::dry_penalty_last_n;
    }
    void read_seed(const text& key, const text& value, std::int64_t least) {
        const std::string digits = detail::string_in(value);
        std::int64_t seed = 0;
        if (detail::read_number(text(digits), seed) == detail::number_fault::none && seed < least)
            values_.seed = random_seed();
        else if (std::uint64_t large = 0; detail::read_number(text(digits), large) == detail::number_fault::none)
            values_.seed = large;
        else refuse(key, value, "is no seed");
    }
    bool read_yes(const text& key, const text& value) {
        const std::string said = detail::string_in(value);
        for (const char* yes : {"true", "1", "yes", "on"})
            if (detail::same_word(text(said), yes)) return true;
        for (const char* no : {"false", "0", "no", "off"})
            if (detail::same_word(text(said), no)) return false;
        return refuse(key, value, "is neither true nor false");
    }
    /// [id, bias] pairs, or an object of ids; false is -inf.
    void read_biases(const text& key, const text& value) {
        const bool are_pairs = !value.empty() && value[0] == '[';
        std::string item, bias;
        values_.biases.clear();
        for (detail::json_items all(value); all.next(item);) {
            std::string token = item;
            if (are_pairs) {
                detail::json_items pair{text(item)};
                if (!pair.next(token) || !pair.next(bias)) return void(refuse(key, value, "is no list of pairs"));
            } else if (!all.next(bias)) {
                return void(refuse(key, value, "is no object of tokens"));
            }
            logit_bias_entry entry{};
            if (!is_number(text(token))) {
                note(key,
                     ("names the text " + detail::quoted(text(token)) + ": give its ids, from a tokeniser").c_str());
                continue;
            }
            if (!read_into(entry.token, key, text(token))) return;
            if (bias == "false") entry.bias = illegal_logit;
            else if (!read_into(entry.bias, key, text(bias))) return;
            values_.biases.push_back(entry);
        }
    }
    static bool is_number(const text& said) {
        float number = 0.0f;
        return detail::read_number(said, number) == detail::number_fault::none;
    }
    void read_bans(const text& key, const text& value) {
        values_.suppressed.clear();
        const std::string list = detail::string_in(value);
        std::string item;
        for (detail::json_items all{text(list)}; all.next(item);) {
            token_id token = null_token;
            if (!read_into(token, key, text(item))) return;
            values_.suppressed.push_back(token);
        }
    }
    /// A list of texts, or a text that holds one.
    void read_breakers(const text& value) {
        values_.dry_breakers.clear();
        const std::string list =
            detail::is_one_string(value) ? detail::string_in(value) : std::string(value.data(), value.size());
        std::string item;
        for (detail::json_items all{text(list)}; all.next(item);)
            if (!item.empty()) values_.dry_breakers.push_back(item);
    }

    // ---- JSON schemas

    /// Where llama.cpp reads it the schema of anything is one of objects (json-schema-to-grammar.cpp).
    void read_schema(const std::string& schema) {
        const bool is_any = schema == "{}" && table_ != &detail::openai::table;
        values_.json_schema = schema == "json" || is_any ? "{\"type\":\"object\"}" : schema;
    }
    void read_response_format(const text& key, const text& value) {
        const detail::document_format format = detail::read_response_format(value);
        if (!format.schema.empty()) read_schema(format.schema);
        if (!format.other.empty()) refuse(key, value, "is neither text nor JSON");
    }
    void read_structured_outputs(const text& key, const text& value) {
        const detail::document_format format = detail::read_structured_outputs(value);
        if (!format.schema.empty()) read_schema(format.schema);
        if (!format.grammar.empty()) values_.grammar = format.grammar;
        if (!format.other.empty())
            note(key,
                 ("asks for " + detail::quoted(text(format.other)) + ": a grammar of it keeps a chain to it").c_str());
    }

    // ---- orders

    /// Names, in a list or a line each; of one sampler with several names the first counts. Or llama.cpp's letters.
    void read_order(const text& key, const text& value) {
        std::string list = detail::string_in(value);
        for (char& c : list)
            if (c == '\n' || c == ';') c = ',';
        const bool is_list = list.find_first_of("[,\"") != std::string::npos;
        order_.clear();
        std::string name;
        for (detail::json_items all{text(list)}; all.next(name);) {
            if (name.empty()) continue;
            const sampler_kind kind = detail::sampler_in_order(text(name));
            if (kind != sampler_kind::none) add(kind);
            else if (!is_list && are_letters(name)) add_letters(name);
            else if (!detail::means_nothing_in_order(text(name)))
                note(key, ("names " + detail::quoted(text(name)) + ", which makes no stage here").c_str());
        }
        is_order_said_ = true;
    }
    void add(sampler_kind kind) {
        const bool may_repeat = table_ == &detail::llama_server::table;  // which applies it twice then
        if (may_repeat || !detail::is_in_order(order_, kind)) order_.push_back(kind);
    }
    static bool are_letters(const std::string& said) noexcept {
        for (const char c : said)
            if (detail::sampler_of_letter(c) == sampler_kind::none) return false;
        return true;
    }
    void add_letters(const std::string& letters) {
        for (const char c : letters) add(detail::sampler_of_letter(c));
    }
    /// KoboldCpp's: what is left out is not applied; DRY comes ahead of all, XTC behind.
    void read_numbered_order(const text& key, const text& value) {
        std::vector<sampler_kind> said{sampler_kind::dry};
        std::string item;
        std::size_t count = 0;
        for (detail::json_items all(value); all.next(item); ++count) {
            std::int32_t number = -1;
            if (!read_into(number, key, text(item))) return;
            if (!detail::add_numbered(said, number))
                note(key, ("names " + detail::quoted(text(item)) + ", which is none of 0 to 6").c_str());
        }
        said.push_back(sampler_kind::xtc);
        if (count == 0 || count > 7) return;  // as it is where none is given
        order_ = std::move(said);
        is_order_said_ = true;
    }

    // ---- the end

    sampling_parameters finished() const {
        sampling_parameters p = values_;
        if (is_dynamic_) {
            p.temp = (low_ + high_) / 2;
            p.dynatemp_range = high_ > low_ ? (high_ - low_) / 2 : 0.0f;
        }
        if (table_ == &detail::text_generation_webui::table && !is_dry_window_said_)
            p.dry_penalty_last_n = p.penalty_last_n;
        // KoboldCpp's guard against nonsense from the tail
        if (table_ == &detail::koboldcpp::table && p.adaptive_target > 0.0f && !(p.min_p > 0.0f) && !(p.top_p < 1.0f))
            p.min_p = 0.002f;
        p.samplers.clear();
        if (is_order_said_ && !table_->leaves_out_unnamed)
            for (const sampler_kind kind : table_->order)
                if (!detail::is_in_order(order_, kind)) p.samplers.push_back(kind);
        p.samplers.insert(p.samplers.end(), order_.begin(), order_.end());
        if (is_t_last_)
            for (const sampler_kind kind : {sampler_kind::temperature, sampler_kind::quadratic})
                detail::move_to_end(p.samplers, kind);
        if (!draws_) p.samplers.push_back(sampler_kind::greedy);
        else if (p.adaptive_target >= 0.0f && table_ != &detail::llama_server::table)
            p.samplers.push_back(sampler_kind::adaptive_p);
        return p;
    }

    // ---- sentences

    bool is_off(const dialect_key& known, const text& value) {
        const std::string said = detail::string_in(value);
        if (said.empty() || said == "[]" || said == "{}") return true;
        if (said == "false") return !known.off || text(known.off) != text("true");
        float number = 0.0f, off = 0.0f;
        if (known.off && detail::read_number(text(known.off), off) == detail::number_fault::none)
            return detail::read_number(text(said), number) == detail::number_fault::none && number == off;
        return known.off && text(said) == text(known.off);
    }
    void note(const text& key, const char* what, const char* more = "") {
        std::string sentence = detail::quoted(key) + " " + what;
        if (*more) (sentence += ": ") += more;
        for (const std::string& there : notes_)
            if (there == sentence) return;
        if (notes_.size() < most_notes) return notes_.push_back(std::move(sentence));
        char unnamed[40];
        std::snprintf(unnamed, sizeof unnamed, "and %llu more", static_cast<unsigned long long>(++unnamed_notes_));
        notes_.resize(most_notes);
        notes_.push_back(unnamed);
    }
    bool refuse(const text& key, const text& value, const char* why) {
        problems_.add(detail::quoted(key), " = ", detail::quoted(value), " ", why);
        return false;
    }

    const dialect_table* table_;
    sampling_parameters values_;
    std::vector<sampler_kind> order_;
    static constexpr std::size_t most_notes = 64;  // each is compared with all others
    std::vector<std::string> notes_;
    std::size_t unnamed_notes_ = 0;
    detail::problem_list problems_;
    float low_ = 1.0f, high_ = 1.0f;
    bool is_dynamic_ = false, is_t_last_ = false, draws_ = true, is_order_said_ = false, is_dry_window_said_ = false;
};

}  // namespace riffle
