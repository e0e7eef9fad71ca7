#pragma once
#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include <riffle/constraint/brief_lock.hpp>
#include <riffle/constraint/byte_automaton.hpp>
#include <riffle/constraint/expressions.hpp>
#include <riffle/constraint/grammar_limits.hpp>
#include <riffle/constraint/parsed.hpp>
#include <riffle/constraint/shared_pointer.hpp>
#include <riffle/constraint/token_automaton.hpp>

namespace riffle::inline RIFFLE_ABI {
namespace detail {

/// What copies of a grammar share.
template <class Rules>
class basic_grammar_data : public shared_object {
public:
    Rules rules;
    byte_automaton automaton;
    grammar_limits limits;
    bool has_language = true;
    parse_problem problem;  ///< why it has none

    /// The automaton over the tokens of a vocabulary: one for all matchers of the pair. Throws without memory.
    shared_pointer<token_automaton> over(const shared_pointer<const trie_data>& trie) const {
        {
            const brief_hold hold(lock_);
            if (auto known = find(trie)) return known;
        }
        shared_pointer<token_automaton> made(new token_automaton(automaton, limits, trie));  // may take milliseconds
        std::vector<shared_pointer<token_automaton>> out_of_use;                             // and to end these, too
        const brief_hold hold(lock_);
        if (auto known = find(trie)) return known;  // another thread was first
        over_.reserve(over_.size() + 1);
        out_of_use.reserve(over_.size());
        const auto rest = std::partition(over_.begin(), over_.end(), [](const auto& a) { return !a->has_one_owner(); });
        std::move(rest, over_.end(), std::back_inserter(out_of_use));
        over_.erase(rest, over_.end());
        over_.push_back(made);
        return made;
    }

private:
    shared_pointer<token_automaton> find(const shared_pointer<const trie_data>& trie) const noexcept {
        for (const auto& known : over_)
            if (known->trie() == trie) return known;
        return {};
    }

    mutable brief_lock lock_;
    mutable std::vector<shared_pointer<token_automaton>> over_;
};
using grammar_data = basic_grammar_data<grammar_rules>;

}  // namespace detail

/// A language: the texts that a model may write. Compiled from a notation (parse_gbnf), or put together from parts
/// (literal, sequence, ...); immutable, and copies share it, also with the matchers that use it. A default one has no
/// language: no text is legal.
///
/// Parts that make no grammar make one without a language, and problem() says why; so does whatever that is a part of.
///
/// Masks are kept with it for each vocabulary, and shared by all its matchers. Those of a vocabulary that no matcher
/// uses are dropped when a matcher for another one is made.
template <class Data>
class basic_grammar {
public:
    /// Of no language.
    basic_grammar() noexcept = default;
    /// Whether it has a language.
    explicit operator bool() const noexcept { return data_ && data_->has_language; }
    /// Why it has none; nothing in it for one that has. Throws std::bad_alloc.
    parse_problem problem() const {
        parse_problem why;
        if (data_) why = data_->problem;
        else why.sentence = is_out_of_memory_ ? "out of memory" : "this grammar is not set";
        return why;
    }

    /// For riffle's own use.
    explicit basic_grammar(detail::shared_pointer<const Data> data) noexcept : data_(std::move(data)) {}
    /// For riffle's own use: where there was no memory to make one.
    static basic_grammar out_of_memory() noexcept {
        basic_grammar none;
        none.is_out_of_memory_ = true;
        return none;
    }
    /// For riffle's own use.
    bool is_out_of_memory() const noexcept { return is_out_of_memory_; }
    /// For riffle's own use: what copies share.
    const detail::shared_pointer<const Data>& data() const noexcept { return data_; }

private:
    detail::shared_pointer<const Data> data_;
    bool is_out_of_memory_ = false;
};
using grammar = basic_grammar<detail::grammar_data>;

}  // namespace riffle
