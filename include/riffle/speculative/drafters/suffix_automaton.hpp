#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/core/growing_array.hpp>
#include <riffle/core/token.hpp>
#include <riffle/speculative/drafts/draft.hpp>
#include <riffle/speculative/drafts/draft_tree.hpp>
#include <riffle/speculative/drafters/acceptance_by_match.hpp>
#include <riffle/speculative/drafters/suffix_corpus.hpp>
#include <riffle/speculative/drafters/suffix_index.hpp>

namespace riffle::inline RIFFLE_ABI {
struct suffix_automaton;
namespace detail {

/// A node that a tree may get.
struct suffix_branch {
    float chance;          ///< about, that verification reaches it and accepts it
    std::uint32_t number;  ///< by when it was found: of equal chances the first counts
    std::int32_t parent;
    token_id token;
    suffix_place behind;
    friend bool operator<(const suffix_branch& a, const suffix_branch& b) noexcept {
        return a.chance != b.chance ? a.chance < b.chance : a.number > b.number;
    }
};

/// Grows a tree, the most likely node first (as in SuffixDecoding, arXiv 2411.04975). The chance of a node is that of
/// its parent times the share of its token among those that followed the match, by their counts. What followed shorter
/// matches comes in as if the longer one had ended once for each kind of token behind it (method C of Moffat,
/// "Implementing the PPM data compression scheme", 1990).
class suffix_tree_growth {
public:
    /// No match shorter than `least` is looked at, and nothing is noted behind nodes that lie as deep as `deepest`.
    suffix_tree_growth(const suffix_states& in, draft_tree& tree, growing_array<suffix_branch>& open, std::size_t least,
                       std::size_t deepest) noexcept
        : in_(in), tree_(tree), open_(open), least_(least), deepest_(deepest) {
        open_.clear();
    }
    /// A line behind the text, whose end has a match; until the tree has so many nodes.
    void add_line(std::span<const token_id> line, suffix_place at, std::size_t most) noexcept {
        std::int32_t node = draft_tree::root;
        float chance = 1.0f;
        for (const token_id token : line) {
            chance = note(node, chance, at, token);
            const std::int32_t there = tree_.child(node, token);
            if (there < 0 && tree_.size() >= most) return;
            node = there < 0 ? tree_.push(node, token) : there;
            if (node < 0) return open_.clear();
            at = in_.next(at, token, most_links);
        }
        note(node, chance, at, null_token);
    }
    /// Other nodes; until the tree has so many.
    void add_branches(std::size_t most) noexcept {
        while (tree_.size() < most && !open_.empty()) {
            std::pop_heap(open_.begin(), open_.end());
            const suffix_branch made = open_.back();
            open_.pop();
            if (tree_.child(made.parent, made.token) >= 0) continue;
            const std::int32_t node = tree_.push(made.parent, made.token);
            if (node < 0) return;
            note(node, made.chance, made.behind, null_token);
        }
    }

private:
    enum : std::size_t {
        most_kinds = 64,   ///< tokens that are looked at behind a match
        most_shorter = 2,  ///< shorter matches that are looked at: more bring next to nothing
        most_links = 64,   ///< as suffix_index has it
    };

    /// Notes what may come behind a node. Answers the chance of one such token, which is left out.
    float note(std::int32_t node, float chance, suffix_place at, token_id left_out) noexcept {
        if (tree_.depth(node) >= deepest_) return 0.0f;
        float of_left_out = 0.0f;
        for (std::size_t i = 0; i <= most_shorter && at.length >= least_; ++i, at = in_.shorter(at)) {
            std::size_t kinds = 0, count = 0;
            in_.successors(at, [&](token_id, const suffix_place& behind) {
                count += in_.count(behind);
                return ++kinds < most_kinds;
            });
            if (kinds == 0) continue;
            const float of_one = chance / float(count + kinds);
            std::size_t left = kinds;
            in_.successors(at, [&](token_id token, const suffix_place& behind) {
                const float of_token = float(in_.count(behind)) * of_one;
                if (token != left_out) open(of_token, node, token, behind);
                else if (of_left_out == 0.0f) of_left_out = of_token;
                return --left > 0;
            });
            chance = float(kinds) * of_one;
        }
        return of_left_out;
    }
    void open(float chance, std::int32_t parent, token_id token, const suffix_place& behind) noexcept {
        if (token >= 0 && open_.push({chance, noted_++, parent, token, behind}))
            std::push_heap(open_.begin(), open_.end());
    }

