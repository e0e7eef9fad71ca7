#pragma once
#include <cstddef>

#include <riffle/chain/open_step.hpp>
#include <riffle/chain/plan.hpp>
#include <riffle/core/candidates.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/token.hpp>
#include <riffle/core/tuning.hpp>
#include <riffle/llama/array/exact_strategy.hpp>
#include <riffle/llama/array/plan_strategy.hpp>
#include <riffle/llama/array/write_back.hpp>
#include <riffle/llama/context.hpp>
#include <riffle/wide/candidate_row.hpp>

// A chain's stages applied to an array of candidates. What is left in the array is what applying the stages to it one
// after the other leaves; there are three quicker ways: llama.cpp's own with its forms of stages (exact_strategy), the
// passes over a row where the array is one (plan_strategy), and on what a graph has left (superset_strategy).

namespace riffle::inline RIFFLE_ABI::llama::detail {

/// Whether a plan makes candidates of a row at once, and no pass reads it.
inline bool has_verbs_alone(const plan& p) noexcept { return p.verbs_ahead() == 0 && p.has(pass::rows); }

/// riffle's own stages on an array that may be a row: by the passes where it is one. False where nothing was done.
template <class Chain>
bool apply_by_plan(Chain& chain, candidates& c, bool& has_p, status& s) noexcept {
    decltype(auto) stages = chain.view();
    if (c.size < tuning::least_row_of_candidates) return false;
    // Scratch is not asked for where none is needed. (What masks leave legal is only known in the open step.)
    if (!stages.has_masks() && has_verbs_alone(stages.plan_for(stages.bridge(c.size, 0)))) return false;
    open_step step(chain, c.size);
    if (!(s = step.state()).ok()) return true;
    const plan& p = step.plan_for(c.size);
    if (has_verbs_alone(p)) return false;
    const std::size_t verbs = p.verbs_ahead(), size = c.size;
    const context x = step.past();
    const auto finish = [&](const status& came_to) {
        s = step.finish(c, came_to);
        return true;
    };
    if (verbs > 0) {
        if (!wide::make_candidates_canonical(c)) return false;
        c.sorted = false;
        if (const status failed = narrow_stages(stages, 0, verbs, c, x); !failed.ok()) return finish(failed);
        if (c.size != size || c.sorted || c.selected >= 0) return finish(narrow_from(stages, verbs, c, x));
    }
    const wide::row_found found = wide::copy_logits(c, step.memory().copies, step.memory().block_maxima);
    if (!found.is_row) return verbs > 0 && finish(narrow_from(stages, verbs, c, x));
    has_p = p.has(pass::pick) && stages.fact(p.bridge).selects != selecting::by_own_distribution;
    const auto map = [&](std::size_t first, std::size_t end, riffle::detail::row& r) {
        return map_row(chain, first, end, r);
    };
    return finish(plan_strategy(stages, p, c, step.memory(), x).run(step.machine(), found.maximum, map));
}

/// The stages of a chain on candidates that may be a row. A selection that was there stays, as an index under
/// numerics::llama and as a token otherwise, where it survives.
template <class Chain>
status apply(Chain& chain, candidates& c) noexcept {
    decltype(auto) stages = chain.view();
    if (stages.is_exact()) {
        open_step step(chain, c.size);
        if (!step.ok()) return step.state();
        const context x = step.past();
        return step.finish(c, exact_strategy(stages, c, step.memory(), x).run());
    }
    const token_id chosen = c.has_selected() ? c[std::size_t(c.selected)].id : -1;
    c.selected = -1;
    bool has_p = false;
    status s;
    if (!apply_by_plan(chain, c, has_p, s)) s = chain.apply(c);
    if (!s.ok()) return s;
    if (stages.has_selector()) {
        if (!has_p) c.normalise();
        return s;
    }
    for (std::size_t i = 0; chosen >= 0 && i < c.size && c.selected < 0; ++i)
        if (c[i].id == chosen) c.selected = std::int64_t(i);
    return s;
}

/// The stages from `first` on, for candidates that those before were run on elsewhere.
template <class Chain>
status apply_from(Chain& chain, std::size_t first, candidates& c) noexcept {
    open_step step(chain, c.size);
    if (!step.ok()) return step.state();
    for (auto& token : c) token.logit = canonical(token.logit);
    c.sorted = false;
    const status s = step.finish(c, narrow_from(step.stages(), first, c, step.past()));
    if (s.ok() && step.stages().has_selector()) c.normalise();
    return s;
}

/// peek, for an output of which not all tokens are left.
template <class Chain>
token_id choose_among(Chain& chain, const output& left) noexcept {
    bool is_row = true;
    for (std::size_t i = 0; is_row && i < left.size; ++i) is_row = left.ids[i] == token_id(i);
    if (is_row) return chain.peek({left.logits, left.size});
    open_step step(chain, left.size);
    if (!step.ok()) return null_token;
    candidates c{step.memory().tokens, left.size, -1, false};  // which candidates that are no row leave alone
    for (std::size_t i = 0; i < c.size; ++i) c[i] = {left.ids[i], left.logits[i], left.p ? left.p[i] : 0.0f};
    if (!apply(chain, c).ok()) return null_token;
    if (c.selected >= 0 && c[std::size_t(c.selected)].logit > illegal_logit) return c[std::size_t(c.selected)].id;
    chain.state().set_status(step.stages().has_selector() ? status_code::no_legal_token : status_code::no_selector);
    return null_token;
}

/// peek for what a context has, where no token was chosen there.
template <class Chain>
token_id peek_output(Chain& chain, const output& from) noexcept {
    return from.ids ? choose_among(chain, from) : chain.peek({from.logits, from.size});
}

}  // namespace riffle::llama::detail
