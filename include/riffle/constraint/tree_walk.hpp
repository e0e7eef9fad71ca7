#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/constraint/byte_automaton.hpp>
#include <riffle/constraint/class_slice.hpp>
#include <riffle/constraint/lazy_automaton.hpp>
#include <riffle/constraint/shared_pointer.hpp>
#include <riffle/constraint/state_id.hpp>
#include <riffle/constraint/token_bits.hpp>
#include <riffle/constraint/token_tree.hpp>
#include <riffle/constraint/trie_data.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Finds the tokens that are legal in a state, by walking the tree of their bytes along the states. A byte that is not
/// legal leaves out all tokens that begin so. In a loop over a set of characters (`[^"]*`) all tokens made of them are
/// legal, as many characters as the loop reads: they are known beforehand (class_slice), and not walked.
template <class Automaton>
class basic_tree_walk {
public:
    /// Both outlive it.
    basic_tree_walk(const Automaton& of, const trie_data& trie) : of_(of), tree_(trie.tree()) {
        for (const code_point_set& set : of.loop_sets) {
            if (slices_.size() == most_slices) break;
            slices_.push_back(trie.slice(set));
        }
    }

    /// Adds the tokens of the tree that are legal in a state.
    automaton_error add_to(token_bits& legal, lazy_automaton& a, state_id of) const noexcept {
        const set_loop in_loop = add_loops(a, of, legal);
        const std::uint8_t* const most = in_loop ? slice_of(in_loop).most_characters() : nullptr;
        const token_tree::node* const nodes = tree_.nodes.data();
        const std::size_t size = tree_.nodes.size();
        std::array<state_id, token_tree::longest + 1> states;  // by the bytes read
        std::array<const std::atomic<state_id>*, token_tree::longest + 1> rows;
        states[0] = of;
        rows[0] = a.row(of);
        for (std::size_t i = 0; i < size;) {
            const token_tree::node node = nodes[i];
            if (most && most[i] <= in_loop.characters) {
                i += node.size();
                continue;
            }
            const std::size_t depth = node.depth();
            const std::uint32_t byte_class = of_.class_of[node.byte()];
            state_id to = rows[depth - 1][byte_class].load(std::memory_order_acquire);
            if (to == not_built) to = a.build_next(states[depth - 1], byte_class);
            if (to < 0) {
                if (to != dead) return error_of(to);
                i += node.size();
                continue;
            }
            if (node.size() > 1) {
                const set_loop behind = widest_loop(a, to);
                if (behind && slice_of(behind).characters_below()[i] <= behind.characters) {
                    for (std::size_t t = tree_.first_of[i]; t < tree_.first_of[i + node.size()]; ++t)
                        legal.add(tree_.tokens[t]);
                    i += node.size();
                    continue;
                }
                states[depth] = to;
                rows[depth] = a.row(to);
            }
            if (node.token() != token_tree::no_token) legal.add(token_id(node.token()));
            ++i;
        }
        return automaton_error::none;
    }

private:
    enum : std::size_t { most_slices = 16 };

    /// A loop that a state stands in.
    struct set_loop {
        std::uint32_t node = 0;
        std::size_t slice = 0;
        std::size_t characters = 0;  ///< that it reads at most

        explicit operator bool() const noexcept { return characters > 0; }
    };
    /// Calls take(loop) for each that has a slice.
    template <class Take>
    void for_each_loop(lazy_automaton& a, state_id of, Take take) const noexcept {
        for (const configuration& c : a.at(of).configurations()) {
            const automaton_node& node = of_.nodes[c.node];
            if (node.loop == automaton_node::loop_kind::none || node.loop_set >= slices_.size()) continue;
            if (!slices_[node.loop_set]) continue;
            std::size_t characters = class_slice::most_counted;
            if (node.loop == automaton_node::loop_kind::counted)
                characters = (std::min<std::size_t>)(characters, std::size_t{a.repetitions_left(c)} + 1);
            take(set_loop{c.node, node.loop_set, characters});
        }
    }
    const class_slice& slice_of(const set_loop& loop) const noexcept { return *slices_[loop.slice]; }
    bool has_more(const set_loop& one, const set_loop& other) const noexcept {
        return !other || slice_of(one).count(one.characters) > slice_of(other).count(other.characters);
    }

    /// Adds the tokens of all loops; answers the one that leaves least to be walked.
    set_loop add_loops(lazy_automaton& a, state_id of, token_bits& legal) const noexcept {
        set_loop widest;
        for_each_loop(a, of, [&](const set_loop& loop) {
            slice_of(loop).add_to(legal, loop.characters);
            if (has_more(loop, widest)) widest = loop;
        });
        // The tokens of more characters than it reads are not legal, and not walked either.
        if (widest && widest.characters < slice_of(widest).longest() && reads_them_alone(a, of, widest))
            widest.characters = class_slice::most_counted;
        return widest;
    }
    /// Whether the characters of a loop's set are read by that loop alone, now and behind each of as many as it reads.
    bool reads_them_alone(lazy_automaton& a, state_id at, const set_loop& loop) const noexcept {
        const std::uint8_t lead = of_.edges_of(loop.node)[0].first;
        for (std::size_t left = loop.characters;; --left) {
            for (const configuration& c : a.at(at).configurations())
                if (c.node != loop.node ? read_a_byte_alike(c.node, loop.node) : left == 0) return false;
            if (left == 0) return true;
            at = a.next(at, lead);  // one of them: all lead to one state
            for (int more = lead < 0x80 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3; more > 0 && at >= 0; --more)
                at = a.next(at, of_.edges_of(a.at(at).configurations()[0].node)[0].first);
            if (at < 0) return at == dead;
        }
    }
    bool read_a_byte_alike(std::uint32_t one, std::uint32_t other) const noexcept {
        for (const byte_edge& a : of_.edges_of(one))
            for (const byte_edge& b : of_.edges_of(other))
                if (a.first <= b.last && b.first <= a.last) return true;
        return false;
    }
    /// The widest loop of a state that the walk comes to, of which the whole of a subtree may be: found once.
    set_loop widest_loop(lazy_automaton& a, state_id of) const noexcept {
        std::atomic<std::uint16_t>& kept = a.at(of).loop;
        std::uint16_t packed = kept.load(std::memory_order_relaxed);
        if (packed == text_state::loop_not_known) {
            set_loop widest;
            for_each_loop(a, of, [&](const set_loop& loop) {
                if (has_more(loop, widest)) widest = loop;
            });
            packed = widest ? std::uint16_t(widest.slice << 8 | widest.characters) : std::uint16_t{text_state::no_loop};
            kept.store(packed, std::memory_order_relaxed);
        }
        if (packed == text_state::no_loop) return {};
        return {0, std::size_t{packed} >> 8, std::size_t{packed} & 0xFF};
    }

    const Automaton& of_;
    const token_tree& tree_;
    std::vector<shared_pointer<const class_slice>> slices_;  ///< of the grammar's loop_sets
};
using tree_walk = basic_tree_walk<byte_automaton>;

}  // namespace riffle::detail
