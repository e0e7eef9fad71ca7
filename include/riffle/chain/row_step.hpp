#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include <riffle/chain/folded_passes.hpp>
#include <riffle/chain/plan.hpp>
#include <riffle/chain/scratch.hpp>
#include <riffle/chain/stage_ops.hpp>
#include <riffle/core/candidates.hpp>
#include <riffle/core/context.hpp>
#include <riffle/core/logit_row.hpp>
#include <riffle/core/row.hpp>
#include <riffle/core/status.hpp>
#include <riffle/math/fixed_mass.hpp>
#include <riffle/wide/above.hpp>
#include <riffle/wide/half_rows.hpp>
#include <riffle/wide/max.hpp>
#include <riffle/wide/nucleus.hpp>
#include <riffle/wide/preimage.hpp>
#include <riffle/wide/rewrite.hpp>
#include <riffle/wide/select.hpp>

namespace riffle::inline RIFFLE_ABI {

/// How far a machine runs a chain.
enum class run_to {
    token,            ///< to the token
    token_among_all,  ///< to the token, and all candidates that it is chosen from are there
    selector,         ///< ahead of the selector, with the candidates that it would choose from
    law,              ///< to the law that the selector would draw by: of candidates, or of the row as it is
};

namespace detail {

/// One step on a row as far as it has come: the row behind its edits, what the passes found in it, and the candidates
/// that were made of it. What every part of the processor's machine works on. (A template over the list of stages, as
/// they are, so that including riffle does not compile it.)
template <class Stages>
struct row_step {
    const Stages* stages = nullptr;
    const plan* now = nullptr;              ///< the plan that is run
    const folded_passes* passes = nullptr;  ///< with the maps folded in that are pending at its bridge
    std::size_t next = 0;                   ///< the step of the plan that comes next
    run_to end = run_to::token;
    const context* past = nullptr;
    detail::scratch memory;
    detail::row row;
    candidates found;
    status state;

    const wide::row_maximum* known = nullptr;  ///< of the row, where that is known before it is looked for
    wide::row_maximum left{};                  ///< what `known` points to, where a stage or a bridge has left a row
    float maximum = illegal_logit;             ///< the greatest logit of the row, canonical
    float mapped_maximum = illegal_logit;      ///< that logit behind the pending maps
    std::uint64_t total_mass = 0;              ///< of the last mass pass, and in memory.masses that of each block
    bool has_groups = false;                   ///< memory.groups are those of the row
    bool stays_in_row = false;                 ///< what a bridge has left was in the row, not among candidates
    wide::nucleus_bound kept;                  ///< run_to::law: what a nucleus left of the row, where none is hidden

    void begin(const Stages& list, const plan& p, const detail::scratch& in, const context& x, const logit_row& logits,
               run_to goal, const wide::row_maximum* known_maximum, std::size_t first) noexcept {
        stages = &list;
        end = goal;
        past = &x;
        memory = in;
        row.assign(logits, memory.blocks, memory.copies, memory.edits);
        found = {memory.tokens, 0, -1, false};
        state = status();
        go_on(p, first);
        known = first < p.size && p.steps[first].op == pass::max ? known_maximum : nullptr;  // else it is edited first
        maximum = mapped_maximum = illegal_logit;
        total_mass = 0;
        stays_in_row = false;
        kept = {};
    }
    /// With step `at` of a plan.
    void go_on(const plan& p, std::size_t at) noexcept {
        now = &p;
        passes = &stages->passes_for(p.bridge);
        next = at;
    }

    /// Whether it ends ahead of a choice.
    bool stops_at_selector() const noexcept { return end == run_to::selector || end == run_to::law; }

    // ---- what is asked of stages

    template <auto Op, class... Arguments>
    auto ask(std::size_t i, Arguments&&... arguments) const noexcept {
        const stage_ref& s = (*stages)[i];
        return (s.ops->*Op)(s, arguments...);
    }
    // These parameters may be any number. More than the row has logits means all of them.
    std::size_t rank(std::size_t i) const noexcept { return (std::min)(ask<&stage_ops::rank>(i), row.size()); }
    std::size_t keeps_at_least(std::size_t i) const noexcept {
        if (!(*stages)[i].ops->keeps_at_least) return (std::min<std::size_t>)(1, row.size());
        return (std::min)(ask<&stage_ops::keeps_at_least>(i), row.size());
    }
    std::uint64_t random_bits(std::size_t i) const noexcept { return ask<&stage_ops::random>(i, past->at()).bits(); }

    // ---- the maps that are pending at the bridge

    bool has_maps() const noexcept { return now->pending != now->bridge; }
    folded_passes::maps pending_maps() const noexcept {
        return {&(*stages)[0] + now->pending, now->bridge - now->pending};
    }
    /// A pass, with those maps folded in.
    template <auto Pass, class... Arguments>
    auto run(Arguments&&... arguments) const noexcept {
        return (passes->*Pass)(pending_maps(), arguments...);
    }
    float map(float logit) const noexcept { return has_maps() ? run<&folded_passes::map>(logit) : logit; }
    void map(std::span<token_data> tokens) const noexcept {
        for (auto& token : tokens) token.logit = canonical(token.logit);
        if (has_maps()) run<&folded_passes::map_tokens>(tokens);
    }
    float mapped_logit(token_id id) const noexcept { return map(canonical(row.logit(std::size_t(id)))); }
    /// A bound on raw logits: exactly those whose mapped value reaches `target`, or the maximum where that is less.
    RIFFLE_NOINLINE float raw_cut(float target) const noexcept {
        target = (std::min)(target, mapped_maximum);
        return has_maps() ? run<&folded_passes::preimage>(target, maximum) : wide::raw_cut(target);
    }
    /// raw_cut(target), and +inf where nothing reaches it.
    float raw_cut_beyond(float target) const noexcept {
        return target > mapped_maximum ? std::numeric_limits<float>::infinity() : raw_cut(target);
    }
    /// A bound on raw logits under which a token weighs nothing.
    float mass_cut() const noexcept { return raw_cut(finite(mapped_maximum - mass_range)); }
    static float finite(float logit) noexcept { return (std::max)(logit, std::numeric_limits<float>::lowest()); }
    /// The maps, as find_greatest asks for them.
    struct mapping {
        const row_step& of;
        float operator()(float logit) const noexcept { return of.map(logit); }
        void map(std::span<token_data> tokens) const noexcept { of.map(tokens); }
        float mapped_maximum() const noexcept { return of.mapped_maximum; }
        float raw_cut(float target) const noexcept { return of.raw_cut(target); }
    };

