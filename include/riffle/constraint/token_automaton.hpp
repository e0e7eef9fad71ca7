#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <riffle/constraint/brief_lock.hpp>
#include <riffle/constraint/byte_automaton.hpp>
#include <riffle/constraint/class_slice.hpp>
#include <riffle/constraint/grammar_limits.hpp>
#include <riffle/constraint/growing_array.hpp>
#include <riffle/constraint/lazy_automaton.hpp>
#include <riffle/constraint/named_tokens.hpp>
#include <riffle/constraint/shared_pointer.hpp>
#include <riffle/constraint/token_mask.hpp>
#include <riffle/constraint/vocabulary_trie.hpp>
#include <riffle/core/status.hpp>
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
        : of_(of), limits_(limits), trie_(trie) {
        resolve_tokens();
        for (const code_point_set& set : of.loop_sets) {
            if (slices_.size() == most_slices) break;
            slices_.push_back(trie->slice(set));
        }
    }

    const shared_pointer<const trie_data>& trie() const noexcept { return trie_; }
    const Automaton& grammar() const noexcept { return of_; }
    const grammar_limits& limits() const noexcept { return limits_; }
    /// Of a grammar that names a token which the vocabulary lacks.
    const status& problem() const noexcept { return problem_; }

    // ---- states

    /// The automaton of today; nullptr without memory.
    shared_pointer<lazy_automaton> automaton() noexcept {
        const brief_hold hold(lock_);
        if (!current_) current_ = make_automaton(false);
        return current_;
    }
    /// Another one in the place of a full one. `largest`: it may grow as far as the limits of any grammar allow.
    shared_pointer<lazy_automaton> automaton_after(const shared_pointer<lazy_automaton>& filled,
                                                   bool largest) noexcept {
        const brief_hold hold(lock_);
        if (!current_ || current_ == filled || largest) current_ = make_automaton(largest);
        return current_;
    }

    /// Where a token leads from a state: by its bytes, or as a whole where the grammar refers to it.
    state_id next(lazy_automaton& a, state_id from, token_id token) const noexcept {
        const state_id whole = refers_to_tokens(a, from) ? next_by_reference(a, from, token) : state_id{dead};
        if (whole < dead || !trie_->is_read_by_bytes(token)) return whole;
        const state_id by_bytes = next(a, from, trie_->piece(token));
        return by_bytes < dead ? by_bytes : a.either(whole, by_bytes);
    }
    state_id next(lazy_automaton& a, state_id at, const text& bytes) const noexcept {
        for (std::size_t i = 0; i < bytes.size() && at >= 0; ++i) at = a.next(at, std::uint8_t(bytes[i]));
        return at;
    }

    // ---- masks

    /// The tokens that are legal in a state. nullptr, and `why`, where there is no telling.
    const token_mask* mask(lazy_automaton& a, state_id of, state_id& why) const noexcept {
        const token_mask* const known = a.at(of).mask.load(std::memory_order_acquire);
        return known ? known : find_mask(a, of, why);
    }

