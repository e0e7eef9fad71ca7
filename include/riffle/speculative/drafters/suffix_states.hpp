#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/core/growing_array.hpp>
#include <riffle/core/token.hpp>
#include <riffle/speculative/drafters/suffix_transitions.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// How much of a text's end occurs in a suffix automaton, and where.
struct suffix_place {
    std::uint32_t state = 0;   ///< of the automaton
    std::uint32_t length = 0;  ///< tokens; 0: nothing occurs
    std::uint32_t end = 0;     ///< the index of its last token where it occurred latest
};

/// The suffix automaton of a text that grows (Blumer et al., "The smallest automaton recognizing the subwords of a
/// text", 1985). A state is a set of subwords that end at the same places; its link is the longest suffix of them that
/// ends at other places as well. So the link of the state of the whole text is the longest suffix that occurred
/// earlier. At most 2n states and 3n transitions for n tokens; appending takes constant time on average.
class suffix_states {
public:
    enum : std::uint32_t { root = 0 };
    enum : std::size_t { most_tokens = std::size_t{1} << 30 };

    std::span<const token_id> text() const noexcept { return text_.part(0, text_.size()); }
    std::size_t states() const noexcept { return states_.size(); }
    std::size_t transitions() const noexcept { return transitions_.size(); }
    std::size_t bytes() const noexcept { return text_.bytes() + states_.bytes() + transitions_.bytes(); }
    /// How often the subwords of a place occurred, at least; not of length 0.
    std::uint32_t count(const suffix_place& at) const noexcept { return states_[at.state].count; }
    /// The place of the next shorter suffix that occurs at more places; of length 0 where there is none.
    suffix_place shorter(const suffix_place& from) const noexcept {
        return from.length == 0 ? suffix_place{} : place_of(states_[from.state].link);
    }
    /// Calls visit(token, place behind it) for the tokens that followed a place, as long as it answers true.
    template <class Visit>
    void successors(const suffix_place& from, const Visit& visit) const noexcept {
        if (states_.empty()) return;
        transitions_.each(from.state, [&](token_id token, std::uint32_t to) {
            return visit(token, suffix_place{to, from.length + 1, states_[to].latest_end});
        });
    }

    /// An empty text; memory stays.
    void clear() noexcept {
        text_.clear();
        states_.clear();
        transitions_.clear();
        is_full_ = false;
    }
    /// One more token of the text, of any value but the least one. False without memory and at most_tokens: then it
    /// learns no more until clear, and what it knows stays true.
    [[nodiscard]] bool append(token_id token) noexcept {
        is_full_ = is_full_ || !(begin() && text_.size() < most_tokens && text_.push(token) && extend(token));
        return !is_full_;
    }
    /// The longest suffix of the text that occurred earlier, and the latest of those earlier ends.
    suffix_place repeated() const noexcept { return repeated_; }

    /// Follows another text: the longest suffix of it that occurs here, by the place ahead of its last token. Looks at
    /// so many shorter suffixes at most; without that limit it takes constant time on average over a text.
    suffix_place next(const suffix_place& from, token_id token, std::size_t most_links = most_tokens) const noexcept {
        if (states_.empty()) return {};
        suffix_place at = from;
        for (std::size_t i = 0; i <= most_links; ++i) {
            const std::uint32_t to = transitions_.find(at.state, token);
            if (to != 0) return {to, at.length + 1, states_[to].latest_end};
            if (at.length == 0) break;
            at = shorter(at);
        }
        return {};
    }

private:
    /// So many states hear of a token that is appended. In a text such as aaaa all states would have to.
    static constexpr int most_refreshed = 16;
    static constexpr std::uint32_t none = ~0u;
    struct state {
        std::uint32_t length;  ///< of its longest subword
        std::uint32_t link;
        std::uint32_t latest_end;
        std::uint32_t count;
    };

    suffix_place place_of(std::uint32_t s) const noexcept { return {s, states_[s].length, states_[s].latest_end}; }
    bool begin() noexcept {
        if (!states_.empty()) return true;
        if (transitions_.size() > 0) transitions_.clear();  // it was moved from
        last_ = root;
        repeated_ = {};
        return add_state({0, none, 0, 0});
    }
    bool add_state(const state& made) noexcept { return transitions_.add_state() && states_.push(made); }

    /// Where memory ends half way, transitions or a link are missing, and none is wrong.
    bool extend(token_id token) noexcept {
        const auto made = std::uint32_t(states_.size());
        const auto end = std::uint32_t(text_.size() - 1);
        if (!add_state({end + 1, root, end, 0})) return false;
        std::uint32_t at = last_, found = 0;
        for (; at != none && (found = transitions_.find(at, token)) == 0; at = states_[at].link)
            if (!transitions_.add(at, token, made)) return false;
        if (at != none) {
            std::uint32_t link = found;
            if (states_[at].length + 1 != states_[found].length && !split(at, token, found, link)) return false;
            states_[made].link = link;
        }
        last_ = made;
        repeated_ = place_of(states_[made].link);  // the end of before, as it comes ahead of the refreshing
        if (repeated_.state == root) repeated_ = {};
        refresh(end);
        return true;
    }
    /// The shorter subwords of a state get one of their own (`made`): they end at one place more than the others.
    bool split(std::uint32_t at, token_id token, std::uint32_t whole, std::uint32_t& made) noexcept {
        made = std::uint32_t(states_.size());
        state shorter = states_[whole];
        shorter.length = states_[at].length + 1;
        if (!add_state(shorter) || !transitions_.copy(whole, made)) return false;
        for (; at != none && transitions_.find(at, token) == whole; at = states_[at].link)
            transitions_.redirect(at, token, made);
        states_[whole].link = made;
        return true;
    }
    void refresh(std::uint32_t end) noexcept {
        std::uint32_t s = last_;
        for (int i = 0; i <= most_refreshed && s != root; ++i, s = states_[s].link) {
            states_[s].latest_end = end;
            ++states_[s].count;
        }
    }

    growing_array<token_id> text_;
    growing_array<state> states_;
    suffix_transitions transitions_;
    std::uint32_t last_ = root;  ///< the state of the whole text
    suffix_place repeated_;
    bool is_full_ = false;
};

}  // namespace riffle::detail
