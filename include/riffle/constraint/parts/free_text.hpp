#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <riffle/constraint/code_points.hpp>
#include <riffle/constraint/expressions.hpp>
#include <riffle/constraint/grammar.hpp>
#include <riffle/constraint/grammar_limits.hpp>
#include <riffle/constraint/parts/grammar_assembly.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/word_automaton.hpp>

namespace riffle::inline RIFFLE_ABI {
namespace detail {

/// Free text up to a word, as a graph: its nodes are the states of a word_automaton that ends no word.
template <class Rules>
class free_text_graph {
public:
    using words = word_automaton<code_point>;
    enum : std::size_t { most_arcs = 1 << 19 };  ///< some 100 bytes each

    free_text_graph(Rules& rules, const words& of) : rules_(rules), of_(of), node_(of.size(), Rules::no_expression) {
        for (const words::state s : of.by_depth())
            if (of.word_at(s) == words::none) node_[s] = graph_.add_node();
    }
    expression_graph& graph() noexcept { return graph_; }
    /// Arcs for every character behind which no word ends; for those behind which one does, ends(from, character, word)
    /// is called, with the node that they come from. False where they are too many: words with many first characters,
    /// and many states, for each state tells them all apart.
    template <class Ends>
    bool add_arcs(Ends ends) {
        for (const words::state s : of_.by_depth()) {
            if (graph_.arcs.size() > most_arcs) return false;
            if (node_[s] != Rules::no_expression) add_arcs_of(s, ends);
        }
        return true;
    }
    void add_arc(std::uint32_t from, expression_id part, std::uint32_t to) {
        graph_.arcs.push_back({from, to});
        parts_.push_back(part);
    }
    expression_id finish() { return rules_.add_graph(std::move(graph_), parts_.data()); }

private:
    template <class Ends>
    void add_arcs_of(words::state from, Ends ends) {
        std::vector<code_point> told_apart;
        for (words::state s = from;; s = of_.shorter(s)) {
            for (const words::edge& e : of_.edges_of(s)) told_apart.push_back(e.symbol);
            if (s == words::start) break;
        }
        std::sort(told_apart.begin(), told_apart.end());
        told_apart.erase(std::unique(told_apart.begin(), told_apart.end()), told_apart.end());
        std::vector<code_point_range> ranges;
        for (const code_point c : told_apart) {
            const words::state to = of_.next(from, c);
            if (const std::uint32_t ended = of_.word_at(to); ended != words::none) ends(node_[from], c, ended);
            else add_arc(node_[from], rules_.add_characters(code_point_set({{c, c}})), node_[to]);
            ranges.push_back({c, c});
        }
        const code_point_set others = code_point_set(std::move(ranges)).inverted();
        add_arc(node_[from], rules_.add_characters(others), node_[words::start]);
    }

    Rules& rules_;
    const words& of_;
    std::vector<std::uint32_t> node_;  ///< of a state
    expression_graph graph_;
    std::vector<expression_id> parts_;
};

/// The characters of a text in UTF-8; false where it is not.
inline bool read_characters(const text& of, std::vector<code_point>& into) {
    for (std::size_t i = 0; i < of.size();) {
        const decoded_character c = decode_utf8(of.part(i, 4));
        if (c.length == 0) return false;
        into.push_back(c.value);
        i += c.length;
    }
    return true;
}

template <class Texts>
grammar free_text_until_any(const Texts& texts, const grammar_limits& limits) noexcept {
    return assembled<grammar>(limits, [&](auto& assembly) {
        std::vector<std::vector<code_point>> ends;
        for (const auto& one : texts)
            if (!read_characters(text(one), ends.emplace_back())) assembly.fail("this text is not UTF-8");
        if (ends.empty()) assembly.fail("free text has no end");
        for (const auto& end : ends)
            if (end.empty()) assembly.fail("free text ends with an empty text, which is everywhere");
        word_automaton<code_point> automaton;
        automaton.build(ends);
        free_text_graph graph(assembly.rules(), automaton);
        const std::uint32_t end = graph.graph().add_node(true);
        const bool fits = graph.add_arcs([&](std::uint32_t from, code_point c, std::uint32_t) {
            graph.add_arc(from, assembly.rules().add_characters(code_point_set({{c, c}})), end);
        });
        if (!fits) assembly.fail("the ends of free text are more than the limit allows");
        return graph.finish();
    });
}

}  // namespace detail

/// Any text: characters in UTF-8, as many as the model likes. Nothing throws.
template <class Grammar = grammar>
Grammar free_text(const grammar_limits& limits = {}) noexcept {
    return detail::assembled<Grammar>(limits, [](auto& assembly) {
        auto& rules = assembly.rules();
        return rules.add_repetition(rules.add_characters(detail::code_point_set().inverted()), 0,
                                    detail::expression::unlimited);
    });
}

/// Any text up to the first place where `end` has come, and that with it. The end may lie anywhere in a token, and in
/// as many tokens as the model likes.
///
///     grammar quoted = sequence({literal("\""), free_text_until("\"")});
///
/// An end that is empty or is not UTF-8 makes a grammar without a language; problem() says so. Nothing throws.
template <class Grammar = grammar>
Grammar free_text_until(const text& end, const grammar_limits& limits = {}) noexcept {
    return detail::free_text_until_any(std::initializer_list<text>{end}, limits);
}
/// Up to the first of several ends.
template <class Grammar = grammar>
Grammar free_text_until(std::initializer_list<text> ends, const grammar_limits& limits = {}) noexcept {
    return detail::free_text_until_any(ends, limits);
}

}  // namespace riffle
