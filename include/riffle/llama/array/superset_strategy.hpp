#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <llama.h>
#include <span>
#include <utility>

#include <riffle/chain/open_step.hpp>
#include <riffle/chain/plan.hpp>
#include <riffle/chain/scratch.hpp>
#include <riffle/chain/superset.hpp>
#include <riffle/core/candidates.hpp>
#include <riffle/core/context.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/token.hpp>
#include <riffle/llama/array/plan_strategy.hpp>
#include <riffle/llama/array/run.hpp>
#include <riffle/llama/offloading.hpp>

namespace riffle::inline RIFFLE_ABI::llama::detail {

/// For an array that a graph has left: a superset of what the chain's first narrowing stage can keep.
template <class Chain>
class superset_strategy {
public:
    superset_strategy(Chain& chain, offloading& graph) : chain_(chain), stages_(chain.view()), graph_(graph) {}

    /// What is left stands where the candidates stood.
    status apply(candidates& c) noexcept {
        if (const status s = chain_.reserve(std::size_t(graph_.row_size)); !s.ok()) return s;
        bool enough = false;
        open_step step(chain_, c.size);
        status s = step.state();
        if (s.ok()) s = step.finish(c, run_on_set(c, step.memory(), step.past(), enough));
        ++graph_.sets;
        if (enough || !s.ok()) return finished(s, c);
        ++graph_.too_small;
        if (fetch_row(c, step.memory().copies)) return finished(step.finish(c, run_on_row(step, c)), c);
        s = detail::apply(chain_, c);
        if (s.ok()) chain_.state().set_status(status_code::row_lost);
        return s;
    }

private:
    const status& finished(const status& s, candidates& c) noexcept {
        if (s.ok() && stages_.has_selector() && !stages_.is_exact()) c.normalise();
        return s;
    }
    status run_on_set(candidates& c, const riffle::detail::scratch& memory, const context& x, bool& enough) noexcept {
        candidates part{memory.tokens, c.size, -1, false};
        std::copy(c.begin(), c.end(), part.begin());
        const status rest = superset_run(stages_, graph_.set.bridge).run(part, memory.copies, x, enough);
        if (enough) write_over(part, c);
        return rest;
    }
    /// Into the array that the candidates came in. There may be more than it holds when the row was fetched: then the
    /// greatest of them, and what was selected.
    void write_over(candidates& found, candidates& c) noexcept {
        const bool selects = found.has_selected();
        const token_data chosen = selects ? found[std::size_t(found.selected)] : token_data{null_token, 0.0f, 0.0f};
        if (found.size > c.size) {
            found.sort_first(c.size);
            found.size = c.size;
            found.sorted = true;
        }
        std::copy(found.begin(), found.end(), c.begin());
        c.size = found.size;
        c.sorted = found.sorted;
        c.selected = -1;
        for (std::size_t i = 0; selects && c.selected < 0 && i < c.size; ++i)
            if (c[i].id == chosen.id) c.selected = std::int64_t(i);
        if (selects && c.selected < 0) {
            c[c.size - 1] = chosen;
            c.selected = std::int64_t(c.size) - 1;
        }
    }

    /// The row of the graph that the candidates were taken from.
    bool fetch_row(const candidates& c, float* to) const noexcept {
        const auto size = std::size_t(graph_.row_size);
        const auto is_of_row = [&](const token_data& token) {
            return token.id >= 0 && std::size_t(token.id) < size &&
                   std::bit_cast<std::uint32_t>(to[token.id]) == std::bit_cast<std::uint32_t>(token.logit);
        };
        for (ggml_tensor* const row : graph_.rows)
            if (graph_.fetch(row, to, size) && std::all_of(c.begin(), c.end(), is_of_row)) return true;
        return false;
    }
    status run_on_row(open_step<Chain>& step, candidates& c) noexcept {
        const auto size = std::size_t(graph_.row_size);
        const plan& p = step.plan_for(size);
        const context x = step.past();
        machine& on = step.machine();
        const auto end = stages_.has_selector() ? run_to::token_among_all : run_to::selector;
        on.run(stages_, p, step.memory(), x, {step.memory().copies, size}, end);
        if (!on.state().ok()) return on.state();
        candidates& found = on.found();
        if (stages_.is_exact())  // the machine has forgotten what comes behind top_k
            found.sorted =
                std::is_sorted(found.begin(), found.end(), [](auto& a, auto& b) { return a.logit > b.logit; });
        write_over(found, c);
        return on.state();
    }

    Chain& chain_;
    decltype(std::declval<Chain&>().view()) stages_;
    offloading& graph_;
};

}  // namespace riffle::llama::detail
