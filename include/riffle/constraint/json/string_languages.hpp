#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <riffle/constraint/json/string_formats.hpp>
#include <riffle/constraint/json/time_automaton.hpp>
#include <riffle/constraint/parsed.hpp>
#include <riffle/constraint/regex/automaton_operations.hpp>
#include <riffle/constraint/regex/character_automaton.hpp>
#include <riffle/constraint/regex/regex_automaton.hpp>
#include <riffle/constraint/regex/regex_reader.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// The languages of a schema's patterns and formats, each read once, and its automaton made where it is asked for.
template <class Automaton = character_automaton>
class string_languages {
public:
    enum : std::uint32_t { none = ~0u };
    enum : std::size_t { most_states = 4096, most_of_times = 1 << 15 };

    enum class kind : std::uint8_t {
        pattern,
        format,
        pattern_of_any_length,  ///< see of_any_length
    };
    struct language {
        std::string source;
        kind is = kind::pattern;
        regex expression;
        regex_match match = regex_match::search;
        std::uint32_t most_characters = ~0u;
        std::string problem;

        Automaton automaton;
        bool is_made = false;

        /// A time is too large a pattern to be written down.
        bool has_expression() const noexcept {
            return is != kind::format || !(source == "time" || source == "date-time");
        }
    };

    std::uint32_t of_pattern(const text& source) { return find_or_add(source, kind::pattern); }
    std::uint32_t of_format(const text& name) { return find_or_add(name, kind::format); }
    /// Of a pattern that is one set of characters so many times, as ^[a-z]{1,5000}$: the language of its characters
    /// alone, and how many there are; none for others. Lengths are counted elsewhere, which takes no states.
    std::uint32_t of_any_length(std::uint32_t pattern, std::uint32_t& least, std::uint32_t& most) {
        const regex& e = languages_[pattern].expression;
        if (languages_[pattern].is != kind::pattern || !languages_[pattern].problem.empty()) return none;
        const auto& root = e.at(e.root);
        if (root.kind != regex_kind::sequence || root.count != 3 ||
            e.at(e.part(root, 0)).kind != regex_kind::text_begin || e.at(e.part(root, 2)).kind != regex_kind::text_end)
            return none;
        const auto& repeated = e.at(e.part(root, 1));
        if (repeated.kind != regex_kind::repetition || e.at(e.part(repeated, 0)).kind != regex_kind::characters)
            return none;
        least = repeated.least;
        most = repeated.most;
        return find_or_add(languages_[pattern].source, kind::pattern_of_any_length);
    }
    const language& operator[](std::uint32_t id) const noexcept { return languages_[id]; }

    /// nullptr where it has more states than the limit allows, or the pattern cannot be read: see problem.
    const Automaton* automaton(std::uint32_t id) {
        language& l = languages_[id];
        if (!l.is_made) make(l);
        return l.problem.empty() ? &l.automaton : nullptr;
    }
    /// Whether a text is in a language; no text is in one that has a problem.
    bool contains(std::uint32_t id, const text& of) {
        const Automaton* const a = automaton(id);
        return a && a->label_of(of) != 0 &&
               (languages_[id].most_characters == ~0u || count_of(of) <= languages_[id].most_characters);
    }
    static std::size_t count_of(const text& of) noexcept {
        std::size_t count = 0;
        for (const char c : of) count += (std::uint8_t(c) & 0xC0) != 0x80;
        return count;
    }

private:
    std::uint32_t find_or_add(const text& source, kind is) {
        for (std::uint32_t i = 0; i < languages_.size(); ++i)
            if (languages_[i].is == is && text(languages_[i].source) == source) return i;
        languages_.emplace_back();
        language& l = languages_.back();
        l.source.assign(source.data(), source.size());
        l.is = is;
        if (is == kind::format) l.most_characters = format_patterns::most_characters(source);
        if (l.has_expression()) read(l);
        return std::uint32_t(languages_.size() - 1);
    }
    static void read(language& l) {
        const std::string pattern = l.is == kind::format ? format_patterns::of(l.source) : l.source;
        l.match = l.is == kind::format ? regex_match::whole : regex_match::search;
        regex_reader<regex> reader{text(pattern)};
        if (!reader.read()) {
            l.problem = std::string(reader.problem()) + " (at character " + in_digits(reader.problem_offset()) + ")";
            l.is_made = true;
            return;
        }
        l.expression = std::move(reader.made());
        if (l.is != kind::pattern_of_any_length) return;
        regex& e = l.expression;
        auto& repeated = e.nodes[e.part(e.at(e.root), 1)];
        repeated.least = 0;
        repeated.most = regex::unlimited;
    }
    void make(language& l) {
        l.is_made = true;
        if (l.has_expression()) {
            regex_automaton<regex, Automaton> of(l.expression, most_states);
            if (!of.make(l.match, l.automaton)) l.problem = of.problem();
        } else if (l.source == "time") {
            l.automaton = automaton_of_time<Automaton>();
        } else {
            const Automaton* const date = automaton(of_format("date"));
            l.automaton = automaton_of_date_time(*date);
        }
    }

    std::deque<language> languages_;  // that they stay where they are
};

}  // namespace riffle::detail