private:
    enum : std::size_t { most_slices = 16 };

    void resolve_tokens() {
        const std::vector<token_id> named = find_named_tokens(of_.tokens, *trie_);
        for (std::size_t i = 0; i < of_.tokens.size(); ++i) {
            const token_reference& reference = of_.tokens[i];
            token_id id = reference.name.empty() ? token_id(reference.id) : named[i];
            if (!trie_->contains(id)) id = null_token;
            const bool is_usable = id != null_token && trie_->has_text(id);
            if (!is_usable && problem_.ok())
                problem_ = status::invalid("grammar", "the token at byte", double(reference.offset),
                                           id == null_token ? "is none of the vocabulary"
                                                            : "is never legal, since it has no text");
            tokens_.push_back(id);
        }
    }
    shared_pointer<lazy_automaton> make_automaton(bool largest) const noexcept {
        const grammar_limits usual;
        lazy_automaton::bounds most{limits_.states, limits_.automaton_bytes, limits_.mask_bytes};
        std::uint32_t configurations = limits_.configurations;
        if (largest) {
            most.states = (std::max<std::size_t>)(most.states, usual.states);
            most.bytes = (std::max)(most.bytes, usual.automaton_bytes);
            most.mask_bytes = (std::max)(most.mask_bytes, usual.mask_bytes);
        }
        shared_pointer<lazy_automaton> made(new (std::nothrow)
                                                lazy_automaton(of_, configurations, most, trie_->most_bytes()));
        if (made && made->begin() < dead) return {};
        return made;
    }

    // ---- tokens as a whole

    bool refers_to_tokens(const lazy_automaton& a, state_id s) const noexcept {
        if (of_.token_edges.empty()) return false;
        for (const configuration& c : a.at(s).configurations())
            if (!of_.token_edges_of(c.node).empty()) return true;
        return false;
    }
    bool is_meant(const token_edge& e, token_id token) const noexcept {
        if (!trie_->has_text(token)) return false;
        if (!e.negated) return tokens_[e.reference] == token;
        return tokens_[e.reference] != token && !trie_->ends_text(token);
    }
    state_id next_by_reference(lazy_automaton& a, state_id from, token_id token) const noexcept {
        return a.next_by_token(from, [&](const token_edge& e) { return is_meant(e, token); });
    }

    // ---- masks

    /// A mask depends on what the tokens can reach: on a few levels of frames, and on repetitions as far as a token
    /// goes through them. So it is made for the state in which no more is seen, which many states have in common. How
    /// many levels that are is found by trying, once for all states of the same nodes.
    RIFFLE_NOINLINE const token_mask* find_mask(lazy_automaton& a, state_id of, state_id& why) const noexcept {
        const state_id nodes_alone = a.shallow(of, 0);
        if ((why = nodes_alone) < 0) return nullptr;
        std::atomic<std::uint8_t>& depth = a.at(nodes_alone).depth;
        for (std::uint32_t d = depth.load(std::memory_order_relaxed);; ++d) {
            const state_id seen = d > frame_table::greatest_depth ? of : a.shallow(of, d);
            if ((why = seen) < 0) return nullptr;
            const token_mask* mask = a.at(seen).mask.load(std::memory_order_acquire);
            if (!mask) {
                mask = make_mask(a, seen, why);
                if (!mask && why == too_shallow && seen != of) {
                    depth.store(std::uint8_t(d + 1), std::memory_order_relaxed);
                    continue;
                }
                if (!mask) return nullptr;
            }
            a.at(of).mask.store(mask, std::memory_order_release);
            return mask;
        }
    }
    /// Words that are being filled, and how many of their bits are set.
    struct words_in_making {
        std::span<std::uint32_t> words;
        std::size_t count = 0;

        bool has(token_id id) const noexcept { return words[std::size_t(id) / 32] >> (std::uint32_t(id) % 32) & 1; }
        void add(token_id id) noexcept {
            std::uint32_t& there = words[std::size_t(id) / 32];
            const std::uint32_t mine = 1u << (std::uint32_t(id) % 32);
            count += (there & mine) == 0;
            there |= mine;
        }
        void add(std::size_t place, std::uint32_t bits) noexcept {
            count += std::size_t(std::popcount(bits & ~words[place]));
            words[place] |= bits;
        }
        void remove(token_id id) noexcept {
            if (!has(id)) return;
            words[std::size_t(id) / 32] &= ~(1u << (std::uint32_t(id) % 32));
            --count;
        }
    };
    const token_mask* make_mask(lazy_automaton& a, state_id of, state_id& why) const noexcept {
        growing_array<std::uint32_t> memory;
        why = no_memory;
        if (!memory.resize(trie_->words(), 0)) return nullptr;
        words_in_making legal{{memory.data(), memory.size()}};
        why = walk(a, of, legal);
        if (why != dead) return nullptr;
        for (const token_tree::duplicate& d : trie_->tree().duplicates)
            if (legal.has(d.in_tree)) legal.add(d.token);
        for (const token_id id : trie_->long_tokens()) {
            const state_id to = next(a, of, trie_->piece(id));
            if ((why = to) < dead) return nullptr;
            if (to >= 0) legal.add(id);
        }
        add_references(a, of, legal);
        if (a.at(of).is_accepting)
            for (const token_id id : trie_->ends_of_text()) legal.add(id);

        token_mask* const made =
            token_mask::make(legal.words, legal.count, legal.count <= token_mask::few_of(trie_->size()));
        why = no_memory;
        if (!made) return nullptr;
        why = full;
        return a.keep(of, made);
    }
    void add_references(const lazy_automaton& a, state_id of, words_in_making& legal) const noexcept {
        if (of_.token_edges.empty()) return;
        bool has_negated = false, leaves_out = true;
        token_id left_out = null_token;  // by all negated edges
        for (const configuration& c : a.at(of).configurations())
            for (const token_edge& e : of_.token_edges_of(c.node)) {
                const token_id named = tokens_[e.reference];
                if (!e.negated) {
                    if (is_meant(e, named)) legal.add(named);
                    continue;
                }
                leaves_out &= !has_negated || named == left_out;
                has_negated = true;
                left_out = named;
            }
        if (!has_negated) return;
        const bool was_legal = legal.has(left_out);
        for (std::size_t w = 0; w < legal.words.size(); ++w) legal.add(w, trie_->takeable()[w]);
        if (leaves_out && !was_legal) legal.remove(left_out);
    }

    // In a loop over a set of characters all tokens are legal that are made of them alone, as many as the loop reads.

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
            std::size_t characters = class_slice::unlimited - 1;
            if (node.loop == automaton_node::loop_kind::counted)
                characters = (std::min<std::size_t>)(characters, std::size_t{a.most_repetitions(c)} + 1);
            take(set_loop{c.node, node.loop_set, characters});
        }
    }
    const class_slice& slice_of(const set_loop& loop) const noexcept { return *slices_[loop.slice]; }
    bool has_more(const set_loop& one, const set_loop& other) const noexcept {
        return !other || slice_of(one).count(one.characters) > slice_of(other).count(other.characters);
    }

    /// Adds the tokens of all loops; answers the one that leaves least to be walked.
    set_loop add_loops(lazy_automaton& a, state_id of, words_in_making& legal) const noexcept {
        set_loop widest;
        for_each_loop(a, of, [&](const set_loop& loop) {
            legal.count += slice_of(loop).add_to(legal.words, loop.characters, legal.count == 0);
            if (has_more(loop, widest)) widest = loop;
        });
        // The tokens of more characters than it reads are not legal, and not walked either.
        if (widest && widest.characters < slice_of(widest).longest() && reads_them_alone(a, of, widest))
            widest.characters = class_slice::unlimited - 1;
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

    /// All tokens of the tree. `dead`, or why they cannot be told.
    state_id walk(lazy_automaton& a, state_id of, words_in_making& legal) const noexcept {
        const set_loop in_loop = add_loops(a, of, legal);
        const std::uint8_t* const most = in_loop ? slice_of(in_loop).most_characters() : nullptr;
        const token_tree& tree = trie_->tree();
        const token_tree::node* const nodes = tree.nodes.data();
        const std::size_t size = tree.nodes.size();
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
                if (to != dead) return to;
                i += node.size();
                continue;
            }
            if (node.size() > 1) {
                const set_loop behind = widest_loop(a, to);
                if (behind && slice_of(behind).characters_below()[i] <= behind.characters) {
                    for (std::size_t t = tree.first_of[i]; t < tree.first_of[i + node.size()]; ++t)
                        legal.add(tree.tokens[t]);
                    i += node.size();
                    continue;
                }
                states[depth] = to;
                rows[depth] = a.row(to);
            }
            if (node.token() != token_tree::no_token) legal.add(token_id(node.token()));
            ++i;
        }
        return dead;
    }

    const Automaton& of_;
    grammar_limits limits_;
    shared_pointer<const trie_data> trie_;
    std::vector<token_id> tokens_;  ///< that the grammar refers to
    std::vector<shared_pointer<const class_slice>> slices_;
    status problem_;
    brief_lock lock_;
    shared_pointer<lazy_automaton> current_;
};
using token_automaton = basic_token_automaton<byte_automaton>;

}  // namespace riffle::detail
