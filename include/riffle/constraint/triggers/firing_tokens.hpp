#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/constraint/brief_lock.hpp>
#include <riffle/core/growing_array.hpp>
#include <riffle/constraint/mixed_hash.hpp>
#include <riffle/constraint/shared_pointer.hpp>
#include <riffle/constraint/token_tree.hpp>
#include <riffle/constraint/trie_data.hpp>
#include <riffle/core/legal_tokens.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// All tokens of a vocabulary but a few.
template <class Word>
class basic_all_but_few : public shared_object {
public:
    growing_array<token_id> hidden;  ///< the few

    /// And tokens with the bytes of one that is hidden, of which `also` says so.
    template <class Also>
    void hide_duplicates(const token_tree& tree, bool& has_room, Also also) noexcept {
        const std::size_t found = hidden.size();
        std::sort(hidden.begin(), hidden.end());
        for (const auto& d : tree.duplicates)
            if (std::binary_search(hidden.begin(), hidden.begin() + found, d.in_tree) && also(d.token))
                has_room &= hidden.push(d.token);
    }
    /// False where there is no memory.
    [[nodiscard]] bool finish(std::size_t vocabulary) noexcept {
        if (hidden.empty()) return true;
        if (!words_.resize((vocabulary + 31) / 32, ~Word{0})) return false;
        if (vocabulary % 32 != 0) words_.back() = (Word{1} << (vocabulary % 32)) - 1;
        count_ = vocabulary;
        for (const token_id token : hidden) {
            Word& held = words_[std::size_t(token) / 32];
            const Word bit = Word{1} << (std::uint32_t(token) % 32);
            count_ -= (held & bit) != 0;
            held &= ~bit;
        }
        return true;
    }
    legal_tokens legal() const noexcept {
        return hidden.empty() ? legal_tokens::all() : legal_tokens::of_words({words_.data(), words_.size()}, count_);
    }

private:
    growing_array<Word> words_;
    std::size_t count_ = 0;
};
using all_but_few = basic_all_but_few<std::uint32_t>;

/// In which tokens of a vocabulary an automaton fires: a trigger, or the tag that ends a thought, is complete somewhere
/// in them. `Automaton` has `state`, with key(); step(state, byte) and has_fired(state); its first state is state().
template <class Automaton>
class firing_tokens {
public:
    using state = typename Automaton::state;

    /// Both outlive it. Walks the vocabulary's tree once: some milliseconds for 150,000 tokens.
    void build(const Automaton& automaton, const trie_data& trie) {
        automaton_ = &automaton;
        trie_ = &trie;
        const auto& nodes = trie.tree().nodes;
        fires_below_.assign((nodes.size() + 31) / 32, 0);
        std::array<state, token_tree::longest + 1> states{};
        std::array<std::size_t, token_tree::longest + 1> path{};
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const std::size_t depth = nodes[i].depth();
            states[depth] = automaton.step(states[depth - 1], char(nodes[i].byte()));
            path[depth] = i;
            if (!automaton.has_fired(states[depth])) continue;
            for (std::size_t d = depth; d-- > 1 && !fires_below(path[d]);)
                fires_below_[path[d] / 32] |= 1u << path[d] % 32;
        }
    }
    /// Calls visit(node, state) for each node of the tree at which the automaton fires first, read from a state; and
    /// long(token, bytes, state) for tokens that are not in the tree, with the bytes up to there.
    template <class Visit, class VisitLong>
    void each_firing(const state& from, Visit visit, VisitLong visit_long) const {
        const auto& nodes = trie_->tree().nodes;
        std::array<state, token_tree::longest + 1> states;
        states[0] = from;
        for (std::size_t i = 0; i < nodes.size();) {
            const std::size_t depth = nodes[i].depth();
            states[depth] = automaton_->step(states[depth - 1], char(nodes[i].byte()));
            if (automaton_->has_fired(states[depth])) {
                visit(i, states[depth]);
                i += nodes[i].size();
            } else {
                const bool is_idle = states[depth] == state() && !fires_below(i);
                i += is_idle ? nodes[i].size() : 1;
            }
        }
        for (const token_id token : trie_->long_tokens()) {
            state at = from;
            const std::size_t read = read_to_firing(trie_->piece(token), at);
            if (automaton_->has_fired(at)) visit_long(token, read, at);
        }
    }
    /// Reads bytes until it fires; answers how many it has read, and where it is then.
    std::size_t read_to_firing(const text& bytes, state& at) const noexcept {
        std::size_t read = 0;
        while (read < bytes.size()) {
            at = automaton_->step(at, bytes[read++]);
            if (automaton_->has_fired(at)) break;
        }
        return read;
    }
    const Automaton& automaton() const noexcept { return *automaton_; }
    const trie_data& trie() const noexcept { return *trie_; }

private:
    bool fires_below(std::size_t node) const noexcept { return fires_below_[node / 32] >> node % 32 & 1; }

    const Automaton* automaton_ = nullptr;
    const trie_data* trie_ = nullptr;
    std::vector<std::uint32_t> fires_below_;
};

/// What was found for states of an automaton, by their keys; for any number of threads. Some hundred are kept.
template <class Found>
class kept_by_key {
public:
    shared_pointer<const Found> find(std::uint64_t key) const noexcept {
        const brief_hold hold(lock_);
        const slot& s = slots_[place_of(key)];
        return s.found && s.key == key ? s.found : shared_pointer<const Found>();
    }
    void keep(std::uint64_t key, const shared_pointer<const Found>& found) noexcept {
        shared_pointer<const Found> old = found;  // freed without the lock
        const brief_hold hold(lock_);
        slot& s = slots_[place_of(key)];
        old = s.found;
        s = {key, found};
    }

private:
    struct slot {
        std::uint64_t key = 0;
        shared_pointer<const Found> found;
    };
    static std::size_t place_of(std::uint64_t key) noexcept { return std::size_t(mixed(1, key) % 256); }

    mutable brief_lock lock_;
    std::array<slot, 256> slots_;
};

}  // namespace riffle::detail
