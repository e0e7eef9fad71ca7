#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include <riffle/core/seed.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/token.hpp>
#include <riffle/settings/reader/number_text.hpp>
#include <riffle/settings/reader/options.hpp>
#include <riffle/settings/reader/problem_list.hpp>
#include <riffle/settings/sampling_parameters.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// What the texts read so far have said beside values.
struct settings_said {
    bool sampler = false;   ///< one was mentioned
    bool order = false;     ///< samplers= or sampler_seq=
    bool breakers = false;  ///< dry_sequence_breaker=
};

/// Reads texts into parameters, and goes on behind a problem. Takes time and memory in proportion to the text.
class settings_reader {
public:
    settings_reader(sampling_parameters& into, settings_said& said, problem_list& problems) noexcept
        : into_(into), said_(said), problems_(problems) {}

    void read(const text& settings) {
        for_each_part(settings, ";", [this](const text& entry) {
            if (!entry.empty()) read_entry(entry);
        });
    }
    /// The value that a model's file has for an option's key.
    void read_model_value(const option& known, const text& value) {
        const char* const name = known.names[0];
        if (known.value == option_value::order) read_order(value);
        else if (known.number) is_number<float>(name, value, read_model_number(value, into_.*known.number));
        else if (known.whole) is_number<std::int32_t>(name, value, read_model_number(value, into_.*known.whole));
    }

private:
    // ---- entries

    void read_entry(const text& entry) {
        const std::size_t equals = find(entry, "=");
        const text name = trimmed(entry.part(0, equals));
        const option* const known = option_called(name);
        const bool has_value = equals < entry.size();
        if (!known) return unknown("", name, nearest_entry(name, has_value ? takes_value : stands_alone));
        if (has_value) read_value(*known, name, trimmed(entry.part(equals + 1)));
        else read_name(*known, name);
    }
    /// Of the names that can be written so; of all, where none of them is near: nobody is told nothing for one letter.
    const char* nearest_entry(const text& name, bool (*can_be_so)(const option&) noexcept) const noexcept {
        const char* const nearest = nearest_if_told(name, can_be_so);
        return nearest ? nearest : nearest_if_told(name, [](const option&) { return true; });
    }
    /// Nobody need look for words that are not said any more.
    template <class Wanted>
    const char* nearest_if_told(const text& name, Wanted wanted) const noexcept {
        return problems_.is_full() ? nullptr : nearest_name(name, wanted);
    }
    static bool takes_value(const option& o) noexcept {
        return o.value != option_value::usual || o.number != nullptr || o.whole != nullptr;
    }
    static bool stands_alone(const option& o) noexcept {
        return o.names_sampler || o.value == option_value::yes_or_no || o.value == option_value::elsewhere;
    }

    void read_name(const option& known, const text& name) {
        if (known.names_sampler) name_sampler(known.sampler);
        else if (known.value == option_value::yes_or_no) into_.*known.whole = 1;
        else if (known.value == option_value::elsewhere) is_elsewhere(known, name);
        else problems_.add(quoted(name), " needs a value, as in ", known.names[0], "=...");
    }
    void read_value(const option& known, const text& name, const text& value) {
        if (takes_value(known) && known.sampler != sampler_kind::none) mention(known.sampler);
        switch (known.value) {
        case option_value::usual:
            if (known.number) read_as(name, value, into_.*known.number);
            else if (known.whole) read_as(name, value, into_.*known.whole);
            else problems_.add(quoted(name), " takes no value: name it alone, or give its parameters");
            return;
        case option_value::yes_or_no: return read_yes_or_no(name, value, into_.*known.whole);
        case option_value::seed: return read_seed(value);
        case option_value::order: return read_order(value);
        case option_value::letters: return read_letters(value);
        case option_value::biases: return read_biases(value);
        case option_value::tokens: return read_tokens(value);
        case option_value::grammar_text: into_.grammar.assign(value.data(), value.size()); return;
        case option_value::schema_text: into_.json_schema.assign(value.data(), value.size()); return;
        case option_value::breaker: return read_breaker(value);
        case option_value::elsewhere: return is_elsewhere(known, name);
        }
    }
    void is_elsewhere(const option& known, const text& name) {
        problems_.add(quoted(name), " makes no stage of a chain: ", known.meaning);
    }
    void unknown(const char* what, const text& name, const char* nearest) {
        problems_.add("there is no ", what, "\"", quoted(name), "\"", nearest ? "; did you mean " : "",
                      nearest ? nearest : "", nearest ? "?" : "");
    }

    // ---- the order of samplers

