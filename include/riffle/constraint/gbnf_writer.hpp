#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <riffle/constraint/code_points.hpp>
#include <riffle/constraint/expressions.hpp>
#include <riffle/constraint/grammar.hpp>
#include <riffle/constraint/parsed.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI {
namespace detail {

/// Writes rules as GBNF.
template <class Rules>
class gbnf_writer {
public:
    explicit gbnf_writer(const Rules& g) : grammar_(g) {}

    std::string write() {
        write_rule(grammar_.root);
        for (std::uint32_t i = 0; i < grammar_.rules.size(); ++i)
            if (i != grammar_.root) write_rule(i);
        for (std::size_t i = 0; i < graphs_.size(); ++i) write_graph(i);
        out_ += notes_;
        return std::move(out_);
    }

private:
    /// What an expression is part of, and so when it needs parentheses.
    enum class within { rule, alternatives, sequence, repetition };

    void write_rule(std::uint32_t rule) {
        out_ += grammar_.rules[rule].name + " ::= ";
        write(grammar_.rules[rule].body, within::rule);
        write_capture(grammar_.rules[rule].capture);
        out_ += '\n';
    }
    void write_capture(const std::string& name) {
        if (name.empty()) return;
        out_ += "  # captured as ";
        for (const char c : name) out_ += c == '\n' || c == '\r' ? ' ' : c;
    }
    void write(expression_id id, within outer) {
        const expression& e = grammar_.at(id);
        const bool is_nested = (e.kind == expression_kind::alternatives && outer != within::rule) ||
                               (e.kind == expression_kind::sequence && outer == within::repetition);
        if (is_nested) out_ += '(';
        write_inside(e);
        if (is_nested) out_ += ')';
    }
    void write_inside(const expression& e) {
        switch (e.kind) {
        case expression_kind::literal: return write_literal(grammar_.literal(e));
        case expression_kind::characters: return write_characters(grammar_.sets[e.first]);
        case expression_kind::sequence: return write_parts(e, " ", within::sequence);
        case expression_kind::alternatives: return write_parts(e, " | ", within::alternatives);
        case expression_kind::repetition: return write_repetition(e);
        case expression_kind::rule: out_ += grammar_.rules[e.first].name; return;
        case expression_kind::token: return write_token(e);
        case expression_kind::graph: graphs_.push_back(e); return write_name(graphs_.size() - 1, 0);
        }
    }

    // ---- graphs: a rule for each node

    void write_name(std::size_t graph, std::size_t node) {
        if (prefix_.empty()) find_prefix();
        append_number(out_ += prefix_, graph + 1);
        append_number(out_ += '-', node);
    }
    /// What no rule's name begins with.
    void find_prefix() {
        prefix_ = "graph";
        const auto begins = [&](const auto& rule) { return text(rule.name).starts_with(text(prefix_)); };
        while (std::any_of(grammar_.rules.begin(), grammar_.rules.end(), begins)) prefix_ += '-';
    }
    void write_graph(std::size_t number) {
        const expression e = graphs_[number];
        const expression_graph& graph = grammar_.graphs[e.least];
        write_bounds(number, graph.bounds);
        for (std::size_t n = 0; n < graph.may_end.size(); ++n) {
            write_name(number, n);
            out_ += " ::= ";
            const char* between = "";
            for (std::size_t i = 0; i < e.count; ++i) {
                if (graph.arcs[i].from != n) continue;
                out_ += between;
                write(grammar_.part(e, i), within::sequence);
                write_name((out_ += ' ', number), graph.arcs[i].to);
                between = " | ";
            }
            if (graph.may_end[n] != 0) (out_ += between) += "\"\"";
            else if (*between == '\0') write_name(number, n);  // nothing comes of it
            out_ += '\n';
        }
    }
    /// What GBNF has no words for.
    void write_bounds(std::size_t number, const walk& bounds) {
        if (bounds.memory == walk_memory::nothing) return;
        const bool counts = bounds.memory == walk_memory::count;
        write_name((out_ += "# from ", number), 0);
        out_ +=
            counts ? " on as many parts as this: at least " : " on no part twice, and of those with a limit: at least ";
        append_number(out_, bounds.least);
        if (bounds.most != walk::unlimited) append_number(out_ += ", at most ", bounds.most);
        out_ += '\n';
    }

