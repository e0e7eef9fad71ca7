#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <riffle/constraint/expressions.hpp>
#include <riffle/constraint/json/json_spelling.hpp>
#include <riffle/constraint/json/other_members.hpp>
#include <riffle/constraint/json/schema_boxes.hpp>
#include <riffle/constraint/json/schema_branch.hpp>
#include <riffle/constraint/json/schema_writing.hpp>
#include <riffle/constraint/json/string_writer.hpp>
#include <riffle/constraint/walks.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Writes the objects of a branch.
template <class Rules, class Reader>
class object_writer {
public:
    using writing = schema_writing<Rules, Reader>;
    using value_id = typename writing::value_id;
    using expressions = typename writing::expressions;
    using others = typename other_members<Rules, Reader>::others;

    object_writer(writing& w, string_writer<Rules, Reader>& strings) : w_(w), others_(w, strings) {}

    /// False where there is a problem, which the reader has.
    bool write(const schema_branch& b, std::uint32_t level, expressions& ways) {
        object_set o;
        if (!w_.boxes.find_objects(b, o)) return false;
        if (o.least > o.most || o.least == ~0u) return true;
        ++level;
        others rest;
        if (!others_.write(o, b, level, rest)) return false;
        const auto required = std::uint32_t(
            std::count_if(o.members.begin(), o.members.end(), [](const auto& m) { return m.is_required; }));
        const bool may_be_empty = required == 0 && o.least == 0;
        if (may_be_empty) ways.push_back(w_.layout.nothing("{", "}"));
        if (o.most == 0 || (o.members.empty() && !rest.are_there)) return true;
        if (rest.are_there && o.least > required + 1 &&
            !w_.reader().refuse(w_.place_of(b, {"minProperties"}),
                                "minProperties: names that are not listed might come twice, and be counted twice; "
                                "require more of the listed ones"))
            return false;
        if (!has_few_in_a_row(o))
            return w_.reader().fail(w_.place_of(b, {"properties"}),
                                    "an object may list so many optional properties in a row as "
                                    "grammar_limits::configurations has room for: any of them may come next");
        expression_id members;
        const bool counts =
            o.least > (std::max)(required, 1u) || o.most < (rest.are_there ? ~0u : std::uint32_t(o.members.size()));
        if (w_.options.any_order) {
            if (!write_in_any_order(o, b, rest, level, members)) return false;
        } else if (!counts) {
            members = in_order(o, rest, level);
        } else if (!write_counted(o, b, rest, required, level, members)) {
            return false;
        }
        ways.push_back(w_.layout.joined({w_.layout.open("{", level), members, w_.layout.close("}", level)}));
        return true;
    }

private:
    bool has_few_in_a_row(const object_set& o) const noexcept {
        std::size_t row = 0, longest = 0;
        for (const auto& m : o.members) longest = (std::max)(longest, row = m.is_required ? 0 : row + 1);
        return longest + 96 <= w_.options.limits.configurations;
    }
    /// A member behind the first quote of its name.
    expression_id member(const object_set::member& m, std::uint32_t level) {
        return w_.layout.joined({w_.layout.literal(w_.spelling.spelled(m.name) + "\""), w_.layout.colon(),
                                 w_.value(m.set, level), w_.layout.behind_value()});
    }
    expression_id quote() { return w_.layout.literal("\""); }

