#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <riffle/constraint/expressions.hpp>
#include <riffle/constraint/json/json_spelling.hpp>
#include <riffle/constraint/json/schema_boxes.hpp>
#include <riffle/constraint/json/schema_branch.hpp>
#include <riffle/constraint/json/schema_writing.hpp>
#include <riffle/constraint/json/string_languages.hpp>
#include <riffle/constraint/regex/automaton_expression.hpp>
#include <riffle/constraint/regex/automaton_operations.hpp>
#include <riffle/constraint/regex/regex_expression.hpp>
#include <riffle/constraint/walks.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Writes the strings of a branch: patterns, formats and lengths together.
template <class Rules, class Reader>
class string_writer {
public:
    using writing = schema_writing<Rules, Reader>;
    using value_id = typename writing::value_id;
    using expressions = typename writing::expressions;
    enum : std::size_t { most_states = 1 << 14, most_combined = 62 };

    explicit string_writer(writing& w) : w_(w) {}

    /// False where there is a problem, which the reader has.
    bool write(const schema_branch& b, expressions& ways) {
        string_set s;
        if (!w_.boxes.find_strings(b, s)) return false;
        const auto known = std::find_if(known_.begin(), known_.end(), [&](const auto& k) { return k.of == s; });
        if (known != known_.end()) {
            if (known->made != none) ways.push_back(known->made);
            return true;
        }
        expression_id made = none;
        bool has_any = true;
        if (!write_characters(s, w_.place_of(b, {"pattern", "format", "type"}), made, has_any)) return false;
        if (has_any) {
            made = w_.layout.joined({w_.layout.literal("\""), made, w_.layout.literal("\"")});
            made = w_.shared_rule(made, s.languages.empty() ? "string" : "pattern");
            ways.push_back(made);
        } else {
            made = none;
        }
        known_.push_back({std::move(s), made});
        return true;
    }
    /// The automaton of what languages have in common; false where there is a problem. Where lenient, what cannot be
    /// combined is left out.
    bool combine_languages(const string_set& s, value_id at, character_automaton& both) {
        std::vector<const character_automaton*> all;
        std::uint64_t required = 0;
        for (const auto& part : s.languages) {
            const character_automaton* const a = w_.boxes.languages().automaton(part.language);
            if (!a || all.size() == most_combined) {
                const std::string why = a ? "there are too many" : w_.boxes.languages()[part.language].problem;
                if (!w_.reader().refuse(at, "a pattern here cannot be combined with others, or with lengths: " + why))
                    return false;
                continue;
            }
            if (!part.is_negated) required |= std::uint64_t{1} << all.size();
            all.push_back(a);
        }
        const character_automaton everything = automaton_of_all(), words = automaton_of(s.excluded);
        if (required == 0) {
            required |= std::uint64_t{1} << all.size();
            all.push_back(&everything);
        }
        if (!s.excluded.empty()) all.push_back(&words);
        if (all.size() == 1) {
            both = *all[0];
            return true;
        }
        const auto label_of = [&](std::uint64_t bits) { return std::uint32_t(bits == required); };
        if (combine(all, required, label_of, most_states, both)) {
            both = minimized(both);
            return true;
        }
        both = automaton_of_all();
        return w_.reader().refuse(at, "the patterns of this string have more states in common than the limit allows");
    }
    /// Of some words.
    static character_automaton automaton_of(const std::vector<text>& words) {
        std::vector<std::pair<std::u32string, std::uint32_t>> all;
        for (const text& w : words) {
            all.emplace_back();
            decode_all(w, all.back().first);
            all.back().second = 1;
        }
        return automaton_of_words(all);
    }

private:
    enum : expression_id { none = ~0u };

    /// What stands between the quotes.
    bool write_characters(const string_set& s, value_id at, expression_id& made, bool& has_any) {
        has_any = s.least <= s.most;
        if (!has_any) return true;
        if (s.languages.empty() && s.excluded.empty()) {
            made = w_.rules.add_repetition(w_.spelling.any(), s.least,
                                           s.most == ~0u ? std::uint32_t{expression::unlimited} : s.most);
            return true;
        }
        if (s.languages.size() == 1 && !s.languages[0].is_negated && s.excluded.empty() && s.least == 0 &&
            s.most == ~0u) {
            const auto& l = w_.boxes.languages()[s.languages[0].language];
            if (l.has_expression() &&
                regex_expression<Rules, regex, json_spelling<Rules>>(w_.rules, l.expression, w_.spelling)
                    .make(l.match, made))
                return true;
        }
        string_set counted = s;
        count_repeated_sets(counted);
        has_any = counted.least <= counted.most;
        character_automaton both;
        if (!has_any) return true;
        if (!combine_languages(counted, at, both)) return false;
        has_any = !both.empty();
        const std::uint32_t most = counted.most == ~0u ? std::uint32_t{walk::unlimited} : counted.most;
        if (has_any) made = automaton_expression(w_.rules, both, w_.spelling, counted.least, most);
        return true;
    }
    /// A pattern as ^[a-z]{1,5000}$ says of the length what needs no states.
    void count_repeated_sets(string_set& s) {
        for (auto& part : s.languages) {
            std::uint32_t least = 0, most = ~0u;
            const std::uint32_t any = w_.boxes.languages().of_any_length(part.language, least, most);
            if (part.is_negated || any == string_languages<>::none) continue;
            s.least = (std::max)(s.least, least);
            s.most = (std::min)(s.most, most);
            part.language = any;
        }
    }

    struct written {
        string_set of;
        expression_id made;
    };

    writing& w_;
    std::vector<written> known_;  ///< what was written before
};

}  // namespace riffle::detail