    const suffix_states& in_;
    draft_tree& tree_;
    growing_array<suffix_branch>& open_;
    std::size_t least_, deepest_;
    std::uint32_t noted_ = 0;
};

/// What a suffix_automaton keeps from call to call.
class suffix_memory {
    friend suffix_automaton;
    suffix_index read_;
    acceptance_by_match acceptance_;
    growing_array<token_id> line_;
    growing_array<suffix_branch> open_;
};

}  // namespace detail

/// A drafter without a model: it copies what followed the latest earlier end of the longest suffix of the text that
/// occurred before, in the text or in a corpus. The suffix is exact and of any length, found by a suffix automaton that
/// grows with the text (Blumer et al., 1985). Good where outputs repeat: edits of code, JSON, extraction, agents; of
/// little use for prose.
///
///     suffix_automaton drafter;
///     drafter.accept(prompt);
///     for (;;) {
///         d.clear();
///         drafter.propose(d, 16);
///         const auto& round = verifier.verify(chain, d, rows);
///         drafter.accept(round.tokens);
///     }
///
/// Where a copy runs into the end of the text it goes on with what it has copied, so what has a period goes on with it.
/// Accepting and proposing take 0.1 to 0.5 µs a token on texts of 10,000 to 30,000 tokens. No function throws. Where
/// memory ends it learns no more until reset, and proposes from what it has, or nothing. Movable, not copyable.
struct suffix_automaton {
    /// Tokens of the shortest match that is copied from; 0 is as 1.
    std::size_t least_match = 2;
    /// Tokens of a draft, at most; 0: it proposes nothing; more than 2^20 is as that. Where accepting is all that
    /// counts, 64 with per_match 2 or more brings more tokens a step.
    std::size_t longest_draft = 16;
    /// A draft has at most 1 + per_match · (tokens of the match) tokens, rounded down. Below 0 and NaN are as 0.
    float per_match = 1.0f;
    /// Tokens of a generation. The text is learnt in two: when the current one is full it becomes the previous one, and
    /// what that was is forgotten. So about the last `generation` to 2 · generation tokens are known, at 35 to 100
    /// bytes each. Less than 2 · longest_draft is as that, and more than 2^30 as that.
    std::size_t generation = std::size_t{1} << 20;
    /// Texts that are copied from too; null: none. It must outlive this, or its setting to another. May be set at any
    /// time: it is then entered by the last 64 tokens of the text.
    const suffix_corpus* corpus = nullptr;
    /// Whether drafts end earlier than the rule has it where those from matches of that length did not get so far (see
    /// detail::acceptance_by_match). They are learnt from in any case.
    bool adapts = true;

    /// The text got these tokens, prompt and generated alike; those below 0 are ignored. Constant time a token, on
    /// average over a text. (A full table is copied to one of twice its size: that takes 10 to 30 ms of a token in a
    /// million.)
    void accept(std::span<const token_id> tokens) noexcept {
        kept.read_.follow(corpus);
        for (const token_id token : tokens) {
            if (token < 0) continue;
            kept.acceptance_.accept(token);
            kept.read_.accept(token, tokens_of_generation());
        }
    }
    /// Adds tokens behind those of `d`, for certain, until it has `most` or the draft is as long as it is to be. What
    /// `d` has already counts as text behind the text, and is not learnt. The longest match counts, be it in the
    /// current generation, the previous one or the corpus; of equal ones the first of these. Answers how many were
    /// added. O(what `d` has then).
    std::size_t propose(draft& d, std::size_t most) noexcept {
        const std::size_t had = d.size();
        kept.acceptance_.withdraw();
        if (had >= most) return 0;
        kept.read_.follow(corpus);
        const detail::suffix_match match = kept.read_.longest(d.tokens());
        const std::size_t length = length_behind(match, most - had);
        for (std::size_t i = 0; i < length; ++i)
            if (!d.push(kept.read_.follower(match, i, d.tokens()))) break;
        kept.acceptance_.propose(d.tokens(), had, match.place.length);
        return d.size() - had;
    }
    /// Adds nodes behind the text until `t` has `most`: first the line that the other propose would add to an empty
    /// draft, then what else followed the match and its two next shorter ones, the most likely first by their counts,
    /// and what followed that, no deeper than longest_draft. So siblings lie by falling chance, the copied one first. A
    /// token that is a child already is not added again. Only the automaton of the longest match is looked at. Answers
    /// how many were added. 2 to 25 µs for 32 nodes.
    std::size_t propose(draft_tree& t, std::size_t most) noexcept {
        const std::size_t had = t.size();
        kept.acceptance_.withdraw();
        if (had >= most) return 0;
        kept.read_.follow(corpus);
        const detail::suffix_match match = kept.read_.longest({});
        const std::size_t length = length_behind(match, most - had);
        if (length == 0) return 0;
        copy_line(match, length);
        const auto line = kept.line_.part(0, kept.line_.size());
        detail::suffix_tree_growth growth(kept.read_.states(match.in), t, kept.open_, shortest(), longest());
        growth.add_line(line, match.place, most);
        growth.add_branches(most);
        kept.acceptance_.propose(line, 0, match.place.length);
        return t.size() - had;
    }
    /// Forgets the text and how far drafts got; the corpus and the options stay, and memory mostly.
    void reset() noexcept {
        kept.read_.clear();
        kept.acceptance_.clear();
    }
    /// The memory that it holds, the corpus not counted.
    std::size_t bytes() const noexcept {
        return kept.read_.bytes() + kept.acceptance_.bytes() + kept.line_.bytes() + kept.open_.bytes();
    }

    detail::suffix_memory kept{};  ///< what it has read; not to be set

private:
    std::size_t shortest() const noexcept { return (std::max)(least_match, std::size_t{1}); }
    std::size_t longest() const noexcept { return (std::min)(longest_draft, std::size_t{1} << 20); }
    std::size_t tokens_of_generation() const noexcept {
        return std::clamp(generation, (std::max)(2 * longest(), std::size_t{2}), std::size_t{1} << 30);
    }
    std::size_t length_behind(const detail::suffix_match& match, std::size_t most) const noexcept {
        const std::size_t matched = match.place.length;
        if (matched < shortest()) return 0;
        most = (std::min)(most, longest());
        const float by_match = 1.0f + (per_match > 0.0f ? per_match : 0.0f) * float(matched);
        if (by_match < float(most)) most = std::size_t(by_match);
        return adapts ? kept.acceptance_.length(matched, most) : most;
    }
    void copy_line(const detail::suffix_match& match, std::size_t length) noexcept {
        kept.line_.clear();
        for (std::size_t i = 0; i < length; ++i) {
            const token_id token = kept.read_.follower(match, i, kept.line_.part(0, kept.line_.size()));
            if (token < 0 || !kept.line_.push(token)) return;
        }
    }
};

}  // namespace riffle
