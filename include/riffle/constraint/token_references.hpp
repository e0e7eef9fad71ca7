#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/constraint/byte_automaton.hpp>
#include <riffle/constraint/lazy_automaton.hpp>
#include <riffle/constraint/named_tokens.hpp>
#include <riffle/constraint/token_bits.hpp>
#include <riffle/constraint/trie_data.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// The tokens that a grammar refers to as a whole (`<[12]>`, `!<[12]>`, `<|im_start|>`), in one vocabulary: which are
/// legal in a state, and where they lead.
template <class Automaton>
class basic_token_references {
public:
    /// Both outlive it.
    basic_token_references(const Automaton& of, const trie_data& trie) : of_(of), trie_(trie) {
        const std::vector<token_id> named = find_named_tokens(of.tokens, trie);
        tokens_.reserve(named.size());
        for (std::size_t i = 0; i < named.size(); ++i) tokens_.push_back(resolve(of.tokens[i], named[i]));
    }
    /// Of a grammar that names a token which the vocabulary lacks.
    const status& problem() const noexcept { return problem_; }

    /// Whether a state has references at all.
    bool are_in(const lazy_automaton& a, state_id s) const noexcept {
        if (of_.token_edges.empty()) return false;
        for (const configuration& c : a.at(s).configurations())
            if (!of_.token_edges_of(c.node).empty()) return true;
        return false;
    }
    /// Where a token leads to by references.
    state_id next(lazy_automaton& a, state_id from, token_id token) const noexcept {
        return a.next_by_token(from, [&](const token_edge& e) { return is_meant(e, token); });
    }
    /// Whether an edge is for a token.
    bool is_meant(const token_edge& e, token_id token) const noexcept {
        if (!trie_.has_text(token)) return false;
        if (!e.negated) return tokens_[e.reference] == token;
        return tokens_[e.reference] != token && !trie_.ends_text(token);
    }
    /// Adds the tokens that are legal by references.
    void add_to(token_bits& legal, const lazy_automaton& a, state_id of) const noexcept {
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
        legal.add(trie_.text_tokens());
        if (leaves_out && !was_legal) legal.remove(left_out);
    }

private:
    /// Its id; null_token, and a problem, where there is none.
    token_id resolve(const token_reference& reference, token_id named) {
        const token_id id = reference.name.empty() ? token_id(reference.id) : named;
        const bool is_there = trie_.contains(id);
        if (problem_.ok() && !(is_there && trie_.has_text(id)))
            problem_ = status::invalid("grammar", "the token at byte", double(reference.offset),
                                       is_there ? "is never legal, since it has no text" : "is not in the vocabulary");
        return is_there ? id : null_token;
    }

    const Automaton& of_;
    const trie_data& trie_;
    std::vector<token_id> tokens_;  ///< one for each reference
    status problem_;
};
using token_references = basic_token_references<byte_automaton>;

}  // namespace riffle::detail
