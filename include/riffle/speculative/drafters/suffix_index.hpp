#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <riffle/core/token.hpp>
#include <riffle/speculative/drafters/suffix_corpus.hpp>
#include <riffle/speculative/drafters/suffix_states.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Where the end of a text occurred earlier, and in which automaton.
struct suffix_match {
    enum source : std::uint8_t { current, previous, corpus };
    suffix_place place;
    source in = current;
};

/// What a drafter has read, in two generations: the current one is learnt, the previous one is as it was when it was
/// full. The end of the text is looked for in both, and in a corpus.
class suffix_index {
public:
    std::size_t bytes() const noexcept { return current_.bytes() + previous_.bytes(); }
    /// An empty text; memory stays.
    void clear() noexcept {
        current_.clear();
        previous_.clear();
        in_current_ = in_previous_ = in_corpus_ = {};
        is_full_ = false;
    }
    /// The corpus that is looked at from now on. Another than before is entered by the last tokens of the text.
    void follow(const suffix_corpus* corpus) noexcept {
        const std::size_t states = corpus ? corpus->states().states() : 0;
        if (corpus_ == corpus && states_of_corpus_ == states) return;
        corpus_ = corpus;
        states_of_corpus_ = states;
        in_corpus_ = {};
        if (corpus_ && !is_full_) enter_corpus();
    }
    /// The text got a token; a generation has so many.
    void accept(token_id token, std::size_t generation) noexcept {
        if (!is_full_ && current_.text().size() >= generation) turn();
        in_previous_ = previous_.next(in_previous_, token);
        if (corpus_) in_corpus_ = corpus_->states().next(in_corpus_, token);
        is_full_ = is_full_ || !current_.append(token);
        in_current_ = is_full_ ? current_.next(in_current_, token) : current_.repeated();
    }

    /// The longest suffix of the text and some tokens behind it that occurred; of equal ones the latest.
    suffix_match longest(std::span<const token_id> drafted) const noexcept {
        suffix_match best{walk(current_, in_current_, drafted), suffix_match::current};
        const auto offer = [&](const suffix_place& at, suffix_match::source in) {
            if (at.length > best.place.length) best = {at, in};
        };
        offer(walk(previous_, in_previous_, drafted), suffix_match::previous);
        if (corpus_) offer(walk(corpus_->states(), in_corpus_, drafted), suffix_match::corpus);
        return best;
    }
    /// The automaton that a match is in.
    const suffix_states& states(suffix_match::source in) const noexcept {
        return in == suffix_match::corpus ? corpus_->states() : in == suffix_match::previous ? previous_ : current_;
    }
    /// Token i of those that followed a match where it occurred; below 0 where there is none. The text goes on with
    /// what was drafted behind it, so a copy may overlap its source, as in LZ77 (Ziv and Lempel, 1977): what has a
    /// period goes on with it.
    token_id follower(const suffix_match& m, std::size_t i, std::span<const token_id> drafted) const noexcept {
        std::size_t at = std::size_t{m.place.end} + 1 + i;
        const auto text = states(m.in).text();
        if (at < text.size()) return text[at];
        if (m.in == suffix_match::corpus || is_full_) return null_token;
        at -= text.size();
        if (m.in == suffix_match::previous) {
            const auto current = current_.text();
            if (at < current.size()) return current[at];
            at -= current.size();
        }
        return at < drafted.size() ? drafted[at] : null_token;
    }

private:
    enum : std::size_t {
        most_entering = 64,  ///< tokens by which a corpus is entered: no longer match is missed by many
        most_links = 64,  ///< shorter suffixes that are looked at for a drafted token: it is not paid for by learning
    };

    void turn() noexcept {
        std::swap(current_, previous_);
        current_.clear();
        in_previous_ = std::exchange(in_current_, {});
    }
    void enter_corpus() noexcept {
        const auto current = current_.text(), previous = previous_.text();
        const std::size_t of_current = (std::min)(current.size(), std::size_t{most_entering});
        const std::size_t of_previous = (std::min)(previous.size(), most_entering - of_current);
        in_corpus_ = walk(corpus_->states(), {}, previous.last(of_previous));
        in_corpus_ = walk(corpus_->states(), in_corpus_, current.last(of_current));
    }
    static suffix_place walk(const suffix_states& in, suffix_place at, std::span<const token_id> tokens) noexcept {
        for (const token_id token : tokens) at = in.next(at, token, most_links);
        return at;
    }

    suffix_states current_, previous_;
    suffix_place in_current_, in_previous_, in_corpus_;
    const suffix_corpus* corpus_ = nullptr;
    std::size_t states_of_corpus_ = 0;
    bool is_full_ = false;  ///< memory ended: the text goes on without being kept
};

}  // namespace riffle::detail
