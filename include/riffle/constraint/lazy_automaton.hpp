#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/constraint/brief_lock.hpp>
#include <riffle/constraint/byte_automaton.hpp>
#include <riffle/constraint/frame_table.hpp>
#include <riffle/constraint/grammar_limits.hpp>
#include <riffle/core/growing_array.hpp>
#include <riffle/constraint/memory_account.hpp>
#include <riffle/constraint/shared_pointer.hpp>
#include <riffle/constraint/state_closure.hpp>
#include <riffle/constraint/state_id.hpp>
#include <riffle/constraint/state_table.hpp>
#include <riffle/constraint/token_mask.hpp>
#include <riffle/core/size_arithmetic.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// A deterministic automaton over bytes that is built as it is used, shared by any number of threads. What was built
/// is read without a lock. It only grows; when it is full, whoever needs more moves on to another (move_states).
template <class Automaton>
class basic_lazy_automaton : public shared_object {
public:
    /// What it may grow to.
    struct bounds {
        std::size_t states, bytes, mask_bytes;

        std::size_t all_bytes() const noexcept { return saturating::sum(bytes, mask_bytes); }
    };
    /// `most_bytes`: of a token. What it may grow to is taken from the account for as long as it lives.
    basic_lazy_automaton(const Automaton& of, std::uint32_t configurations, const bounds& most, std::size_t most_bytes,
                         const shared_pointer<memory_account>& account) noexcept
        : of_(of), most_(most), account_(account), most_token_bytes_(most_bytes), frames_(of), states_(of.classes),
          closure_(of, frames_, configurations) {
        account_->take(most_.all_bytes());
    }
    /// Those of its beginning, or of where it was sealed. By one thread at a time.
    const bounds& most() const noexcept { return most_; }
    /// Called once, before anything else.
    automaton_error begin() noexcept {
        if (!frames_.begin() || !states_.begin(most_.states, most_.bytes)) return automaton_error::no_memory;
        start_ = state_of(closure_.run_from_root());
        return error_of(start_);
    }
    /// Where every text begins.
    state_id start() const noexcept { return start_; }

    // ---- by any thread

    /// How much of its bounds it has used.
    std::size_t used_bytes() noexcept {
        const brief_hold hold(lock_);
        return bytes() + mask_bytes_;
    }
    /// It may not grow from here on: it is full, and its account gets back what it has not used.
    void seal() noexcept {
        const brief_hold hold(lock_);
        closure_.release();
        account_->give_back(most_.all_bytes());
        most_ = {states_.size(), bytes(), mask_bytes_};
        account_->take(most_.all_bytes());
    }
    const text_state& at(state_id s) const noexcept { return states_.at(s); }
    text_state& at(state_id s) noexcept { return states_.at(s); }
    /// A state's next ones, one for each class of bytes; not_built: ask next().
    const std::atomic<state_id>* row(state_id s) noexcept { return states_.row(s); }
    /// Where a byte leads to.
    state_id next(state_id from, std::uint8_t byte) noexcept {
        const std::uint32_t byte_class = of_.class_of[byte];
        const state_id to = states_.row(from)[byte_class].load(std::memory_order_acquire);
        return to != not_built ? to : build_next(from, byte_class);
    }
    /// The next state by one class of bytes, which has not been built.
    RIFFLE_NOINLINE state_id build_next(state_id from, std::uint32_t byte_class) noexcept {
        const brief_hold hold(lock_);
        std::atomic<state_id>& place = states_.row(from)[byte_class];
        state_id to = place.load(std::memory_order_acquire);
        if (to != not_built) return to;
        if (is_full()) return failed(automaton_error::full);
        closure_.begin();
        const std::uint8_t byte = of_.byte_of_class[byte_class];
        for (const configuration& c : at(from).configurations())
            for (const byte_edge& e : of_.edges_of(c.node))
                if (e.first <= byte && byte <= e.last) closure_.add({e.to, c.frame});
        to = state_of(closure_.run());
        if (to >= failed(automaton_error::too_shallow)) place.store(to, std::memory_order_release);
        return to;
    }
    /// Where a token leads to as a whole. is_meant(token_edge): whether an edge is for it.
    template <class IsMeant>
    state_id next_by_token(state_id from, IsMeant is_meant) noexcept {
        const brief_hold hold(lock_);
        if (is_full()) return failed(automaton_error::full);
        closure_.begin();
        for (const configuration& c : at(from).configurations())
            for (const token_edge& e : of_.token_edges_of(c.node))
                if (is_meant(e)) closure_.add({e.to, c.frame});
        return state_of(closure_.run());
    }
    /// A text that can be read in the ways of both, neither of which is an error.
    state_id either(state_id a, state_id b) noexcept {
        if (a == b || b < 0) return a;
        if (a < 0) return b;
        const brief_hold hold(lock_);
        if (is_full()) return failed(automaton_error::full);
        growing_array<configuration> all;
        if (!all.append(at(a).first, at(a).count) || !all.append(at(b).first, at(b).count))
            return failed(automaton_error::no_memory);
        return intern(all, at(a).is_accepting || at(b).is_accepting);
    }
    /// The state in which so many levels of frames are seen, and no more repetitions are told apart than a token can go
    /// through: states that differ in what no token can reach have one such state.
    state_id shallow(state_id of, std::uint32_t depth) noexcept {
        const brief_hold hold(lock_);
        if (is_full()) return failed(automaton_error::full);
        growing_array<configuration> seen;
        for (const configuration& c : at(of).configurations()) {
            const std::uint32_t frame = frames_.shallow(c.frame, depth, most_token_bytes_);
            if (frame == frame_table::no_memory || !seen.push({c.node, frame}))
                return failed(automaton_error::no_memory);
        }
        return intern(seen, at(of).is_accepting);
    }
    /// How often the arc of a walk that a configuration is inside of may come again, one behind the other, at least.
    std::uint32_t repetitions_left(const configuration& c) noexcept {
        const brief_hold hold(lock_);
        std::uint32_t most = 0;
        for (const caller& by : frames_.callers(c.frame))
            if (of_.comes_again(of_.nodes[c.node].rule, by.returns_to))
                most = (std::max)(most, of_.arcs_to_spare(by.returns_to, by.walked));
        return most;
    }
    /// Keeps a mask that was made for a state; the one that counts, if another thread was quicker. nullptr: it may keep
    /// no more.
    const token_mask* keep(state_id of, token_mask* made) noexcept {
        const brief_hold hold(lock_);
        if (const token_mask* const known = at(of).mask.load(std::memory_order_acquire)) {
            token_mask::discard(made);
            return known;
        }
        if (mask_bytes_ + made->bytes() > most_.mask_bytes && mask_bytes_ > 0) {
            token_mask::discard(made);
            return nullptr;
        }
        mask_bytes_ += made->bytes();
        made->next = masks_;
        masks_ = made;
        at(of).mask.store(made, std::memory_order_release);
        return made;
    }

