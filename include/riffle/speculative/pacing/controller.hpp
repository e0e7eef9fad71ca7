#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <riffle/core/token.hpp>
#include <riffle/speculative/pacing/batch_costs.hpp>
#include <riffle/speculative/pacing/controller_report.hpp>
#include <riffle/speculative/drafts/draft.hpp>
#include <riffle/speculative/pacing/draft_length.hpp>
#include <riffle/speculative/drafts/draft_tree.hpp>
#include <riffle/speculative/drafters/drafter.hpp>
#include <riffle/speculative/verifying/verified.hpp>

namespace riffle::inline RIFFLE_ABI {
struct controller;
namespace detail {

/// What a controller keeps from call to call.
class controller_memory {
    friend controller;
    batch_costs model_;
    std::array<draft_length, 8> drafters_;
    controller_counts counts_;
};

}  // namespace detail

/// Decides how many tokens a draft may have: as many as bring most tokens a second, by what was measured: which share
/// of the drafted tokens was accepted, position by position, and what evaluations cost, by the rows of their batch. So
/// nothing is drafted that costs more than it saves.
///
///     controller pace;
///     for (;;) {
///         d.clear();
///         pace.propose(drafter, d);
///         const auto rows = ...   // the model evaluates d.size() + 1 rows; your clock says how long that takes
///         pace.measure_model(d.size() + 1, seconds);
///         const auto& round = verifier.verify(chain, d, rows);
///         pace.note(d, round);
///         drafter.accept(round.tokens);
///     }
///     pace.report().tokens_a_step ...
///
/// With a draft model, whose tokens come one by one:
///
///     const std::size_t most = pace.longest();
///     while (d.size() < most && draft_from(of_draft_model, row, d) >= 0 && !pace.cut(d)) ...
///     pace.measure_drafter(d.size(), seconds);
///
/// Times are optional; without any it goes by acceptance, and by cost_of_a_row. Times that are below 0, NaN, or more
/// than 10^9 seconds are ignored. Every now and then it tries another length, or a plain round, so that it notices what
/// has changed; what it has counted fades. It does the same whenever it is given the same.
///
/// Several drafters are told apart by a number `of` from 0 to 7 that the user gives (larger ones are as 7), and so can
/// be whatever else says much about acceptance, such as how long a match was.
///
/// Lengths depend on earlier rounds alone, and tokens are taken away by their law and not by how they were drawn, so
/// exact verifiers stay exact. Under match the text does not depend on lengths; under others it does, and so on the
/// times that were given, while its law does not.
///
/// Of a tree the tokens are its nodes, acceptance is learnt by depth, and as much depth is allowed as pays where trees
/// go on having as many nodes for it as they had.
///
/// Nothing throws or allocates. 7.5 KB. longest takes 0.2 to 1.5 µs, by `most`; note less, but for twice as much after
/// a trial.
struct controller {
    /// Tokens of a draft, or nodes of a tree, at most; 0: none are drafted. (Of a line more than 127 are as 127.)
    std::size_t most = 16;
    /// Drafts that would have fewer tokens are not worth a batch: none is asked for, and propose drops one that turns
    /// out shorter. 0 and 1: all are. More than `most`: none is.
    std::size_t n_min = 0;
    /// A draft ends ahead of the first token whose law gives no token as much as this. NaN, 0 and less: no draft does;
    /// more than 1: ahead of the first that has a law. Tokens proposed for certain are not cut. (By the probability of
    /// the token that was drawn one may not go: leaving out the unlikely ones changes the law of the text.)
    float p_min = 0.0f;
    /// What a row more costs as long as that is not known, relative to an evaluation of one row; from 0 to 1, to which
    /// others are clamped; NaN is as 0.
    float cost_of_a_row = 0.05f;
    /// About so many rounds are remembered, and so many evaluations, the later ones better. Less than 8 is as 8.
    std::size_t memory = 32;
    /// Rounds to the first trial of another length, and to the next one after one that found a better length; up to 8
    /// times as many after others. 0: none is tried. More than 2^20 is as that.
    std::size_t try_every = 8;

