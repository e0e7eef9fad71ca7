#pragma once
#include <cstddef>

#include <riffle/core/by_token.hpp>
#include <riffle/core/candidates.hpp>
#include <riffle/core/context.hpp>
#include <riffle/core/draws.hpp>
#include <riffle/core/facts.hpp>
#include <riffle/core/legal_tokens.hpp>
#include <riffle/core/softmax_statistics.hpp>
#include <riffle/wide/candidate_row.hpp>
#include <riffle/wide/fused_maps.hpp>
#include <riffle/wide/softmax.hpp>

// One stage on candidates, by whichever verb it has. For all chains alike, whatever stands around the stage.

namespace riffle::inline RIFFLE_ABI::detail {

/// logit + bias, rounded on its own: so no compiler fuses the sum with a product inside the user's bias(). What is
/// illegal stays so: it never meets a bias of +inf.
inline float biased(float logit, float bias) noexcept {
    return (lanes<1>(logit) + lanes<1>(logit > illegal_logit ? rounded(bias) : 0.0f))[0];
}

/// Whether the candidate of every id stands at that index, as it does when nothing has narrowed.
inline bool starts_in_id_order(const candidates& c) noexcept {
    for (std::size_t i = 0; i < c.size; ++i)
        if (c[i].id != token_id(i)) return false;
    return true;
}
inline void add_bias(candidates& c, const logit_bias_entry& entry, bool in_id_order) noexcept {
    const logit_edit adding = logit_edit::adding(flushed(entry.bias));
    if (!in_id_order) return change_one(c, entry.token, adding);
    if (const auto id = std::size_t(entry.token); entry.token >= 0 && id < c.size)
        c[id].logit = canonical(adding(c[id].logit));
}

inline void keep_legal(candidates& c, const legal_tokens& legal) noexcept {
    // Candidates that were gathered by ids come in their order; others are looked up.
    auto next = legal.ids.begin();
    const auto is_next = [&](token_id id) {
        if (next == legal.ids.end() || *next != id) return false;
        ++next;
        return true;
    };
    c.keep_if([&](const token_data& token) {
        return (is_next(token.id) || legal.contains(token.id)) && token.logit > illegal_logit;
    });
}
/// What a stage that masks leaves legal in this step.
template <class S, class Kept>
legal_tokens legal_of(const S& stage, const Kept& kept, const context& x) noexcept {
    if constexpr (requires { stage.legal_now(kept, x); }) return stage.legal_now(kept, x);
    else return stage.legal_now();
}

/// Runs the stage on candidates, by the verb that its facts name. `kept` is what the chain keeps for the stage,
/// `random` its numbers, where it draws.
template <class S, class Kept>
void narrow_by(const S& stage, const Kept& kept, candidates& c, const context& x, const draws& random) noexcept {
    constexpr facts f = facts_of<S>();
    if constexpr (f.masks) {
        keep_legal(c, legal_of(stage, kept, x));
    } else if constexpr (f.maps) {
        if constexpr (f.narrows != narrowing::no)
            if (stage.narrows_now()) return c.keep_greatest(stage.rank());
        c.map_logits(fused_maps<S>(stage));
    } else if constexpr (has_state<S> && f.selects != selecting::no) {
        if constexpr (f.selects != selecting::by_own_distribution) stage.prepare(c, kept);
        stage.choose(c, random, kept);
    } else if constexpr (f.narrows == narrowing::likelihood || f.narrows == narrowing::searched) {
        if (!stage.narrows_now()) return;
        const softmax_statistics of_all = softmax_of(c);
        if (of_all.mass == 0) return c.keep_legal();
        if constexpr (f.narrows == narrowing::searched) stage.keep(c, of_all, illegal_logit);
        else c.keep_above(stage.cut(of_all), stage.keeps_at_least());
    } else if constexpr (has_measured_map<S>) {
        if constexpr (f.narrows != narrowing::no)
            if (stage.narrows_now()) return c.keep_greatest(stage.rank());
        const softmax_statistics of_all = softmax_of(c);
        if (stage.adjusts_now() && of_all.mass > 0) c.map_logits(bound_map<S>(stage, of_all));
    } else if constexpr (requires { stage.change(c, x, kept); }) {
        stage.change(c, x, kept);
    } else if constexpr (has_contextual_edit<S>) {
        stage.change(c, x);
    } else if constexpr (f.edits) {
        const bool in_id_order = starts_in_id_order(c);
        for (const auto& entry : stage.edits()) add_bias(c, entry, in_id_order);
    } else if constexpr (f.dense_edits) {
        for (auto& token : c) token.logit = canonical(biased(token.logit, stage.bias(token.id)));
    } else {
        const std::size_t size = c.size;
        if constexpr (has_built_in_facts<S> && has_contextual_apply<S>) stage.apply(c, x);
        else if constexpr (has_drawing_apply<S>) stage.apply(c, random);
        else stage.apply(c);
        if constexpr (!has_built_in_facts<S>) {  // a user's verb may leave anything
            if (c.size > size) c.size = size;
            wide::make_candidates_canonical(c);
        }
    }
}

}  // namespace riffle::detail
