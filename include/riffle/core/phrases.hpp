#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

#include <riffle/core/fnv_hash.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/word_automaton.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Phrases as one automaton over bytes, which a text is fed to byte by byte. Making one allocates and may throw what
/// std::vector throws; following it does neither. (A template, so that including riffle does not compile it.)
template <class Text>
class basic_phrase_set {
public:
    basic_phrase_set() noexcept = default;
    basic_phrase_set(std::initializer_list<Text> phrases)
        : basic_phrase_set(std::span<const Text>(phrases.begin(), phrases.size())) {}
    /// ASCII letters are alike in either case unless `same_case`. Empty phrases are left out.
    explicit basic_phrase_set(std::span<const Text> phrases, bool same_case = false) : same_case_(same_case) {
        for (const Text& phrase : phrases) automaton_.add(phrase, [&](char c) { return folded(c); });
        automaton_.finish();
        fingerprint_ = hash_of_states();
    }

    bool empty() const noexcept { return automaton_.size() <= 1; }
    /// Differs for other phrases: their states are others. 0 for none.
    std::uint32_t fingerprint() const noexcept { return fingerprint_; }
    /// The state behind one more byte; 0 is the beginning.
    std::uint32_t follow(std::uint32_t at, char byte) const noexcept {
        if (empty()) return 0;
        return automaton_.next(at < automaton_.size() ? at : 0, folded(byte));
    }
    /// Bytes of the longest phrase that ends in a state; 0 when none does.
    std::size_t ending_at(std::uint32_t at) const noexcept {
        return at < automaton_.size() ? automaton_.length_at(at) : 0;
    }

private:
    std::uint8_t folded(char byte) const noexcept {
        return std::uint8_t(!same_case_ && byte >= 'A' && byte <= 'Z' ? byte - 'A' + 'a' : byte);
    }
    /// Over what tells automata apart.
    std::uint32_t hash_of_states() const noexcept {
        if (empty()) return 0;
        std::uint32_t hash = detail::hash_with(detail::empty_hash, same_case_);
        for (std::uint32_t s = 0; s < automaton_.size(); ++s) {
            hash = detail::hash_with(hash, automaton_.length_at(s));
            for (const auto& edge : automaton_.edges_of(s)) {
                hash = detail::hash_with(hash, edge.symbol);
                hash = detail::hash_with(hash, edge.to);
            }
        }
        return hash;
    }

    detail::word_automaton<std::uint8_t> automaton_;
    std::uint32_t fingerprint_ = 0;
    bool same_case_ = false;
};
using phrase_set = basic_phrase_set<text>;

}  // namespace riffle