    /// How many tokens the next draft may have, or a tree nodes.
    std::size_t longest(std::size_t of = 0) noexcept { return drafter_of(of).decide(kept.model_, limits()); }
    /// Lets a drafter add tokens until `d` has longest(of); then cut, and what was added is dropped where `d` has fewer
    /// than n_min tokens, unless one of them was drawn from a law: what stays would not have the law of the text.
    /// Answers how many were added.
    template <token_drafter Drafter>
    std::size_t propose(Drafter& by, draft& d, std::size_t of = 0) noexcept {
        const std::size_t had = d.size();
        const std::size_t may_have = longest(of);
        if (may_have > had) by.propose(d, may_have);
        (void)cut(d, had);
        if (d.size() < n_min && is_certain(d, had)) d.shorten(had);
        return d.size() - had;
    }
    /// Lets a drafter add nodes until the tree has longest(of). Answers how many were added.
    template <tree_drafter Drafter>
    std::size_t propose(Drafter& by, draft_tree& tree, std::size_t of = 0) noexcept {
        const std::size_t had = tree.size();
        const std::size_t may_have = longest(of);
        if (may_have > had) by.propose(tree, may_have);
        return tree.size() - had;
    }
    /// Ends a draft by p_min, where tokens from `first` on are looked at. Whether it did. O(entries of their laws).
    bool cut(draft& d, std::size_t first = 0) const noexcept {
        for (std::size_t i = first; p_min > 0.0f && i < d.size(); ++i) {
            const auto law = d.law(i);
            const auto is_less = [&](const token_probability& one) { return one.p < p_min; };
            if (law.empty() || !std::all_of(law.begin(), law.end(), is_less)) continue;
            d.shorten(i);
            return true;
        }
        return false;
    }

    /// The model evaluated a batch of so many rows, 1 + d.size() in a round, in so many seconds. Batches of more than
    /// 4096 rows count for the report alone.
    void measure_model(std::size_t rows, double seconds) noexcept {
        if (!is_time(seconds)) return;
        kept.model_.measure(rows, seconds, limits().kept);
        kept.counts_.add_model(seconds);
    }
    /// A drafter proposed so many tokens, or nodes, in so many seconds. It counts into what a draft costs.
    void measure_drafter(std::size_t tokens, double seconds, std::size_t of = 0) noexcept {
        if (!is_time(seconds)) return;
        drafter_of(of).measure_drafting(tokens, seconds, limits());
        kept.counts_.add_drafter(seconds);
    }
    /// A verification took so many seconds. For the report alone: verifying takes its time for each token that the text
    /// gets, however long drafts are, so it decides nothing.
    void measure_verifier(double seconds) noexcept {
        if (is_time(seconds)) kept.counts_.add_verifier(seconds);
    }

    /// What became of a draft, an empty one too. Nothing is learnt from a round that failed.
    void note(const draft& d, const verified& round, std::size_t of = 0) noexcept {
        const std::size_t accepted = (std::min)(round.accepted, d.size());
        learn({d.size(), d.size(), accepted, accepted < d.size() && round.tokens.size() > accepted}, round, of);
    }
    /// What became of a tree. O(nodes).
    void note(const draft_tree& tree, const verified& round, std::size_t of = 0) noexcept {
        const std::size_t depth = tree.deepest();
        const std::size_t accepted = (std::min)(round.accepted, depth);
        const bool is_node = round.node < 0 || std::size_t(round.node) < tree.size();
        const bool is_refused =
            is_node && tree.first_child(round.node) >= 0 && round.tokens.size() > accepted && accepted < depth;
        learn({tree.size(), depth, accepted, is_refused}, round, of);
    }

    /// What has come so far.
    controller_report report() const noexcept { return kept.counts_.report(); }
    /// Forgets all that was measured and noted. (A new text needs none of it.)
    void reset() noexcept { kept = {}; }

    detail::controller_memory kept{};  ///< what it has measured; not to be set

private:
    static bool is_time(double seconds) noexcept { return seconds >= 0.0 && seconds <= 1e9; }
    static bool is_certain(const draft& d, std::size_t first) noexcept {
        for (std::size_t i = first; i < d.size(); ++i)
            if (!d.law(i).empty()) return false;
        return true;
    }
    detail::draft_length& drafter_of(std::size_t of) noexcept {
        return kept.drafters_[(std::min)(of, kept.drafters_.size() - 1)];
    }
    double share_of_a_row() const noexcept {
        return cost_of_a_row > 0.0f ? (std::min)(double(cost_of_a_row), 1.0) : 0.0;
    }
    detail::draft_limits limits() const noexcept {
        const double rounds = double((std::max)(memory, std::size_t{8}));
        return {most, n_min, share_of_a_row(), 1.0 - 1.0 / rounds, (std::min)(try_every, std::size_t{1} << 20)};
    }
    void learn(const detail::draft_outcome& outcome, const verified& round, std::size_t of) noexcept {
        if (round.tokens.empty()) return;
        const double one_row = kept.model_.empty() ? 0.0 : kept.model_.seconds(1, share_of_a_row());
        kept.counts_.note(round.tokens.size(), outcome.size, outcome.depth, outcome.accepted, one_row);
        drafter_of(of).learn(outcome, kept.model_, limits());
    }
};

}  // namespace riffle