    /// States of another automaton of this grammar, as states of this one. (The other is the elder: two that move to
    /// each other would wait for each other.)
    automaton_error move_states(basic_lazy_automaton& from, std::span<state_id> states) noexcept {
        const brief_hold hold_elder(from.lock_);
        const brief_hold hold(lock_);
        // Where they alone take half of it, it would be full again in no time.
        const auto has_no_room = [this, before = bytes()] { return is_full() || bytes() - before > most_.bytes / 2; };
        if (is_full()) return automaton_error::full;
        growing_array<std::uint32_t> moved;  // frames of `from` as frames of this one
        if (!moved.resize(from.frames_.size(), frame_table::no_memory)) return automaton_error::no_memory;
        if (!mark_frames(from, states, moved)) return automaton_error::no_memory;
        growing_array<caller> callers;
        for (std::uint32_t f = 0; f < moved.size(); ++f) {  // callers' frames are older than what they called
            if (moved[f] == frame_table::no_memory) continue;
            callers.clear();
            for (caller c : from.frames_.callers(f)) {
                c.frame = moved[c.frame];
                if (!callers.push(c)) return automaton_error::no_memory;
            }
            frames_.settle(callers);
            moved[f] = frames_.intern({callers.data(), callers.size()});
            if (moved[f] == frame_table::no_memory) return automaton_error::no_memory;
            if (has_no_room()) return automaton_error::full;
        }
        growing_array<configuration> all;
        for (state_id& s : states) {
            if (s < 0) continue;
            all.clear();
            for (const configuration& c : from.at(s).configurations())
                if (!all.push({c.node, moved[c.frame]})) return automaton_error::no_memory;
            s = intern(all, from.at(s).is_accepting);
            if (s < 0) return error_of(s);
            if (has_no_room()) return automaton_error::full;
        }
        return automaton_error::none;
    }

    ~basic_lazy_automaton() {
        account_->give_back(most_.all_bytes());
        while (masks_) {
            token_mask* const next = masks_->next;
            token_mask::discard(masks_);
            masks_ = next;
        }
    }

private:
    bool is_full() const noexcept { return states_.size() >= most_.states || bytes() > most_.bytes; }
    std::size_t bytes() const noexcept { return states_.bytes() + frames_.bytes(); }
    state_id state_of(state_closure::outcome outcome) noexcept {
        if (outcome == state_closure::outcome::no_memory) return failed(automaton_error::no_memory);
        if (outcome == state_closure::outcome::too_large) return failed(automaton_error::too_large);
        if (closure_.met_unknown()) return failed(automaton_error::too_shallow);
        const auto& found = closure_.found();
        if (found.empty() && !closure_.is_accepting()) return dead;
        return states_.intern({found.data(), found.size()}, closure_.is_accepting());
    }
    state_id intern(growing_array<configuration>& of, bool is_accepting) noexcept {
        std::sort(of.begin(), of.end());
        of.shorten(std::size_t(std::unique(of.begin(), of.end()) - of.begin()));
        return states_.intern({of.data(), of.size()}, is_accepting);
    }
    /// Marks the frames that states stand in, and those of their callers.
    static bool mark_frames(const basic_lazy_automaton& from, std::span<const state_id> states,
                            growing_array<std::uint32_t>& marks) noexcept {
        growing_array<std::uint32_t> left;
        const auto mark = [&](std::uint32_t frame) {
            if (marks[frame] == 0) return true;
            marks[frame] = 0;
            return left.push(frame);
        };
        for (const state_id s : states)
            if (s >= 0)
                for (const configuration& c : from.at(s).configurations())
                    if (!mark(c.frame)) return false;
        while (!left.empty()) {
            const std::uint32_t frame = left.back();
            left.pop();
            for (const caller& c : from.frames_.callers(frame))
                if (!mark(c.frame)) return false;
        }
        return true;
    }

    const Automaton& of_;
    bounds most_;
    shared_pointer<memory_account> account_;
    std::size_t most_token_bytes_;
    brief_lock lock_;
    frame_table frames_;
    state_table states_;
    state_closure closure_;
    state_id start_ = dead;
    token_mask* masks_ = nullptr;
    std::size_t mask_bytes_ = 0;
};
using lazy_automaton = basic_lazy_automaton<byte_automaton>;

}  // namespace riffle::detail
