#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include <riffle/constraint/brief_lock.hpp>
#include <riffle/constraint/byte_automaton.hpp>
#include <riffle/constraint/grammar_limits.hpp>
#include <riffle/core/growing_array.hpp>
#include <riffle/constraint/lazy_automaton.hpp>
#include <riffle/constraint/memory_account.hpp>
#include <riffle/constraint/shared_pointer.hpp>
#include <riffle/constraint/state_id.hpp>
#include <riffle/constraint/token_bits.hpp>
#include <riffle/constraint/token_mask.hpp>
#include <riffle/constraint/token_references.hpp>
#include <riffle/constraint/tree_walk.hpp>
#include <riffle/constraint/trie_data.hpp>
#include <riffle/core/size_arithmetic.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// A grammar over the tokens of a vocabulary: which tokens are legal in a state, and where each of them leads. Shared
/// by all matchers of the two, on any number of threads. Its states live in a lazy_automaton, which may fill up; then
/// there is a new one, and matchers come over as they need more.
template <class Automaton>
class basic_token_automaton : public shared_object {
public:
    /// The grammar outlives it: it is kept there.
    basic_token_automaton(const Automaton& of, const grammar_limits& limits,
                          const shared_pointer<const trie_data>& trie)
        : of_(of), limits_(limits), trie_(trie), references_(of, *trie), tree_walk_(of, *trie),
          account_(new memory_account()) {}

    const shared_pointer<const trie_data>& trie() const noexcept { return trie_; }
    const Automaton& grammar() const noexcept { return of_; }
    const grammar_limits& limits() const noexcept { return limits_; }
    /// Of a grammar that names a token which the vocabulary lacks.
    const status& problem() const noexcept { return references_.problem(); }

    const token_references& references() const noexcept { return references_; }

    // ---- states

    /// Gives the automaton in which every text begins, and which has nothing but that state: a matcher that waits there
    /// holds no caches.
    automaton_error first(shared_pointer<lazy_automaton>& into) noexcept {
        const brief_hold hold(lock_);
        automaton_error error = automaton_error::none;
        if (!first_) {
            error = make({1, 0, 0}, first_);
            if (error == automaton_error::none) first_->seal();
        }
        into = first_;
        return error;
    }
    /// Gives a matcher that stands in `from`, which is full, another one: the one in use, or a new one. `other`: what
    /// it was given before, where that was no use. With `least` one that may grow to so many bytes of states and of
    /// masks at least, or to what the limits allow, or the default ones.
    automaton_error replace_full(const shared_pointer<lazy_automaton>& from, shared_pointer<lazy_automaton>& other,
                                 std::size_t least) noexcept {
        const brief_hold hold(lock_);
        const bool is_another = current_ && !(current_ == from) && !(current_ == other) &&
                                current_->most().bytes >= (std::min)(least, greatest().bytes);
        const automaton_error error = is_another ? automaton_error::none : renew(from, other, least);
        if (error == automaton_error::none) other = current_;
        return error;
    }

    /// Where a token leads from a state: by its bytes, or as a whole where the grammar refers to it.
    state_id next(lazy_automaton& a, state_id from, token_id token) const noexcept {
        const state_id whole = references_.are_in(a, from) ? references_.next(a, from, token) : state_id{dead};
        if (error_of(whole) != automaton_error::none || !trie_->is_read_by_bytes(token)) return whole;
        const state_id by_bytes = next(a, from, trie_->piece(token));
        return error_of(by_bytes) != automaton_error::none ? by_bytes : a.either(whole, by_bytes);
    }
    state_id next(lazy_automaton& a, state_id at, const text& bytes) const noexcept {
        for (std::size_t i = 0; i < bytes.size() && at >= 0; ++i) at = a.next(at, std::uint8_t(bytes[i]));
        return at;
    }

    // ---- masks

    /// The tokens that are legal in a state. nullptr, and `why`, where that cannot be told.
    const token_mask* mask(lazy_automaton& a, state_id of, automaton_error& why) const noexcept {
        const token_mask* const known = a.at(of).mask.load(std::memory_order_acquire);
        return known ? known : find_mask(a, of, why);
    }

private:
    enum : std::size_t { least_share = 128 << 10 };