    /// In the order of first mention, unless the order was said.
    void mention(sampler_kind kind) {
        if (said_.order) return;
        if (!std::exchange(said_.sampler, true)) into_.samplers.clear();
        for (const sampler_kind there : into_.samplers)
            if (there == kind) return;
        into_.samplers.push_back(kind);
    }
    /// A name alone: the next of an order that was said, or a mention.
    void name_sampler(sampler_kind kind) {
        if (said_.order) into_.samplers.push_back(kind);
        else mention(kind);
    }
    void say_order() {
        said_.order = true;
        into_.samplers.clear();
    }
    void read_order(const text& value) {
        say_order();
        if (same_word(value, "default")) {
            into_.samplers.assign(std::begin(default_samplers), std::end(default_samplers));
            return;
        }
        for_each_part(value, ",;", [this](const text& name) {
            const option* const known = option_called(name);
            if (known && known->names_sampler) into_.samplers.push_back(known->sampler);
            else unknown("sampler ", name, nearest_if_told(name, [](const option& o) { return o.names_sampler; }));
        });
    }
    void read_letters(const text& value) {
        say_order();
        std::string strange;
        for (const char letter : value) {
            if (const sampler_kind kind = sampler_of_letter(letter); kind != sampler_kind::none)
                into_.samplers.push_back(kind);
            else if (strange.size() < 100)
                (((strange += strange.empty() ? "'" : ", '") += quoted({&letter, 1})) += '\'');
        }
        if (!strange.empty()) problems_.add("no sampler has the letter ", strange, "; the letters are", letters());
    }
    static std::string letters() {
        std::string all;
        for (const option& known : known_options)
            if (known.letter) (((((all += ' ') += known.letter) += " (") += known.names[0]) += ')');
        return all;
    }

    // ---- values

    template <class Number>
    bool read_as(const text& name, const text& value, Number& into) {
        return is_number<Number>(name, value, read_number(value, into));
    }
    template <class Number>
    bool is_number(const text& name, const text& value, number_fault fault) {
        if (fault == number_fault::none) return true;
        problems_.add(quoted(name), " = \"", quoted(value),
                      fault == number_fault::out_of_range ? "\" is out of the range of " : "\" is not ",
                      std::numeric_limits<Number>::is_integer ? "a whole number" : "a number");
        return false;
    }
    void read_yes_or_no(const text& name, const text& value, std::int32_t& into) {
        const auto is_one_of = [&value](std::initializer_list<const char*> words) {
            for (const char* one : words)
                if (same_word(value, one)) return true;
            return false;
        };
        if (is_one_of({"1", "true", "on", "enabled"})) into = 1;
        else if (is_one_of({"0", "false", "off", "disabled"})) into = 0;
        else problems_.add(quoted(name), " = \"", quoted(value), "\" is neither true nor false");
    }
    void read_seed(const text& value) {
        if (same_word(value, "random") || value == text("-1")) into_.seed = random_seed();
        else read_as("seed", value, into_.seed);
    }
    /// llama.cpp's TOKEN+BIAS and TOKEN-BIAS; TOKEN:BIAS too.
    void read_biases(const text& value) {
        for_each_part(value, ",", [this](const text& one) {
            const std::size_t sign = find(one, "+-:");
            const bool is_lower = sign < one.size() && one[sign] == '-';
            logit_bias_entry entry{};
            if (read_as("logit_bias", one.part(0, sign), entry.token) &&
                read_as("logit_bias", one.part(is_lower ? sign : sign + 1), entry.bias))
                into_.biases.push_back(entry);
        });
    }
    void read_tokens(const text& value) {
        for_each_part(value, ",", [this](const text& one) {
            token_id token = null_token;
            if (read_as("suppress", one, token)) into_.suppressed.push_back(token);
        });
    }
    /// As llama.cpp's --dry-sequence-breaker: the first takes the place of what was there.
    void read_breaker(text value) {
        if (!std::exchange(said_.breakers, true)) into_.dry_breakers.clear();
        if (same_word(value, "none")) return into_.dry_breakers.clear();
        std::string breaker;
        while (!value.empty()) breaker += unescaped(value);
        if (breaker.empty()) problems_.add("dry_sequence_breaker needs a text, or none");
        else into_.dry_breakers.push_back(std::move(breaker));
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

    /// 16 for what is no hexadecimal digit. (std::from_chars would bring a table that keeps a plugin from being
    /// unloaded.)
    static int value_of_digit(char digit) noexcept {
        if (digit >= '0' && digit <= '9') return digit - '0';
        if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
        return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : 16;
    }

    // ---- parts of texts

    /// Calls visit(part, without blanks at its ends) for what lies between separators; not for what is behind the last
    /// one, where nothing is.
    template <class Visit>
    static void for_each_part(text all, const char* separators, Visit visit) {
        while (!all.empty()) {
            const std::size_t end = find(all, separators);
            visit(trimmed(all.part(0, end)));
            all = all.part(end + 1);
        }
    }
    /// Where the first of these characters is; the size where none is.
    static std::size_t find(const text& in, const char* wanted) noexcept {
        for (std::size_t at = 0; at < in.size(); ++at)
            for (const char* one = wanted; *one; ++one)
                if (in[at] == *one) return at;
        return in.size();
    }
    static text trimmed(text t) noexcept {
        const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
        while (!t.empty() && blank(t[0])) t = t.part(1);
        while (!t.empty() && blank(t[t.size() - 1])) t = t.part(0, t.size() - 1);
        return t;
    }

    sampling_parameters& into_;
    settings_said& said_;
    problem_list& problems_;
};

}  // namespace riffle::detail
