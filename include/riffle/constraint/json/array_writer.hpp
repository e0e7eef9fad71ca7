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
        array_set a = w_.boxes.arrays_of(b);
        for (const auto& c : a.contains) a.least = (std::max)(a.least, (std::min)(c.least, 1u));
        if (a.least > a.most) return true;
        if (w_.boxes.breaks_later_items(b))
            return w_.reader().refuse(w_.place_of(b, {"items"}),
                                      "the opposite of items behind prefixItems is not supported");
        if (a.most == 0) return ways.push_back(w_.layout.nothing("[", "]")), true;
        ++level;
        const expression_id open = w_.layout.open("[", level), close = w_.layout.close("]", level);
        if (a.least == 0) ways.push_back(w_.layout.nothing("[", "]"));
        expression_id items;
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
    /// Some of the items are in another set, too.
    bool write_containing_items(const array_set& a, const schema_branch& b, std::uint32_t level, expression_id& made) {
        if (a.contains.size() > 1 || !a.first.empty() || a.contains[0].least > most_contained ||
            (a.contains[0].most != ~0u && a.contains[0].most > most_contained)) {
            made = repeated_items(item(a.rest, level), a, level);
            return w_.reader().refuse(
                w_.place_of(b, {"contains"}),
                "contains is supported once, without prefixItems, and up to 1,000 items that it counts");
        }
        const auto& c = a.contains[0];
        schema_terms with = w_.boxes.terms_of(a.rest), without = with;
        const schema_terms more = w_.boxes.terms_of(c.set);
        with.insert(with.end(), more.begin(), more.end());
        if (more.size() == 1) without.push_back({more[0].of, !more[0].is_negated});
        const bool is_bounded = c.most != ~0u;
        if (is_bounded && more.size() != 1)
            return w_.reader().refuse(w_.place_of(b, {"maxContains"}), "maxContains is not supported here");
        const expression_id counted = item(w_.boxes.set_of(with), level);
        const expression_id other = item(w_.boxes.set_of(is_bounded ? without : w_.boxes.terms_of(a.rest)), level);
        const std::uint32_t steps = is_bounded ? c.most : c.least;
        expression_graph graph;
        expressions parts;
        const auto arc = [&](std::uint32_t from, std::uint32_t to, expression_id part) {
            graph.arcs.push_back({from, to});
            parts.push_back(part);
        };
        const std::uint32_t first = graph.add_node();
        for (std::uint32_t k = 0; k <= steps; ++k) graph.add_node(k >= c.least);
        const expression_id more_counted = w_.layout.joined({w_.layout.comma(level), counted});
        const expression_id more_other = w_.layout.joined({w_.layout.comma(level), other});
        arc(first, 1, other);
        if (steps > 0) arc(first, 2, counted);
        for (std::uint32_t k = 0; k <= steps; ++k) {
            arc(1 + k, 1 + k, more_other);
            if (k < steps) arc(1 + k, 2 + k, more_counted);
        }
        graph.bounds = {.memory = walk_memory::count, .least = (std::max)(a.least, 1u), .most = a.most};
        made = w_.rules.add_graph(std::move(graph), parts.data());
        return true;
    }
    enum : std::uint32_t { most_contained = 1000 };

    writing& w_;
};

}  // namespace riffle::detail
