#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <riffle/constraint/expressions.hpp>
#include <riffle/constraint/json/json_document.hpp>
#include <riffle/constraint/json/schema_boxes.hpp>
#include <riffle/constraint/json/schema_branch.hpp>
#include <riffle/constraint/json/schema_writing.hpp>
#include <riffle/constraint/numbering.hpp>
#include <riffle/constraint/walks.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Writes the arrays of a branch.
template <class Rules, class Reader>
class array_writer {
public:
    using writing = schema_writing<Rules, Reader>;
    using value_id = typename writing::value_id;
    using expressions = typename writing::expressions;

    explicit array_writer(writing& w) : w_(w) {}

    /// False where there is a problem, which the reader has.
    bool write(const schema_branch& b, std::uint32_t level, expressions& ways) {
        const array_set a = w_.boxes.arrays_of(b);
        if (a.least > a.most) return true;
        if (const schema_id broken = w_.boxes.with_broken_later_items(b); broken != no_schema)
            if (!w_.reader().refuse(w_.reader().at(broken).source,
                                    "the opposite of items behind prefixItems is not supported"))
                return false;
        if (a.most == 0) return ways.push_back(w_.layout.nothing("[", "]")), true;
        ++level;
        const expression_id open = w_.layout.open("[", level), close = w_.layout.close("]", level);
        if (a.least == 0) ways.push_back(w_.layout.nothing("[", "]"));
        expression_id items = Rules::no_expression;
        if (a.are_different && a.most > 1) {
            if (!write_different_items(a, b, level, items)) return false;
        } else if (!a.contains.empty()) {
            if (!write_containing_items(a, b, level, items)) return false;
        } else {
            items = a.first.empty() ? repeated_items(item(a.rest, level), a, level) : items_by_place(a, level);
        }
        ways.push_back(w_.layout.joined({open, items, close}));
        return true;
    }

private:
    expression_id item(std::uint32_t set, std::uint32_t level) {
        return w_.layout.joined({w_.value(set, level), w_.layout.behind_value()});
    }
    static std::uint32_t less(std::uint32_t from, std::uint32_t n) noexcept {
        return from == ~0u ? from : from > n ? from - n : 0;
    }
    expression_id repeated_items(expression_id one, const array_set& a, std::uint32_t level) {
        if (a.most == 1) return one;
        const expression_id more = w_.layout.joined({w_.layout.comma(level), one});
        return w_.layout.joined({one, w_.rules.add_repetition(more, less(a.least, 1), less(a.most, 1))});
    }
    /// At least one item.
    expression_id items_by_place(const array_set& a, std::uint32_t level) {
        expression_graph graph;
        expressions parts;
        const auto arc = [&](std::uint32_t from, std::uint32_t to, expression_id part) {
            graph.arcs.push_back({from, to});
            parts.push_back(part);
        };
        std::uint32_t at = graph.add_node();
        const std::uint32_t places = std::uint32_t((std::min<std::size_t>)(a.first.size(), a.most));
        for (std::uint32_t i = 0; i < places; ++i) {
            const std::uint32_t next = graph.add_node(i + 1 >= a.least);
            const expression_id one = item(a.first[i], level);
            arc(at, next, i == 0 ? one : w_.layout.joined({w_.layout.comma(level), one}));
            at = next;
        }
        if (a.most > places) {
            const std::uint32_t end = graph.add_node(true);
            const expression_id more = w_.layout.joined({w_.layout.comma(level), item(a.rest, level)});
            arc(at, end, w_.rules.add_repetition(more, less(a.least, places), less(a.most, places)));
            graph.may_end[at] = 0;  // so it may by no repetition
        }
        return w_.rules.add_graph(std::move(graph), parts.data());
    }
    /// Each of a few constants once at most.
    bool write_different_items(const array_set& a, const schema_branch& b, std::uint32_t level, expression_id& made) {
        expressions all;
        if (!a.first.empty() || !a.contains.empty() || !find_constants(a.rest, level, all) || all.size() > walk::no_bit)
            return refuse_different_items(a, b, level, made);
        expression_graph graph;
        expressions parts;
        const std::uint32_t first = graph.add_node(), behind = graph.add_node(true);
        for (std::uint32_t i = 0; i < all.size(); ++i) {
            const expression_id one = w_.layout.joined({all[i], w_.layout.behind_value()});
            graph.arcs.push_back({first, behind, i});
            parts.push_back(one);
            graph.arcs.push_back({behind, behind, i});
            parts.push_back(w_.layout.joined({w_.layout.comma(level), one}));
        }
        graph.bounds = {.memory = walk_memory::set, .least = (std::max)(a.least, 1u), .most = a.most};
        made = w_.rules.add_graph(std::move(graph), parts.data());
        return true;
    }
    bool refuse_different_items(const array_set& a, const schema_branch& b, std::uint32_t level, expression_id& made) {
        array_set any = a;
        any.are_different = false;
        made = any.first.empty() ? repeated_items(item(any.rest, level), any, level) : items_by_place(any, level);
        return w_.reader().refuse(
            w_.place_of(b, {"uniqueItems"}),
            "uniqueItems is supported where the items are of enum, const, boolean or null, up to 64 of "
            "them in all");
    }
    /// The values of a set that has few.
    bool find_constants(std::uint32_t set, std::uint32_t level, expressions& all) {
        std::vector<schema_branch> branches;
        if (!w_.boxes.find_branches(set, branches)) return false;
        std::vector<value_id> constants;
        bool has[3] = {};
        for (const schema_branch& b : branches) {
            if (!writing::boxes_type::has_constants(w_.reader(), b)) {
                if ((b.types & ~(type_null | type_boolean)) != 0) return false;
                has[0] |= (b.types & type_null) != 0 && !w_.is_excluded(b, json_kind::null, "");
                has[1] |= (b.types & type_boolean) != 0 && !w_.is_excluded(b, json_kind::boolean, "true");
                has[2] |= (b.types & type_boolean) != 0 && !w_.is_excluded(b, json_kind::boolean, "false");
                continue;
            }
            for (const value_id v : w_.boxes.constants_of(b, set))
                if (!w_.boxes.constants().is_one_of(constants, v)) constants.push_back(v);
        }
        const char* const names[] = {"null", "true", "false"};
        for (const value_id v : constants) {
            const json_kind k = w_.document().kind(v);
            if (k == json_kind::null || k == json_kind::boolean)
                has[k == json_kind::null ? 0 : w_.document().is_true(v) ? 1 : 2] = true;
            else all.push_back(w_.constant(v, level));
        }
        for (std::size_t i = 0; i < 3; ++i)
            if (has[i]) all.push_back(w_.layout.literal(names[i]));
        return true;
    }
    /// Some of the items are in other sets, too. A node of the graph is how many items there were, up to those that
    /// have sets of their own, and how many in each of those other sets, up to where more make no difference.
    bool write_containing_items(const array_set& a, const schema_branch& b, std::uint32_t level, expression_id& made) {
        if (arcs_at_most(a) > most_arcs) return refuse_contained(a, b, level, made);
        expression_graph graph;
        expressions parts;
        list_numbers nodes;
        nodes.number_of(std::vector<std::uint32_t>(1 + a.contains.size(), 0));
        graph.add_node();
        const auto places = std::uint32_t((std::max<std::size_t>)(a.first.size(), 1));
        list_numbers kinds;  // of items: where they stand, and in which sets they are
        expressions of_kind;
        for (std::uint32_t from = 0; from < nodes.count(); ++from) {
            const std::vector<std::uint32_t> now = nodes[from];
            for (std::uint32_t in = 0; in < 1u << a.contains.size(); ++in) {
                std::vector<std::uint32_t> next = now;
                if (!count_contained(a, in, next)) continue;
                next[0] = (std::min)(now[0] + 1, places);
                const std::uint32_t to = nodes.number_of(next);
                if (to == graph.may_end.size()) graph.add_node(is_enough(a, next));
                graph.arcs.push_back({from, to});
                const std::uint32_t kind = kinds.number_of({now[0], in});
                if (kind == of_kind.size()) {
                    const expression_id one = item(w_.boxes.set_of(terms_within(a, now[0], in)), level);
                    of_kind.push_back(now[0] == 0 ? one : w_.layout.joined({w_.layout.comma(level), one}));
                }
                parts.push_back(of_kind[kind]);
            }
        }
        graph.bounds = {.memory = walk_memory::count, .least = (std::max)(a.least, 1u), .most = a.most};
        made = w_.rules.add_graph(std::move(graph), parts.data());
        return true;
    }
    static std::size_t arcs_at_most(const array_set& a) {
        std::size_t arcs = (std::max<std::size_t>)(a.first.size(), 1);
        for (const auto& c : a.contains) {
            if (arcs > most_arcs) break;
            arcs *= 2 * (std::size_t{c.most == ~0u ? c.least : c.most} + 1);
        }
        return arcs;
    }
    /// One item more, that is in some of the sets. False where no item of those is wanted. An item that is not counted
    /// may be in a set all the same, where there is no upper bound.
    static bool count_contained(const array_set& a, std::uint32_t in, std::vector<std::uint32_t>& counts) {
        for (std::size_t i = 0; i < a.contains.size(); ++i) {
            const auto& c = a.contains[i];
            if ((in >> i & 1) != 0 && counts[1 + i]++ == (c.most == ~0u ? c.least : c.most)) return false;
        }
        return true;
    }
    static bool is_enough(const array_set& a, const std::vector<std::uint32_t>& counts) {
        for (std::size_t i = 0; i < a.contains.size(); ++i)
            if (counts[1 + i] < a.contains[i].least) return false;
        return true;
    }
    /// What is said of an item.
    schema_terms terms_within(const array_set& a, std::uint32_t place, std::uint32_t in) {
        schema_terms all = w_.boxes.terms_of(place < a.first.size() ? a.first[place] : a.rest);
        for (std::size_t i = 0; i < a.contains.size(); ++i) {
            const bool is_in = (in >> i & 1) != 0;
            if (!is_in && a.contains[i].most == ~0u) continue;
            const schema_term said = w_.boxes.terms_of(a.contains[i].set).front();
            all.push_back({said.of, said.is_negated == is_in});
        }
        return all;
    }
    bool refuse_contained(const array_set& a, const schema_branch& b, std::uint32_t level, expression_id& made) {
        made = a.first.empty() ? repeated_items(item(a.rest, level), a, level) : items_by_place(a, level);
        return w_.reader().refuse(w_.place_of(b, {"contains"}),
                                  "contains is supported up to 1,000 items that it counts; fewer where several "
                                  "contains, or prefixItems, stand together");
    }
    enum : std::uint32_t { most_arcs = 2002 };

    writing& w_;
};

}  // namespace riffle::detail
