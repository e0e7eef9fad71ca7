#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include <riffle/constraint/lazy_automaton.hpp>
#include <riffle/constraint/shared_pointer.hpp>
#include <riffle/constraint/state_id.hpp>
#include <riffle/constraint/token_automaton.hpp>
#include <riffle/core/status.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// The states of a text after its last 129 tokens, in an automaton that a fresh one replaces where it is full.
template <class Automaton>
class basic_state_path {
public:
    static constexpr std::size_t rollback_depth = 128;

    basic_state_path() noexcept { ring_.fill(dead); }
    /// At the beginning of a text.
    void begin(const shared_pointer<Automaton>& in) noexcept {
        automaton_ = in;
        ring_[0] = in->start();
        accepted_ = oldest_ = 0;
    }

    Automaton& automaton() noexcept { return *automaton_; }
    state_id now() const noexcept { return ring_[std::size_t(accepted_ % states_kept)]; }
    /// now() must be a state.
    const text_state& state() const noexcept { return automaton_->at(now()); }
    void push(state_id to) noexcept {
        ring_[std::size_t(++accepted_ % states_kept)] = to;
        if (accepted_ > oldest_ + rollback_depth) oldest_ = accepted_ - rollback_depth;
    }
    std::uint64_t mark() const noexcept { return accepted_; }
    status rollback(std::uint64_t mark) noexcept {
        if (mark > accepted_) return status_code::mark_unknown;
        if (mark < oldest_) return status_code::rewind_too_far;
        accepted_ = mark;
        return {};
    }

    /// Asks other automata, where this one is full: the one in use, a fresh one, and then larger ones. What was made in
    /// this one may be gone then.
    template <class Ask>
    RIFFLE_NOINLINE state_id ask_others(token_automaton& tokens, Ask ask) noexcept {
        state_id answer = failed(automaton_error::full);
        shared_pointer<Automaton> other;
        constexpr std::size_t megabyte = 1 << 20, any = std::size_t(-1);
        constexpr std::size_t larger[] = {
            0, 0, megabyte, 2 * megabyte, 4 * megabyte, 8 * megabyte, 16 * megabyte, 32 * megabyte, any};
        for (const std::size_t least : larger) {
            automaton_error why = tokens.replace_full(automaton_, other, least);
            if (why == automaton_error::none) why = move_to(other);
            answer = why == automaton_error::none ? ask(*automaton_) : failed(why);
            if (error_of(answer) != automaton_error::full) break;
        }
        return answer;
    }

private:
    enum : std::size_t { states_kept = rollback_depth + 1 };

    automaton_error move_to(const shared_pointer<Automaton>& other) noexcept {
        if (accepted_ == 0) return begin(other), automaton_error::none;
        std::array<state_id, states_kept> moved = ring_;
        const std::size_t used = accepted_ < states_kept ? std::size_t(accepted_) + 1 : states_kept;
        const automaton_error why = other->move_states(*automaton_, {moved.data(), used});
        if (why != automaton_error::none) return why;
        ring_ = moved;
        automaton_ = other;
        return why;
    }

    shared_pointer<Automaton> automaton_;
    std::array<state_id, states_kept> ring_;
    std::uint64_t accepted_ = 0;
    std::uint64_t oldest_ = 0;  ///< whose state is kept
};
using state_path = basic_state_path<lazy_automaton>;

}  // namespace riffle::detail
