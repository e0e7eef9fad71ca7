#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>

#include <riffle/core/growing_array.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Where tokens lead from the states of a suffix automaton; states are numbered from 0, and none leads to state 0. Most
/// states have one transition, which lies in an array by state; the others of all states lie in one hash table, by
/// state and token. Those of one state are a list by their tokens, not by their places, so it lasts when the table
/// grows.
class suffix_transitions {
public:
    std::size_t states() const noexcept { return first_.size(); }
    /// Of all states.
    std::size_t size() const noexcept { return with_one_ + in_table_; }
    std::size_t bytes() const noexcept { return first_.bytes() + table_.bytes(); }

    /// No states. The table's memory stays where a good part of it was in use, so that this takes no longer than to
    /// fill it did.
    void clear() noexcept {
        first_.clear();
        if (in_table_ < table_.size() / 16) table_.release();
        for (slot& one : table_) one.to = 0;
        with_one_ = in_table_ = 0;
    }
    /// One more state, without transitions. False without memory, here and below.
    [[nodiscard]] bool add_state() noexcept { return first_.push({}); }

    /// Where a token leads to; 0: nowhere.
    std::uint32_t find(std::uint32_t state, token_id token) const noexcept {
        const head& first = first_[state];
        if (first.token == token) return first.to;
        return first.next == none ? 0 : table_[place_of(state, token)].to;
    }
    /// Lets a token lead to a state that led nowhere.
    [[nodiscard]] bool add(std::uint32_t state, token_id token, std::uint32_t to) noexcept {
        head& first = first_[state];
        if (first.to == 0) {
            first.token = token;
            first.to = to;
            ++with_one_;
            return true;
        }
        if (!make_room()) return false;
        table_[place_of(state, token)] = {state, token, to, first.next};
        first.next = token;
        ++in_table_;
        return true;
    }
    /// Lets a token lead to another state than it did.
    void redirect(std::uint32_t state, token_id token, std::uint32_t to) noexcept {
        head& first = first_[state];
        (first.token == token ? first.to : table_[place_of(state, token)].to) = to;
    }
    /// Gives the transitions of one state to another, which has none.
    [[nodiscard]] bool copy(std::uint32_t from, std::uint32_t into) noexcept {
        bool is_done = true;
        each(from, [&](token_id token, std::uint32_t to) { return is_done = add(into, token, to); });
        return is_done;
    }
    /// Calls visit(token, to) for the transitions of a state, the first one and then the latest ones, as long as it
    /// answers true.
    template <class Visit>
    void each(std::uint32_t state, const Visit& visit) const noexcept {
        const head first = first_[state];
        if (first.to == 0 || !visit(first.token, first.to)) return;
        for (token_id token = first.next; token != none;) {
            const slot one = table_[place_of(state, token)];
            if (!visit(token, one.to)) return;
            token = one.next;
        }
    }

private:
    static constexpr token_id none = (std::numeric_limits<token_id>::min)();
    struct head {
        token_id token = none;
        std::uint32_t to = 0;
        token_id next = none;  ///< of the same state, in the table
    };
    struct slot {
        std::uint32_t state;
        token_id token;
        std::uint32_t to;  ///< 0: nothing lies here
        token_id next;
    };

    /// Where a transition lies in the table, or would (linear probing). The bits of state and token are mixed twice, as
    /// both are small numbers that go up by one.
    std::size_t place_of(std::uint32_t state, token_id token) const noexcept {
        std::uint64_t hash = (std::uint64_t{state} << 32 | std::uint32_t(token)) * 0x9E3779B97F4A7C15u;
        hash = (hash ^ hash >> 32) * 0xD6E8FEB86659FD93u;
        std::size_t at = std::uint32_t(hash >> 32) & (table_.size() - 1);
        while (table_[at].to != 0 && (table_[at].state != state || table_[at].token != token))
            at = (at + 1) & (table_.size() - 1);
        return at;
    }
    /// For one more; at most three quarters are in use.
    bool make_room() noexcept {
        if (4 * (in_table_ + 1) <= 3 * table_.size()) return true;
        growing_array<slot> fewer;
        if (!fewer.resize(table_.empty() ? 64 : 2 * table_.size(), {0, 0, 0, 0})) return false;
        fewer.swap(table_);
        for (const slot& one : fewer)
            if (one.to != 0) table_[place_of(one.state, one.token)] = one;
        return true;
    }

    growing_array<head> first_;
    growing_array<slot> table_;  ///< as many as a power of two
    std::size_t with_one_ = 0, in_table_ = 0;
};

}  // namespace riffle::detail
