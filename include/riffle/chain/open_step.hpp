#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include <riffle/chain/chain_state.hpp>
#include <riffle/chain/cpu_machine.hpp>
#include <riffle/chain/scratch.hpp>
#include <riffle/chain/stage_list.hpp>
#include <riffle/core/candidates.hpp>
#include <riffle/core/context.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/storage.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI {

/// A step of a chain that is made from outside: by somebody who knows more of the candidates than their number, or by a
/// machine elsewhere that does the first stages. It has what stages may look at and memory to work in, and tells the
/// chain in the end what came of it, so that accept and last_status() know. One thread a chain, one step at a time.
///
///     open_step step(chain, logits.size());
///     if (!step.ok()) return step.state();       // a parameter without meaning, or no memory
///     ...                                        // step.stages(), step.past(), step.memory(), step.machine()
///     return step.finish(candidates, status());
template <class Chain>
class open_step {
public:
    /// With scratch for rows or candidates of that many logits. Nothing is accepted.
    open_step(Chain& chain, std::size_t row_size) noexcept : chain_(chain), stages_(chain.view()) {
        auto& state = chain_.state();
        state.history_.save_after_copying(stages_);
        state.last_token_ = null_token;
        state.status_ = (stages_.check)();
        if (!ok()) return;
        using memory_of_chain = std::remove_cvref_t<decltype(state.memory_)>;
        if (row_size > memory_of_chain::longest) state.status_ = status_code::row_too_long;
        else state.status_ = state.reserve_scratch(stages_, row_size);
    }
    open_step(const open_step&) = delete;
    open_step& operator=(const open_step&) = delete;

    const status& state() const noexcept { return chain_.state().last_status(); }
    bool ok() const noexcept { return state().ok(); }
    const stage_list& stages() const noexcept { return stages_; }
    /// What stages may look at. Valid until the step is finished.
    context past() const noexcept { return chain_.state().now(); }
    const detail::scratch& memory() const noexcept { return chain_.state().memory_.in_use(); }
    /// What the chain does in this step with a row of that size, longer than tuning::short_row.
    const plan& plan_for(std::size_t row_size) noexcept {
        if (stages_.is_exact()) return stages_.plan_for(stages_.size());
        stages_.look_at_legal(past(), row_size, memory().legal);
        return stages_.plan_for(stages_.bridge(row_size, 0, memory().legal));
    }
    /// To run that plan, or none.
    cpu_machine& machine() noexcept { return chain_.state().machine_; }

    /// A token is to be accepted after this step: no_selector where the chain cannot choose one, or no memory for it.
    const status& prepare_token() noexcept {
        auto& state = chain_.state();
        if (ok() && !stages_.has_selector()) state.status_ = status_code::no_selector;
        if (ok()) state.status_ = state.make_room(stages_, 1);
        return this->state();
    }
    /// The chain's own candidates, which survivors() shows: these. left.size() is at most the constructor's row_size;
    /// where it is less, there is room for another behind them.
    candidates& hold(std::span<const token_data> left) noexcept {
        candidates& c = machine().found();
        c = {memory().tokens, left.size(), -1, false};
        std::copy(left.begin(), left.end(), c.data);
        return c;
    }

    /// Ends a step that leaves candidates: the one that is selected, where one is, is what the chain has chosen.
    const status& finish(const candidates& left, const status& came_to) noexcept {
        auto& state = chain_.state();
        state.status_ = came_to;
        state.history_.note_choice({});
        if (left.has_selected()) state.note_choice(left);
        return this->state();
    }
    /// Ends a step that gives a token: the selected one of those that hold() has; null_token, and the reason in
    /// state(), where the step failed or nothing legal was selected.
    token_id finish_with_token(const status& came_to) noexcept {
        auto& state = chain_.state();
        const candidates& c = machine().found();
        state.status_ = came_to;
        state.history_.note_choice({});
        if (!ok()) return null_token;
        if (!c.has_selected()) return state.failed(status_code::no_legal_token);
        state.note_choice(c);
        return state.last_token_ = c[std::size_t(c.selected)].id;
    }

private:
    Chain& chain_;
    decltype(std::declval<Chain&>().view()) stages_;
};

/// Lends a chain another scratch for as long as it lives, so that many chains can share a few. What the chain's last
/// step found is gone then; a chain that was given storage keeps that.
template <class Chain>
class scratch_loan {
public:
    scratch_loan(Chain& borrower, detail::storage& lent) noexcept : chain_(borrower), lent_(lent) { trade(); }
    scratch_loan(const scratch_loan&) = delete;
    scratch_loan& operator=(const scratch_loan&) = delete;
    ~scratch_loan() { trade(); }

private:
    void trade() noexcept {
        auto& state = chain_.state();
        if (state.memory_.trade(lent_)) state.forget_step();
    }
    Chain& chain_;
    detail::storage& lent_;
};

}  // namespace riffle