    // ---- the rest
    void write_parts(const expression& e, const char* between, within outer) {
        for (std::size_t i = 0; i < e.count; ++i) {
            if (i > 0) out_ += between;
            write(grammar_.part(e, i), outer);
        }
    }
    void write_repetition(const expression& e) {
        write(grammar_.part(e, 0), within::repetition);
        const bool is_endless = e.most == expression::unlimited;
        if (is_endless && e.least <= 1) out_ += e.least == 0 ? '*' : '+';
        else if (e.least == 0 && e.most == 1) out_ += '?';
        else {
            out_ += '{';
            append_number(out_, e.least);
            if (e.most != e.least) out_ += ',';
            if (e.most != e.least && !is_endless) append_number(out_, e.most);
            out_ += '}';
        }
    }
    void write_token(const expression& e) {
        if (e.negated) out_ += '!';
        const token_reference& t = grammar_.tokens[e.first];
        if (!t.name.empty()) return write_name_of_token(t.name);
        out_ += "<[";
        append_number(out_, t.id);
        out_ += "]>";
    }
    /// GBNF has names as <so> alone.
    void write_name_of_token(const std::string& name) {
        if (name.front() == '<' && name.back() == '>') {
            out_ += name;
            return;
        }
        ((out_ += '<') += name) += '>';
        ((notes_ += "# <") += name) += "> is the token whose name that is without < and >\n";
    }
    void write_literal(const text& bytes) {
        out_ += '"';
        for (std::size_t i = 0; i < bytes.size();) {
            const decoded_character c = decode_utf8(bytes.part(i, 4));
            write_character(c.value, '"');
            i += c.length;
        }
        out_ += '"';
    }
    /// The shorter of the set and what is not in it.
    void write_characters(const code_point_set& set) {
        const code_point_set others = set.inverted();
        if (others.empty()) {
            out_ += '.';
            return;
        }
        const bool is_inverted = others.ranges().size() < set.ranges().size();
        out_ += is_inverted ? "[^" : "[";
        for (const code_point_range& range : (is_inverted ? others : set).ranges()) {
            write_character(range.first, ']');
            if (range.last > range.first + 1) out_ += '-';
            if (range.last > range.first) write_character(range.last, ']');
        }
        out_ += ']';
    }
    /// `end` is what would end the literal or the class.
    void write_character(code_point c, char end) {
        const char* const digits = "0123456789ABCDEF";
        const auto hexadecimal = [&](const char* escape, int count) {
            out_ += escape;
            for (int i = count; i-- > 0;) out_ += digits[c >> (4 * i) & 15];
        };
        if (c == '\n') out_ += "\\n";
        else if (c == '\t') out_ += "\\t";
        else if (c == '\r') out_ += "\\r";
        else if (c == '\\' || c == code_point(end)) (out_ += '\\') += char(c);
        else if (end == ']' && c == '[') out_ += "\\[";
        else if (end == ']' && c == '-') out_ += "\\-";
        else if (end == ']' && c == '^') hexadecimal("\\x", 2);  // it may come first
        else if (c < ' ' || (c >= 0x7F && c <= 0xFF)) hexadecimal("\\x", 2);
        else if (c <= 0x7E) out_ += char(c);
        else if (c <= 0xFFFF) hexadecimal("\\u", 4);
        else hexadecimal("\\U", 8);
    }

    const Rules& grammar_;
    std::string out_, prefix_, notes_;
    std::vector<expression> graphs_;  ///< met so far
};

}  // namespace detail

/// A grammar as GBNF, for people who want to read it: a rule a line, the first one first, in ASCII but for the names of
/// tokens. What it writes is read back as the same language (parse_gbnf with the name of the first rule as its root),
/// as far as grammar_limits::text_bytes lets it: escapes are longer than what they stand for. What GBNF has no words
/// for is a comment there: some grammars of JSON schemas count along a pattern, or take each of some parts once.
/// Empty for a grammar without a language. Throws what std::string throws.
template <class Data>
std::string to_gbnf(const basic_grammar<Data>& of) {
    return of ? detail::gbnf_writer(of.data()->rules).write() : std::string();
}

}  // namespace riffle
