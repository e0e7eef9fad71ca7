#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <riffle/constraint/code_points.hpp>
#include <riffle/constraint/walks.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// What a piece of a grammar matches.
enum class expression_kind : std::uint8_t {
    literal,       ///< some bytes; none: the empty text
    characters,    ///< one character of a set
    sequence,      ///< its parts one behind the other
    alternatives,  ///< one of its parts
    repetition,    ///< its one part, so many times
    graph,         ///< its parts along a walk through a graph of which they are the arcs
    rule,          ///< a rule by its number
    token,         ///< one whole token
};

/// A token that a grammar names: by its id, or by its text, which is then not empty.
struct token_reference {
    std::uint32_t id = 0;
    std::string name;
    std::size_t offset = 0;  ///< of the reference in the source
};

/// A graph whose arcs are expressions. A text of it is that of a walk from the first node to one where it may end, and
/// what is remembered of the walk says whether it may go on, and end. Where something is,
/// no arc matches the empty text. Where it is a set, arcs lead from the first node to the second and from there back to
/// it, the same from both: what may follow depends on the arcs that came, not on the node.
struct expression_graph {
    struct arc {
        std::uint32_t from, to;
        std::uint32_t bit = walk::no_bit;
    };
    std::vector<arc> arcs;              ///< as many as the expression has parts, in their order
    std::vector<std::uint8_t> may_end;  ///< of each node
    walk bounds{.memory = walk_memory::nothing};

    std::uint32_t add_node(bool is_end = false) {
        may_end.push_back(is_end);
        return std::uint32_t(may_end.size() - 1);
    }
};

/// An expression; what its numbers count depends on its kind.
struct expression {
    enum : std::uint32_t { unlimited = ~0u };

    expression_kind kind = expression_kind::literal;
    bool negated = false;      ///< token: any token but it
    std::uint32_t first = 0;   ///< literal: of the bytes; characters: the set; rule; token: the reference; else: of the
                               ///< list of parts
    std::uint32_t count = 0;   ///< literal: bytes; sequence, alternatives, repetition, graph: parts
    std::uint32_t least = 0;   ///< repetition; graph: its number
    std::uint32_t most = 0;    ///< repetition
    std::uint32_t height = 1;  ///< of the tree below, itself included

    bool has_parts() const noexcept {
        return kind == expression_kind::sequence || kind == expression_kind::alternatives ||
               kind == expression_kind::repetition || kind == expression_kind::graph;
    }
};
using expression_id = std::uint32_t;

/// The rules of a grammar as trees of expressions: what a reader makes, and what is compiled.
template <class String>
struct basic_grammar_rules {
    enum : std::uint32_t { no_expression = ~0u };

    struct rule {
        String name;
        expression_id body = no_expression;
        std::size_t offset = 0;  ///< of the name in the source: where it is defined, or first used
        String capture = {};     ///< under which its texts are remembered; empty: they are not
    };

    std::vector<expression> expressions;
    std::vector<expression_id> parts;
    String bytes;
    std::vector<code_point_set> sets;
    std::vector<expression_graph> graphs;
    std::vector<token_reference> tokens;
    std::vector<rule> rules;
    std::uint32_t root = 0;

    const expression& at(expression_id id) const noexcept { return expressions[id]; }
    expression_id part(const expression& of, std::size_t i) const noexcept { return parts[of.first + i]; }
    text literal(const expression& e) const noexcept { return {bytes.data() + e.first, e.count}; }

    /// Of whole characters, in UTF-8.
    expression_id add_literal(const text& of) {
        expression e;
        e.first = std::uint32_t(bytes.size());
        e.count = std::uint32_t(of.size());
        bytes.append(of.data(), of.size());
        return add(e);
    }
    expression_id add_characters(code_point_set set) {
        expression e;
        e.kind = expression_kind::characters;
        e.first = std::uint32_t(sets.size());
        sets.push_back(std::move(set));
        return add(e);
    }
    /// A sequence or alternatives of one part is that part.
    expression_id add_list(expression_kind kind, const expression_id* of, std::size_t count) {
        if (count == 1) return of[0];
        expression e;
        e.kind = kind;
        e.first = std::uint32_t(parts.size());
        e.count = std::uint32_t(count);
        for (std::size_t i = 0; i < count; ++i) grow_over(e, of[i]);
        parts.insert(parts.end(), of, of + count);
        return add(e);
    }
    expression_id add_repetition(expression_id of, std::uint32_t least, std::uint32_t most) {
        expression e;
        e.kind = expression_kind::repetition;
        e.first = std::uint32_t(parts.size());
        e.count = 1;
        e.least = least;
        e.most = most;
        grow_over(e, of);
        parts.push_back(of);
        return add(e);
    }
    /// `of`: of each of its arcs.
    expression_id add_graph(expression_graph graph, const expression_id* of) {
        expression e;
        e.kind = expression_kind::graph;
        e.first = std::uint32_t(parts.size());
        e.count = std::uint32_t(graph.arcs.size());
        e.least = std::uint32_t(graphs.size());
        for (std::size_t i = 0; i < e.count; ++i) grow_over(e, of[i]);
        parts.insert(parts.end(), of, of + e.count);
        graphs.push_back(std::move(graph));
        return add(e);
    }
    expression_id add_rule(std::uint32_t number) {
        expression e;
        e.kind = expression_kind::rule;
        e.first = number;
        return add(e);
    }
    expression_id add_token(token_reference reference, bool negated) {
        expression e;
        e.kind = expression_kind::token;
        e.negated = negated;
        e.first = std::uint32_t(tokens.size());
        tokens.push_back(std::move(reference));
        return add(e);
    }

private:
    void grow_over(expression& e, expression_id part) const noexcept {
        if (at(part).height >= e.height) e.height = at(part).height + 1;
    }
    expression_id add(const expression& e) {
        expressions.push_back(e);
        return expression_id(expressions.size() - 1);
    }
};
using grammar_rules = basic_grammar_rules<std::string>;

}  // namespace riffle::detail
