#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <riffle/chain/folded_passes.hpp>
#include <riffle/chain/row_law.hpp>
#include <riffle/chain/row_step.hpp>
#include <riffle/chain/stage_ops.hpp>
#include <riffle/core/candidates.hpp>
#include <riffle/core/facts.hpp>
#include <riffle/core/last_choice.hpp>
#include <riffle/core/softmax_statistics.hpp>
#include <riffle/wide/pick.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// The law that the selector of a step draws by, in integers: over what was found, whose weights are then in the bits
/// of p, or over the row.
template <class Stages>
class law_of_step {
public:
    /// `of_all` are the softmax statistics of what the selector is given, where it asks for them.
    law_of_step(row_step<Stages>& of, softmax_statistics& of_all) noexcept : s_(of), of_all_(of_all) {}

    void forget() noexcept { where_ = place::nowhere; }
    bool exists() const noexcept { return where_ != place::nowhere; }
    /// Whether its tokens stay in the row.
    bool is_of_row() const noexcept { return where_ == place::in_row; }
    /// What the weights of all tokens come to.
    std::uint64_t total() const noexcept { return total_; }

    /// Becomes the law of the row, whose mass is known where it is that of the mapped logits.
    void find_in_row(const stage_ref& selector) noexcept {
        where_ = place::in_row;
        if (selector.ops->fact.selects == selecting::by_own_distribution) {
            const wide::shaped_mass of_shape = s_.template run<&folded_passes::shaped_mass>(
                selector, s_.row, s_.memory.block_maxima, of_all_, s_.memory.masses);
            total_ = of_shape.total;
            maximum_ = of_shape.maximum;
        } else {
            total_ = s_.total_mass;
            maximum_ = s_.mapped_maximum;
        }
    }
    /// Becomes the law of what was found, by the selector's own distribution where it has one. Where the choice is all
    /// there is, as greedy's, of that token alone. False where nothing is legal.
    bool find_among_candidates() noexcept {
        candidates& c = s_.found;
        const stage_ref* const selector = s_.stages->has_selector() ? &selector_of(*s_.stages) : nullptr;
        if (c.has_selected() && !(s_.stages->is_exact() && has_drawn_by_distribution(*selector))) {
            c.data[0] = c[std::size_t(c.selected)];
            c.size = 1;
        }
        c.selected = -1;
        c.keep_legal();
        if (c.empty()) return s_.fail();
        where_ = place::among_candidates;
        total_ = selector && selector->ops->weigh ? selector->ops->weigh(*selector, c, of_all_)
                                                  : c.weigh(c[c.greatest()].logit);
        return true;
    }

    /// Puts what was found in ascending id, as it comes from the row unless a stage has ordered it.
    void sort_by_id() noexcept {
        const auto by_id = [](const token_data& a, const token_data& b) { return a.id < b.id; };
        if (std::is_sorted(s_.found.begin(), s_.found.end(), by_id)) return;
        std::sort(s_.found.begin(), s_.found.end(), by_id);
        s_.found.sorted = false;
    }

    // What is asked of it when the step has ended: a chain's list of stages is another one then.

    /// The law of the row. It refers to `stages`.
    basic_row_law<typename Stages::value_type> of_row(const Stages& stages) noexcept {
        s_.stages = &stages;
        const stage_ref& selector = selector_of(stages);
        const bool by_shape = selector.ops->fact.selects == selecting::by_own_distribution;
        return {s_.passes, s_.pending_maps(), by_shape ? &selector : nullptr, &s_.row, s_.memory.masses,
                total_,    maximum_,          of_all_,                        s_.kept};
    }
    /// What the selector would have noted of a token, had it chosen it; nothing where it could not.
    last_choice choice_of(const Stages& stages, token_id token) noexcept {
        float logit = illegal_logit;
        std::uint32_t weight = 0;
        if (is_of_row()) {
            weight = of_row(stages).weight(token);
            if (weight > 0) logit = s_.mapped_logit(token);
        } else {
            for (const auto& one : s_.found)
                if (one.id == token) logit = one.logit, weight = candidates::weight(one);
        }
        if (weight == 0) return {};
        const stage_ref& selector = selector_of(stages);
        if (selector.ops->shaped) return {token, selector.ops->shaped(selector, of_all_, token, logit).p};
        return {token, float(double(weight) / double(total_))};
    }
    /// Makes candidates of it, with the logits that they are drawn by: the n first in rank at least, or all that weigh
    /// something. It is no law then.
    void become_candidates(const Stages& stages, std::size_t n) noexcept {
        s_.stages = &stages;
        const bool by_shape = stages.has_selector() && selector_of(stages).ops->weigh;
        if (is_of_row()) {
            if (by_shape) s_.gather_above_raw(std::numeric_limits<float>::lowest());
            else gather_what_weighs(n);
        }
        if (by_shape) stages.prepare(stages.size() - 1, s_.found);
        forget();
    }

private:
    /// Of the row: the n first in rank, or all.
    void gather_what_weighs(std::size_t n) noexcept {
        if (n < s_.row.size() / 2) s_.select_greatest(n);
        else s_.gather_above_raw(s_.mass_cut());
        s_.found.weigh(maximum_);
        s_.found.keep_if([](const token_data& one) { return candidates::weight(one) > 0; });
    }
    static const stage_ref& selector_of(const Stages& stages) noexcept { return stages[stages.size() - 1]; }
    /// Whether what llama.cpp's form selected is one of several that it could have: not the greatest, and not what is
    /// left where all weights are NaN.
    bool has_drawn_by_distribution(const stage_ref& selector) const noexcept {
        const selecting how = selector.ops->fact.selects;
        const float p = s_.found[std::size_t(s_.found.selected)].p;
        return (how == selecting::by_mass || how == selecting::by_own_distribution) && p == p;
    }

    enum class place : std::uint8_t { nowhere, among_candidates, in_row };

    row_step<Stages>& s_;
    softmax_statistics& of_all_;
    place where_ = place::nowhere;
    std::uint64_t total_ = 0;
    float maximum_ = illegal_logit;  ///< by which the weights of a row are measured
};

}  // namespace riffle::detail