    /// Nodes of the graph: in front of each member, behind its quote, and behind it, where a comma may follow.
    expression_id in_order(const object_set& o, const others& rest, std::uint32_t level) {
        expression_graph graph;
        expressions parts;
        const auto count = std::uint32_t(o.members.size());
        const auto arc = [&](std::uint32_t from, std::uint32_t to, expression_id part) {
            graph.arcs.push_back({from, to});
            parts.push_back(part);
        };
        const std::uint32_t first = graph.add_node();
        const auto ahead = [&](std::uint32_t i) { return 1 + 2 * i; };
        const auto behind = [&](std::uint32_t i) { return 2 + 2 * i; };  // the members before i
        for (std::uint32_t i = 0; i <= count; ++i) {
            graph.add_node();
            graph.add_node();
        }
        const expression_id comma = w_.layout.joined({w_.layout.comma(level), quote()}),
                            nothing = w_.layout.literal({});
        arc(first, ahead(0), quote());
        bool may_end = true;
        for (std::uint32_t i = count + 1; i-- > 0;) {
            if (i < count) {
                arc(ahead(i), behind(i + 1), member(o.members[i], level));
                if (!o.members[i].is_required) arc(ahead(i), ahead(i + 1), nothing);
                may_end = may_end && !o.members[i].is_required;
            } else if (rest.are_there) {
                arc(ahead(i), behind(i), rest.member);
            }
            graph.may_end[behind(i)] = may_end;
            if (i < count || rest.are_there) arc(behind(i), ahead(i), comma);
        }
        return w_.rules.add_graph(std::move(graph), parts.data());
    }
    bool write_counted(const object_set& o, const schema_branch& b, const others& rest, std::uint32_t required,
                       std::uint32_t level, expression_id& made) {
        const auto count = std::uint32_t(o.members.size());
        const bool needs_more = o.least > (std::max)(required, 1u),
                   is_bounded = o.most < (rest.are_there ? ~0u : count);
        if (rest.are_there && needs_more && is_bounded &&
            !w_.reader().refuse(w_.place_of(b, {"minProperties"}),
                                "minProperties and maxProperties together are supported where all names are listed"))
            return false;
        expression_graph graph;
        expressions parts;
        graph.add_node();                                             // ahead of all
        for (std::uint32_t i = 0; i <= count; ++i) graph.add_node();  // behind the members before i
        const expression_id comma = w_.layout.joined({w_.layout.comma(level), quote()});
        // Names that are not listed count as one where there must be enough of them, since they might come twice.
        const expression_id more = w_.layout.joined({comma, rest.member});
        expressions all, all_more;
        for (const auto& m : o.members) {
            const expression_id one = member(m, level);
            all.push_back(w_.layout.joined({quote(), one}));
            all_more.push_back(w_.layout.joined({comma, one}));
        }
        for (std::uint32_t from = 0; from < count + 2; ++from) {
            const bool is_first = from == 0;
            bool may_end = true;
            std::uint32_t i = is_first ? 0 : from - 1;
            for (; i < count && may_end; ++i) {
                graph.arcs.push_back({from, i + 2});
                parts.push_back(is_first ? all[i] : all_more[i]);
                may_end = !o.members[i].is_required;
            }
            if (may_end && rest.are_there) {
                expression_id one = is_first ? w_.layout.joined({quote(), rest.member}) : more;
                if (needs_more) one = w_.layout.joined({one, w_.rules.add_repetition(more, 0, expression::unlimited)});
                graph.arcs.push_back({from, count + 1});
                parts.push_back(one);
            }
            graph.may_end[from] = !is_first && may_end;
            if (parts.size() > most_arcs)
                return w_.reader().fail(
                    w_.place_of(b, {"minProperties", "maxProperties"}),
                    "minProperties and maxProperties of so many optional properties are not supported");
        }
        graph.bounds = {.memory = walk_memory::count, .least = (std::max)(o.least, 1u), .most = o.most};
        made = w_.rules.add_graph(std::move(graph), parts.data());
        return true;
    }
    enum : std::size_t { most_arcs = 1 << 14 };

    bool write_in_any_order(const object_set& o, const schema_branch& b, const others& rest, std::uint32_t level,
                            expression_id& made) {
        if (o.members.size() > walk::no_bit)
            return w_.reader().fail(w_.place_of(b, {"properties"}),
                                    "any_order is supported for objects of up to 64 listed properties");
        expression_graph graph;
        expressions parts;
        const std::uint32_t first = graph.add_node(), behind = graph.add_node(true);
        const expression_id comma = w_.layout.joined({w_.layout.comma(level), quote()});
        graph.bounds = {
            .memory = walk_memory::set, .least = (std::max)(o.least, rest.are_there ? 0u : 1u), .most = o.most};
        const auto add = [&](expression_id one, std::uint32_t bit) {
            graph.arcs.push_back({first, behind, bit});
            parts.push_back(w_.layout.joined({quote(), one}));
            graph.arcs.push_back({behind, behind, bit});
            parts.push_back(w_.layout.joined({comma, one}));
        };
        for (std::uint32_t i = 0; i < o.members.size(); ++i) {
            if (o.members[i].is_required) graph.bounds.required |= std::uint64_t{1} << i;
            add(member(o.members[i], level), i);
        }
        if (rest.are_there) {
            add(rest.member, walk::no_bit);
            const bool counts = o.least > 1 || o.most != ~0u;
            if (counts && !w_.reader().refuse(
                              w_.place_of(b, {"minProperties", "maxProperties"}),
                              "any_order with minProperties or maxProperties is supported where all names are listed"))
                return false;
            graph.bounds.least = 0;
        }
        made = w_.rules.add_graph(std::move(graph), parts.data());
        return true;
    }

    writing& w_;
    other_members<Rules, Reader> others_;
};

}  // namespace riffle::detail
