#pragma once
#include <cstddef>

#include <riffle/chain/chain_state.hpp>
#include <riffle/chain/plan.hpp>
#include <riffle/core/candidates.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/token.hpp>
#include <riffle/llama/as_llama.hpp>
#include <riffle/llama/by_plan.hpp>
#include <riffle/llama/chain_stages.hpp>
#include <riffle/llama/context.hpp>
#include <riffle/llama/write_back.hpp>
#include <riffle/wide/candidate_row.hpp>

// A chain's stages applied to an array of candidates, by the passes over a row where the array is one. What is left in
// the array is what applying the stages to it one after the other leaves.

namespace riffle::inline RIFFLE_ABI::llama::detail {

/// The stages of a chain on candidates that may be a row. A selection that was there stays, as an index under
/// numerics::llama and as a token otherwise, where it survives.
template <class Chain>
status apply(Chain& chain, candidates& c) noexcept {
    decltype(auto) stages = chain.table();
    if (stages.as_llama())
        return chain.state().apply_by(stages, c, [&](machine&, const scratch& memory, const context& x) noexcept {
            return as_llama(stages, c, memory, x).run();
        });
    const token_id chosen = c.selected >= 0 && std::size_t(c.selected) < c.size ? c[std::size_t(c.selected)].id : -1;
    c.selected = -1;
    bool was_row = false, has_p = false;
    status s;
    const plan& p = stages.plan_for(stages.bridge(c.size, 0));
    if (const std::size_t verbs = p.verbs_ahead(); c.size >= least_row && (verbs > 0 || !p.has(pass::rows)))
        s = chain.state().apply_by(stages, c, [&](machine& on, const scratch& memory, const context& x) noexcept {
            const std::size_t size = c.size;
            if (verbs > 0) {
                was_row = wide::make_candidates_canonical(c);
                if (!was_row) return status();
                c.sorted = false;
                if (const status failed = narrow_stages(stages, 0, verbs, c, x); !failed.ok()) return failed;
                if (c.size != size || c.sorted || c.selected >= 0) return narrow_from(stages, verbs, c, x);
            }
            const wide::row_found found = wide::copy_logits(c, memory.copies, memory.peaks);
            if (!found.is_row) return was_row ? narrow_from(stages, verbs, c, x) : status();
            was_row = true;
            has_p = p.has(pass::pick) && stages.fact(p.bridge).selects != selecting::by_shape;
            const auto map = [&](std::size_t first, std::size_t end, row& r) { return map_row(chain, first, end, r); };
            return by_plan(stages, p, c, memory, x).run(on, found.maximum, map);
        });
    if (s.ok() && !was_row) s = chain.apply(c);
    if (!s.ok()) return s;
    if (has_selector(stages)) {
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
    decltype(auto) stages = chain.table();
    const status s = chain.state().apply_by(stages, c, [&](machine&, const scratch&, const context& x) noexcept {
        for (auto& token : c) token.logit = canonical(token.logit);
        c.sorted = false;
        return narrow_from(stages, first, c, x);
    });
    if (s.ok() && has_selector(stages)) c.normalise();
    return s;
}

/// peek, for an output of which not all tokens are left.
template <class Chain>
token_id choose_among(Chain& chain, const output& left) noexcept {
    bool is_row = true;
    for (std::size_t i = 0; is_row && i < left.size; ++i) is_row = left.ids[i] == token_id(i);
    if (is_row) return chain.peek({left.logits, left.size});
    candidates c{nullptr, left.size, -1, false};
    decltype(auto) stages = chain.table();
    const status s = chain.state().apply_by(stages, c, [&](machine&, const scratch& memory, const context&) noexcept {
        c.data = memory.tokens;  // which candidates that are no row leave alone
        for (std::size_t i = 0; i < c.size; ++i) c[i] = {left.ids[i], left.logits[i], left.p ? left.p[i] : 0.0f};
        return status();
    });
    if (!s.ok() || !apply(chain, c).ok()) return null_token;
    if (c.selected >= 0 && c[std::size_t(c.selected)].logit > illegal_logit) return c[std::size_t(c.selected)].id;
    chain.state().set_status(has_selector(stages) ? status_code::no_legal_token : status_code::no_selector);
    return null_token;
}

/// peek for what a context has, where no token was chosen there.
template <class Chain>
token_id peek_output(Chain& chain, const output& from) noexcept {
    return from.ids ? choose_among(chain, from) : chain.peek({from.logits, from.size});
}

}  // namespace riffle::llama::detail