    lazy_automaton::bounds limits_of_one() const noexcept {
        return {limits_.states, limits_.automaton_bytes, limits_.mask_bytes};
    }
    /// Those limits, or the default ones where these are greater.
    lazy_automaton::bounds greatest() const noexcept {
        const grammar_limits usual;
        return {(std::max)(limits_.states, usual.states), (std::max)(limits_.automaton_bytes, usual.automaton_bytes),
                (std::max)(limits_.mask_bytes, usual.mask_bytes)};
    }
    /// What a new automaton may grow to, beside what others hold: the limits, and of as much again a part of what is
    /// left, so that there is always one for whoever goes on, however many stay behind.
    lazy_automaton::bounds share_beside(std::size_t others) const noexcept {
        lazy_automaton::bounds share = limits_of_one();
        const std::size_t whole = share.all_bytes(), twice = saturating::product(2, whole);
        const std::size_t left = twice - (std::min)(others, twice), left_of_whole = whole - (std::min)(others, whole);
        while (share.all_bytes() > (std::max)(left / 32, left_of_whole) && share.all_bytes() > least_share) {
            share.bytes /= 2;
            share.mask_bytes /= 2;
        }
        return share;
    }
    /// What all automata hold; the one in use may still grow.
    std::size_t held() const noexcept {
        const std::size_t all = account_->taken();
        return current_ ? all - current_->most().all_bytes() + current_->used_bytes() : all;
    }
    /// What of that is gone once a matcher has moved on from one: nobody else stands in it. And in the one in use.
    std::size_t freed_by_moving(const shared_pointer<lazy_automaton>& from,
                                const shared_pointer<lazy_automaton>& other) const noexcept {
        const bool is_current = from && from == current_;
        const std::size_t freed = from && !is_current && from->has_one_owner() ? from->most().all_bytes() : 0;
        const bool is_left = current_ && current_->owners() == 1u + is_current + (other == current_);
        return freed + (is_left ? current_->used_bytes() : 0);
    }
    /// A new one in place of the one in use. All together may hold twice the greatest bounds, and while a matcher moves
    /// an eighth more.
    automaton_error renew(const shared_pointer<lazy_automaton>& from, const shared_pointer<lazy_automaton>& other,
                          std::size_t least) noexcept {
        const std::size_t now = held(), others = now - (std::min)(now, freed_by_moving(from, other));
        lazy_automaton::bounds most = share_beside(others);
        if (least > 0) most.states = greatest().states;
        most.bytes = (std::max)(most.bytes, (std::min)(least, greatest().bytes));
        most.mask_bytes = (std::max)(most.mask_bytes, (std::min)(least, greatest().mask_bytes));
        const std::size_t all = saturating::product(2, greatest().all_bytes());
        if (saturating::sum(others, most.all_bytes()) > all) return automaton_error::crowded;
        if (saturating::sum(now, most.all_bytes()) > saturating::sum(all, all / 8)) return automaton_error::crowded;
        shared_pointer<lazy_automaton> made;
        const automaton_error error = make(most, made);
        if (error != automaton_error::none) return error;
        if (current_) current_->seal();
        current_ = made;
        return error;
    }
    automaton_error make(const lazy_automaton::bounds& most, shared_pointer<lazy_automaton>& into) const noexcept {
        shared_pointer<lazy_automaton> made(
            new (std::nothrow) lazy_automaton(of_, limits_.configurations, most, trie_->most_bytes(), account_));
        if (!made) return automaton_error::no_memory;
        const automaton_error error = made->begin();
        if (error == automaton_error::none) into = made;
        return error;
    }

    // ---- masks

    /// A mask depends on what the tokens can reach: on a few levels of frames, and on repetitions as far as a token
    /// goes through them. So it is made for the state in which no more is seen, which many states have in common. How
    /// many levels that are is found by trying, once for all states of the same nodes.
    RIFFLE_NOINLINE const token_mask* find_mask(lazy_automaton& a, state_id of, automaton_error& why) const noexcept {
        const state_id nodes_alone = a.shallow(of, 0);
        if ((why = error_of(nodes_alone)) != automaton_error::none) return nullptr;
        std::atomic<std::uint8_t>& depth = a.at(nodes_alone).depth;
        for (std::uint32_t d = depth.load(std::memory_order_relaxed);; ++d) {
            const state_id seen = d > frame_table::greatest_depth ? of : a.shallow(of, d);
            if ((why = error_of(seen)) != automaton_error::none) return nullptr;
            const token_mask* mask = a.at(seen).mask.load(std::memory_order_acquire);
            if (!mask) {
                mask = make_mask(a, seen, why);
                if (!mask && why == automaton_error::too_shallow && seen != of) {
                    depth.store(std::uint8_t(d + 1), std::memory_order_relaxed);
                    continue;
                }
                if (!mask) return nullptr;
            }
            a.at(of).mask.store(mask, std::memory_order_release);
            return mask;
        }
    }
    const token_mask* make_mask(lazy_automaton& a, state_id of, automaton_error& why) const noexcept {
        growing_array<std::uint32_t> memory;
        why = automaton_error::no_memory;
        if (!memory.resize(trie_->word_count(), 0)) return nullptr;
        token_bits legal{{memory.data(), memory.size()}};
        why = tree_walk_.add_to(legal, a, of);
        if (why != automaton_error::none) return nullptr;
        for (const token_tree::duplicate& d : trie_->tree().duplicates)
            if (legal.has(d.in_tree)) legal.add(d.token);
        for (const token_id id : trie_->long_tokens()) {
            const state_id to = next(a, of, trie_->piece(id));
            if ((why = error_of(to)) != automaton_error::none) return nullptr;
            if (to >= 0) legal.add(id);
        }
        references_.add_to(legal, a, of);
        if (a.at(of).is_accepting)
            for (const token_id id : trie_->ends_of_text()) legal.add(id);

        token_mask* const made =
            token_mask::make(legal.words, legal.count, legal.count <= token_mask::few_of(trie_->size()));
        if (!made) {
            why = automaton_error::no_memory;
            return nullptr;
        }
        const token_mask* const kept = a.keep(of, made);
        why = kept ? automaton_error::none : automaton_error::full;
        return kept;
    }

    const Automaton& of_;
    grammar_limits limits_;
    shared_pointer<const trie_data> trie_;
    token_references references_;
    tree_walk tree_walk_;
    shared_pointer<memory_account> account_;
    brief_lock lock_;
    shared_pointer<lazy_automaton> first_, current_;
};
using token_automaton = basic_token_automaton<byte_automaton>;

}  // namespace riffle::detail