    // ---- what is found in the row

    bool fail() noexcept {
        state.fail(status_code::no_legal_token);
        return false;
    }
    void note(float logit) noexcept {
        if (logit != logit) state.note_nan();
        if (logit > greatest_logit) state.note_infinity();
    }
    void note(const wide::row_maximum& of_row) noexcept {
        if (of_row.saw_nan) state.note_nan();
        note(of_row.logit);
    }
    void note(const detail::row& edited) noexcept {
        if (edited.saw_nan()) state.note_nan();
        if (edited.saw_infinity()) state.note_infinity();
    }

    /// The greatest logit, with the maxima of groups where that is asked for.
    float find_raw_maximum(bool with_groups = false) noexcept {
        const wide::row_maximum* const is_known = std::exchange(known, nullptr);
        has_groups = with_groups && !is_known;
        auto of_row =
            is_known ? *is_known : wide::find_max(row, memory.block_maxima, has_groups ? memory.groups : nullptr);
        note(of_row);
        if (of_row.logit > greatest_logit) {  // maps must not see +inf
            wide::make_infinities_finite(row, memory.block_maxima);
            of_row = wide::find_max(row, memory.block_maxima);
            has_groups = false;
        }
        return canonical(of_row.logit);
    }
    /// What is in `left`, to the next step; the block maxima are there.
    void offer_maximum() noexcept { known = next < now->size && now->steps[next].op == pass::max ? &left : nullptr; }
    /// How many raw logits reach the cut, counted up to `enough`.
    std::size_t reached_by(float cut, std::size_t enough) const noexcept {
        return wide::count_above(row, memory.block_maxima, cut, enough);
    }
    /// A bound on raw logits that holds the k first in rank of the mapped row, 0 < k <= row.size(). A map can make the
    /// bound's logit and a lesser one equal, so the bound is taken through the maps and back.
    float raw_cut_of_rank(std::size_t k) noexcept {
        const float bound =
            wide::bound_of_rank(row, memory.block_maxima, k, maximum, memory.groups, has_groups, memory.bins);
        if (bound == std::numeric_limits<float>::lowest()) return bound;  // all of them; a map of it may overflow
        return raw_cut(map(canonical(bound)));
    }
    /// A bound on raw logits: `cut`, or as far below it as the `least` first in rank lie.
    float raw_cut_with_at_least(float cut, std::size_t least) noexcept {
        return least > 1 ? (std::min)(cut, raw_cut_of_rank(least)) : cut;
    }

    // ---- candidates

    void select_greatest(std::size_t k) noexcept {
        found.size = 0;
        found.sorted = false;
        wide::find_greatest(row, memory.block_maxima, k, raw_cut_of_rank(k), mapping{*this}, found);
    }
    /// Candidates from the raw logits that reach the cut, mapped; false, and no use of those that were found, when they
    /// are more than `most`.
    RIFFLE_NOINLINE bool gather_above_raw(float cut, std::size_t most = std::size_t(-1)) noexcept {
        found.sorted = false;
        found.size = wide::find_above(row, memory.block_maxima, 0, row.blocks(), cut, found.data, most);
        if (found.size > most) return false;
        map({found.data, found.size});
        return true;
    }
    void choose(const token_data& token) noexcept {
        found.data[0] = token;
        found.size = 1;
        found.selected = 0;
    }

    // ---- where a bridge leaves many tokens, candidates of 12 bytes would cost more than another pass: they stay in
    // the row, the others are hidden there, and the next stage that narrows or selects becomes the bridge

    struct route {
        const plan* next = nullptr;
        std::size_t at = 0;               ///< the step of it that comes first
        bool at_draw = false;             ///< the bridge selects too
        bool draws_by_same_mass = false;  ///< the selector alone is left, and no map before it
        bool exists() const noexcept { return next != nullptr; }
    };
    /// How the step can go on in the row behind this bridge, if it can.
    route route_behind(std::size_t bridge) const noexcept {
        if (end != run_to::token && end != run_to::law) return {};
        if (next < now->size && now->steps[next].op == pass::draw) return {now, next, true, false};
        const plan& later = stages->plan_for(stages->bridge(row.size(), bridge + 1, memory.legal));
        const std::size_t at = now->goes_on_at(later);
        if (at == later.size) return {};
        bool same =
            at + 3 == later.size && later.steps[at + 1].op == pass::mass && later.steps[at + 2].op == pass::pick;
        for (std::size_t i = bridge; same && i < later.bridge; ++i) same = !stages->fact(i).maps;
        return {&later, at, false, same};
    }
    void go_on(const route& onward) noexcept {
        stays_in_row = true;
        found.size = 0;
        go_on(*onward.next, onward.at);
    }
};

}  // namespace detail
}  // namespace riffle
