#pragma once
#include <cstddef>
#include <span>

#include <riffle/core/token.hpp>
#include <riffle/speculative/drafters/suffix_states.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Texts that outputs will repeat, for suffix_automaton: a game's script, source files, the keys of a JSON format.
/// Built once, by add; from then on any number of drafters may read it in any number of threads, as nothing in it
/// changes. It must outlive the drafters that point to it. Movable while none does. 35 to 100 bytes a token.
class suffix_corpus {
public:
    /// Adds a document; no match and no draft goes across its ends. False, and nothing changed, for one with an id
    /// below 0. False without memory, and from 2^30 tokens on (a document counts one more than it has): then a
    /// beginning of it may have been added, and nothing can be added any more. An empty one is nothing. Not while
    /// others read. O(its tokens), 0.1 to 0.7 µs each.
    bool add(std::span<const token_id> document) noexcept {
        for (const token_id token : document)
            if (token < 0) return false;
        if (document.empty()) return true;
        if (!read_.text().empty() && !read_.append(separator)) return false;
        for (const token_id token : document)
            if (!read_.append(token)) return false;
        ++documents_;
        return true;
    }
    /// How many documents were added, empty ones not counted.
    std::size_t documents() const noexcept { return documents_; }
    /// The memory that it holds.
    std::size_t bytes() const noexcept { return read_.bytes(); }
    /// For drafters: the automaton of all documents, with an id below 0 between them.
    const detail::suffix_states& states() const noexcept { return read_; }

private:
    /// No drafter reads it, so no match has it inside.
    static constexpr token_id separator = -1;

    detail::suffix_states read_;
    std::size_t documents_ = 0;
};

}  // namespace riffle
