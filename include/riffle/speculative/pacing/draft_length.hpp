#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>

#include <riffle/core/history.hpp>
#include <riffle/speculative/pacing/acceptance_by_position.hpp>
#include <riffle/speculative/pacing/batch_costs.hpp>
#include <riffle/speculative/pacing/length_trials.hpp>
#include <riffle/speculative/pacing/line_fit.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// What a controller's options come to.
struct draft_limits {
    std::size_t most, least;  ///< tokens of a draft, but for 0
    double cost_of_a_row;     ///< of an evaluation of one row
    double kept;              ///< of what was counted, from round to round
    std::size_t try_every;    ///< rounds
};

/// What became of a draft, for learning from it.
struct draft_outcome {
    std::size_t size;      ///< tokens or nodes
    std::size_t depth;     ///< of its last or deepest token; of a line the size
    std::size_t accepted;  ///< at most depth
    bool is_refused;       ///< a token behind the accepted ones was asked, in vain
};

/// How long the drafts of one drafter should be. Lengths are tokens one behind the other; a tree of such a depth has as
/// many nodes as trees had, on average.
///
/// What counts is tokens a second over all rounds, those in which the drafter had nothing to propose included: of f,
/// the share of rounds with a draft, (1 + f · gained) / ((1 - f) · a plain round + f · a round with a draft) is made as
/// large as it gets. It is compared with a plain round's rate. Time that is spent on each token of the text, in
/// verifying it, does not change which length is best, since it is the same for all of them.
class draft_length {
public:
    /// The size of the next draft, at most: tokens, or nodes of a tree.
    std::size_t decide(const batch_costs& model, const draft_limits& limits) noexcept {
        const std::size_t most = (std::min)(limits.most, size_of(longest));
        if (most == 0 || limits.least > most) return usual_ = planned_ = 0;
        usual_ = knows_no_plain_round(model, limits) ? 0 : best(model, limits).length;
        planned_ = trials_.is_due(limits.try_every) ? trials_.length(usual_, length_of(most)) : usual_;
        return planned_ == 0 ? 0 : (std::min)((std::max)(size_of(planned_), limits.least), most);
    }
    /// A round is over, for which decide was asked. A drafter that had nothing teaches that alone.
    void learn(const draft_outcome& round, const batch_costs& model, const draft_limits& limits) noexcept {
        const bool was_asked = planned_ > 0, has_draft = round.size > 0;
        if (was_asked || has_draft) {
            asked_ = asked_ * limits.kept + 1.0;
            proposed_ = proposed_ * limits.kept + (has_draft ? 1.0 : 0.0);
        }
        if (was_asked && !has_draft) return;
        fade(limits.kept);
        acceptance_.learn(round.accepted, round.is_refused);
        nodes_ += double(round.size);
        depths_ += double(round.depth);
        has_been_plain_ |= !has_draft;
        const bool is_trial = planned_ < usual_ || (planned_ > usual_ && round.size > size_of(usual_));
        if (is_trial) trials_.finish(is_improvement(model, limits));
        else if (trials_.is_overdue(limits.try_every)) trials_.finish(false);
        else trials_.pass();
    }
    /// Drafting took so long. Nothing is learnt where no draft was asked for.
    void measure_drafting(std::size_t size, double seconds, const draft_limits& limits) noexcept {
        if (size == 0 && planned_ == 0) return;
        drafting_.fade(limits.kept);
        drafting_.add(double(size), seconds);
    }

private:
    /// Speculators take no longer lines.
    static constexpr std::size_t longest = rollback_depth - 1;
    /// What is reached more rarely is not worth a look.
    static constexpr double least_reached = 1.0 / 512.0;

    struct prospect {
        std::size_t length;
        double tokens_a_second;
    };

    void fade(double kept) noexcept {
        acceptance_.fade(float(kept));
        if (!(depths_ > 1.0)) return;  // how wide trees are is not forgotten
        nodes_ *= kept;
        depths_ *= kept;
    }
    /// What drafting is compared with has to be measured once.
    bool knows_no_plain_round(const batch_costs& model, const draft_limits& limits) const noexcept {
        return limits.try_every > 0 && !has_been_plain_ && !model.empty() && !model.has(1);
    }
    std::size_t size_of(std::size_t length) const noexcept {
        return depths_ > 0.0 ? std::size_t(std::ceil(double(length) * nodes_ / depths_ - 1e-6)) : length;
    }
    /// The greatest length of such a size, at least 1.
    std::size_t length_of(std::size_t size) const noexcept {
        const double depth = depths_ > 0.0 ? double(size) * depths_ / nodes_ : double(size);
        return (std::max)(std::size_t(depth + 1e-6), std::size_t{1});
    }
    double seconds_of_drafting(std::size_t size, const batch_costs& model) const noexcept {
        if (model.empty() || drafting_.empty()) return 0.0;
        return drafting_.at(double(size), drafting_.mean_x() > 0.0 ? drafting_.mean_y() / drafting_.mean_x() : 0.0);
    }

    /// Each length that is allowed, and its tokens a second.
    template <class Visit>
    void each(const batch_costs& model, const draft_limits& limits, Visit visit) const noexcept {
        const double plain = model.seconds(1, limits.cost_of_a_row);
        visit(prospect{0, 1.0 / plain});
        const double share = (proposed_ + 1.0) / (asked_ + 1.0);
        const double in_vain = (1.0 - share) * (plain + seconds_of_drafting(0, model));
        double chance = 1.0, reached = 1.0, gained = 0.0;
        for (std::size_t n = 1, size; n <= longest && (size = size_of(n)) <= limits.most; ++n) {
            chance = acceptance_.chance(n - 1, chance);
            reached *= chance;
            gained += reached;
            if (size < limits.least) continue;
            const double round = model.seconds(size + 1, limits.cost_of_a_row) + seconds_of_drafting(size, model);
            visit(prospect{n, (1.0 + share * gained) / (in_vain + share * round)});
            if (reached < least_reached) break;
        }
    }
    prospect best(const batch_costs& model, const draft_limits& limits) const noexcept {
        prospect found{0, 0.0};
        each(model, limits, [&](const prospect& one) {
            if (one.tokens_a_second > found.tokens_a_second) found = one;
        });
        return found;
    }
    /// Whether a length is clearly better than the one that was thought best.
    bool is_improvement(const batch_costs& model, const draft_limits& limits) const noexcept {
        constexpr double clearly = 1.03;
        double of_usual = 0.0;
        each(model, limits, [&](const prospect& one) {
            if (one.length == usual_) of_usual = one.tokens_a_second;
        });
        return best(model, limits).tokens_a_second > clearly * of_usual;
    }

    acceptance_by_position acceptance_;
    line_fit drafting_;  ///< seconds by size
    length_trials trials_;
    double asked_ = 0.0, proposed_ = 0.0;  ///< rounds in which the drafter was asked, and had something
    double nodes_ = 0.0, depths_ = 0.0;    ///< of drafts, summed up
    std::size_t usual_ = 0, planned_ = 0;  ///< lengths of the next round: the best one, and what is tried instead
    bool has_been_plain_ = false;
};

}  // namespace riffle::detail
