#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <riffle/constraint/parsed.hpp>
#include <riffle/constraint/regex/automaton_operations.hpp>
#include <riffle/constraint/regex/character_automaton.hpp>
#include <riffle/constraint/regex/regex_automaton.hpp>
#include <riffle/constraint/regex/regex_reader.hpp>
#include <riffle/constraint/streaming/utf8_stream.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/word_automaton.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Finds the first end of a word or of a pattern's match in a text, byte by byte. A state is 12 bytes.
template <class Patterns>
class basic_trigger_automaton {
public:
    struct state {
        std::uint32_t of_words = 0;  ///< of the automaton of words
        std::uint32_t pattern = 0;   ///< of the automaton of patterns
        std::uint32_t held = 0;      ///< the beginning of a character (held_character)
        friend bool operator==(const state&, const state&) = default;
        /// Different for different states.
        std::uint64_t key() const noexcept {
            return std::uint64_t{of_words} << 39 | std::uint64_t{pattern} << 26 | held;
        }
    };
    enum : std::size_t { most_pattern_states = 4096, most_word_bytes = 1 << 20 };
    /// The state of patterns of which none can match any more, since they begin with `^`.
    enum : std::uint32_t { no_match_follows = most_pattern_states };

    /// False, and why, where a word is empty or a pattern cannot be read.
    bool build(const std::vector<std::string>& words, const std::vector<std::string>& patterns, parse_problem& why) {
        std::size_t bytes = 0;
        for (const std::string& one : words) {
            bytes += one.size();
            if (one.empty()) return refuse(why, one, "an empty word is everywhere");
        }
        if (bytes > most_word_bytes) return refuse(why, {}, "the words of triggers are longer than the limit allows");
        words_.build(words);
        return build_patterns(patterns, why);
    }

    state step(const state& from, char byte) const noexcept {
        state to;
        to.of_words = words_.next(from.of_words, byte);
        if (!patterns_.empty()) read_character(from, byte, to);
        return to;
    }
    /// Whether there is such a state, as far as words go; one of a stored mark may be of other words.
    bool has_words_of(const state& at) const noexcept { return at.of_words < words_.size(); }
    /// Whether a word or a match ends here, for the first time.
    bool has_fired(const state& at) const noexcept {
        return words_.word_at(at.of_words) != word_automaton<char>::none || matches(at.pattern);
    }
    /// How much of a word has come.
    std::uint32_t depth(const state& at) const noexcept { return words_.depth(at.of_words); }
    /// The number of the word that ends here, the longest one.
    std::uint32_t word_at(const state& at) const noexcept { return words_.word_at(at.of_words); }
    /// How many bytes that word has.
    std::uint32_t length_at(const state& at) const noexcept { return words_.length_at(at.of_words); }
    /// How many first bytes of a phrase, one of the words, the text ends with.
    std::size_t come_of(const text& phrase, const state& at) const noexcept {
        for (std::uint32_t s = at.of_words; s != words_.start; s = words_.shorter(s)) {
            std::uint32_t behind = words_.start;
            for (std::size_t i = 0; i < words_.depth(s) && i < phrase.size(); ++i)
                behind = words_.next(behind, phrase[i]);
            if (behind == s) return words_.depth(s);
        }
        return 0;
    }

private:
    bool build_patterns(const std::vector<std::string>& patterns, parse_problem& why) {
        std::vector<Patterns> all;
        for (const std::string& pattern : patterns) {
            regex_reader<regex> reader{text(pattern)};
            if (!reader.read()) return refuse(why, pattern, reader.problem());
            regex_automaton<regex, Patterns> of(reader.made(), most_pattern_states);
            if (!of.make(regex_match::search, all.emplace_back())) return refuse(why, pattern, of.problem());
            if (all.back().empty()) return refuse(why, pattern, "no text matches the pattern");
            if (all.back().label(Patterns::start) != 0)
                return refuse(why, pattern, "the pattern matches the empty text");
        }
        if (all.empty()) return true;
        if (all.size() > 64) return refuse(why, {}, "there are more than 64 patterns");
        std::vector<const Patterns*> of;
        for (const Patterns& a : all) of.push_back(&a);
        const auto label_of = [](std::uint64_t bits) { return std::uint32_t(bits != 0); };
        if (!combine(of, 0, label_of, most_pattern_states, patterns_))
            return refuse(why, patterns[0], "the patterns together have more states than the limit allows");
        return true;
    }
    static bool refuse(parse_problem& why, const std::string& where, const char* sentence) {
        why.where = where;
        why.sentence = sentence;
        return false;
    }
    /// Bytes that are not UTF-8 count as U+FFFD, as a reader is shown them (see utf8_stream).
    void read_character(const state& from, char byte, state& to) const noexcept {
        enum : code_point { replacement = 0xFFFD };
        held_character held;
        held.unpack(from.held);
        to.pattern = from.pattern;
        if (!held.take(std::uint8_t(byte))) {
            const bool was_inside = held.size() > 0;
            held.clear();
            to.pattern = behind(to.pattern, replacement);
            if (!was_inside || matches(to.pattern)) return;
            if (!held.take(std::uint8_t(byte))) {
                to.pattern = behind(to.pattern, replacement);
                return;
            }
        }
        if (held.is_whole()) {
            to.pattern = behind(to.pattern, decode_utf8(held.bytes()).value);
            held.clear();
        }
        to.held = held.packed();
    }
    std::uint32_t behind(std::uint32_t pattern, code_point c) const noexcept {
        if (pattern == no_match_follows) return pattern;
        const std::uint32_t next = patterns_.next(pattern, c);
        return next == Patterns::none ? std::uint32_t{no_match_follows} : next;
    }
    bool matches(std::uint32_t pattern) const noexcept {
        return !patterns_.empty() && pattern != no_match_follows && patterns_.label(pattern) != 0;
    }

    word_automaton<char> words_;
    Patterns patterns_;
};
using trigger_automaton = basic_trigger_automaton<character_automaton>;

}  // namespace riffle::detail
