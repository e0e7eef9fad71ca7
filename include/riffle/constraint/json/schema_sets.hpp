#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <riffle/constraint/json/schema.hpp>
#include <riffle/constraint/json/schema_branch.hpp>
#include <riffle/constraint/numbering.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Sets of values: those that some schemas allow and others forbid. Sets are numbered; a set becomes a rule of the
/// grammar. It comes apart into branches without anyOf, oneOf, not and whatever else chooses: its disjunctive normal
/// form, of which branches that no type is left of are no part.
template <class Reader>
class schema_sets {
public:
    enum : std::uint32_t { all_values = 0 };  ///< the set that has every value
    enum : std::size_t { most_branches = 4096 };

    explicit schema_sets(Reader& reader) : reader_(reader) { numbers_.number_of({}); }

    /// The number of a set.
    std::uint32_t set_of(const schema_terms& of) {
        std::vector<std::uint32_t> key;
        for (schema_term t : of) {
            while (!t.is_negated && is_reference(t.of)) t.of = at(t.of).all_of.front();
            if (t.is_negated || !says_nothing(t.of)) key.push_back(t.key());
        }
        std::sort(key.begin(), key.end());
        key.erase(std::unique(key.begin(), key.end()), key.end());
        return numbers_.number_of(key);
    }
    schema_terms terms_of(std::uint32_t set) const {
        schema_terms all;
        for (const std::uint32_t key : numbers_[set]) all.push_back(schema_term::of_key(key));
        return all;
    }
    std::size_t count() const noexcept { return numbers_.count(); }

    /// The options of a set that says nothing but that one of several schemas holds, as sets; empty for others.
    bool options_of(std::uint32_t set, std::vector<std::uint32_t>& into) {
        into.clear();
        const auto& key = numbers_[set];
        if (key.size() != 1 || schema_term::of_key(key[0]).is_negated) return true;
        const auto& s = at(schema_term::of_key(key[0]).of);
        if (!s.all_of.empty() || s.any_of.size() + s.one_of.size() != 1 || !has_no_other_parts(s)) return true;
        std::vector<option> all;
        if (s.any_of.empty()) {
            if (!find_options(schema_term::of_key(key[0]).of, 0, all)) return false;
        } else {
            for (const schema_id o : s.any_of[0]) all.push_back({{}, {{o, false}}});
        }
        for (const option& o : all) {
            if (o.terms.size() > 1) return into.clear(), true;  // they are no sets of their own
            if (o.of.types != type_any && !is_of_types(o.terms[0].of, o.of.types)) return into.clear(), true;
        }
        for (const option& o : all) into.push_back(set_of(o.terms));
        return true;
    }
    /// False where there is a problem, which the reader has.
    bool find_branches(std::uint32_t set, std::vector<schema_branch>& into) {
        into.clear();
        schema_terms terms = terms_of(set);
        std::reverse(terms.begin(), terms.end());  // the last one is looked at first
        return expand({}, std::move(terms), {}, into);
    }
    bool says_nothing(schema_id id) const noexcept {
        return at(id).all_of.empty() && has_no_other_parts(at(id)) && !has_choices(at(id));
    }
    Reader& reader() noexcept { return reader_; }
    const Reader& reader() const noexcept { return reader_; }

    /// The types of which a set may have values, without looking far: those that are missing it has none of.
    virtual bool find_types(std::uint32_t set, std::uint8_t& types) = 0;

protected:
    ~schema_sets() = default;

private:
    using schema_type = std::remove_cvref_t<decltype(std::declval<const Reader&>().at(0))>;
    using kind = broken_assertion::kind;

    /// What a choice offers.
    struct option {
        schema_branch of;
        schema_terms terms;
    };
    using choices = std::vector<std::vector<option>>;

    const schema_type& at(schema_id id) const noexcept { return std::as_const(reader_).at(id); }
    static bool has_no_other_parts(const schema_type& s) noexcept {
        return !s.is_never && !s.has_own_assertions && s.none_of.empty() && s.condition == no_schema;
    }
    static bool has_choices(const schema_type& s) noexcept { return !s.any_of.empty() || !s.one_of.empty(); }
    bool is_reference(schema_id id) const noexcept {
        return at(id).all_of.size() == 1 && has_no_other_parts(at(id)) && !has_choices(at(id));
    }

    bool is_of_types(schema_id id, std::uint8_t types) const noexcept { return (at(id).types & ~types) == 0; }

    bool expand(schema_branch now, schema_terms left, choices open, std::vector<schema_branch>& into) {
        while (!left.empty()) {
            const schema_term t = left.back();
            left.pop_back();
            bool is_possible = true;
            const bool is_good = t.is_negated ? add_negated(t.of, now, left, open, is_possible)
                                              : add(t.of, now, left, open, is_possible);
            if (!is_good) return false;
            if (!is_possible || now.types == 0) return true;
        }
        if (open.empty()) {
            if (!split_others(now, into)) into.push_back(std::move(now));
            return into.size() <= most_branches ||
                   reader_.fail(reader_.at(into[0].whole.empty() ? reader_.root() : into[0].whole[0]).source,
                                "anyOf, oneOf and not combine in more than 4,096 ways here");
        }
        const std::vector<option> options = std::move(open.back());
        open.pop_back();
        for (const option& o : options) {
            schema_branch next = now;
            next.join(o.of);
            if (next.types != 0 && !expand(std::move(next), o.terms, open, into)) return false;
        }
        return true;
    }
    bool add(schema_id id, schema_branch& to, schema_terms& left, choices& open, bool& is_possible) {
        const schema_type& s = at(id);
        is_possible = !s.is_never;
        if (!is_possible || std::find(to.whole.begin(), to.whole.end(), id) != to.whole.end()) return true;
        to.whole.push_back(id);
        to.types &= s.types;
        for (const schema_id no : s.none_of) left.push_back({no, true});
        for (std::size_t i = s.all_of.size(); i-- > 0;) left.push_back({s.all_of[i], false});
        for (std::size_t i = 0; i < s.one_of.size(); ++i) {
            open.emplace_back();
            if (!find_options(id, i, open.back())) return false;
        }
        for (const auto& group : s.any_of) {
            open.emplace_back();
            for (const schema_id o : group) open.back().push_back({{}, {{o, false}}});
        }
        if (s.condition != no_schema && (s.consequence != no_schema || s.alternative != no_schema)) {
            std::vector<option> both(2);
            both[0].terms.push_back({s.condition, false});
            both[1].terms.push_back({s.condition, true});
            if (s.consequence != no_schema) both[0].terms.insert(both[0].terms.begin(), {s.consequence, false});
            if (s.alternative != no_schema) both[1].terms.insert(both[1].terms.begin(), {s.alternative, false});
            open.push_back(std::move(both));
        }
        for (const auto& d : s.dependencies) open.push_back(options_of_dependency(d));
        return true;
    }
    static std::vector<option> options_of_dependency(const typename schema_type::dependency& d) {
        std::vector<option> all(3);
        all[0].of.types = std::uint8_t(type_any & ~type_object);
        for (std::size_t i = 1; i < 3; ++i) all[i].of.types = type_object;
        all[1].of.absent.push_back(d.name);
        all[2].of.present = d.required;
        all[2].of.present.push_back(d.name);
        if (d.of != no_schema) all[2].terms.push_back({d.of, false});
        return all;
    }
    /// Of a oneOf: an option, and none of the others that have a value in common with it. What they have in common
    /// differs from type to type, so there may be several options for one.
    bool find_options(schema_id id, std::size_t group, std::vector<option>& into) {
        for (const auto& k : known_options_)
            if (k.id == id && k.group == group) return into = k.options, true;
        if (!find_new_options(at(id).one_of[group], into)) return false;
        known_options_.push_back({id, group, into});
        return true;
    }
    bool find_new_options(const std::vector<schema_id>& one_of, std::vector<option>& into) {
        const std::size_t count = one_of.size();
        std::vector<std::uint8_t> common(count * count);
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t k = 0; k < i; ++k) {
                std::uint8_t types = 0;
                if (!find_types(set_of({{one_of[i], false}, {one_of[k], false}}), types)) return false;
                common[i * count + k] = common[k * count + i] = types;
            }
        for (std::size_t i = 0; i < count; ++i) {
            std::vector<std::pair<std::uint8_t, schema_terms>> groups;
            for (std::uint8_t type = 1; type <= type_object; type = std::uint8_t(type << 1)) {
                schema_terms terms;
                for (std::size_t k = 0; k < count; ++k)
                    if ((common[i * count + k] & type) != 0) terms.push_back({one_of[k], true});
                const auto known =
                    std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.second == terms; });
                if (known != groups.end()) known->first = std::uint8_t(known->first | type);
                else groups.push_back({type, std::move(terms)});
            }
            for (auto& [types, terms] : groups) {
                into.push_back({});
                into.back().of.types = types;
                into.back().terms = std::move(terms);
                into.back().terms.push_back({one_of[i], false});
            }
        }
        return true;
    }

    /// At least one of a schema's assertions does not hold.
    bool add_negated(schema_id id, schema_branch& to, schema_terms& left, choices& open, bool& is_possible) {
        const schema_type& s = at(id);
        if (s.is_never) return true;
        std::vector<option> ways = ways_to_break(id, s);
        std::erase_if(ways, [&](const option& w) { return (w.of.types & to.types) == 0; });
        is_possible = !ways.empty();
        if (ways.size() > 1) open.push_back(std::move(ways));
        else if (is_possible) {
            to.join(ways[0].of);
            left.insert(left.end(), ways[0].terms.begin(), ways[0].terms.end());
        }
        return true;
    }
    std::vector<option> ways_to_break(schema_id id, const schema_type& s) const {
        std::vector<option> ways;
        const auto add_way = [&](std::uint8_t types, schema_terms terms = {}) -> option& {
            ways.push_back({{}, std::move(terms)});
            ways.back().of.types = types;
            return ways.back();
        };
        const auto breaks = [&](std::uint8_t types, kind what, std::size_t index = 0) {
            add_way(types).of.broken.push_back({what, id, std::uint32_t(index)});
        };
        const auto cannot = [&](std::uint8_t types, const char* why) {
            schema_branch& w = add_way(types).of;
            w.problem = why;
            w.problem_at = id;
        };

        if (s.types != type_any) add_way(std::uint8_t(type_any & ~s.types));
        if (s.has_constants) breaks(type_any, kind::constants);
        if (s.least_number.is_set) breaks(type_number, kind::least_number);
        if (s.most_number.is_set) breaks(type_number, kind::most_number);
        if (s.has_divisor) breaks(type_number, kind::divisor);
        if (s.least_length > 0) breaks(type_string, kind::least_length);
        if (s.most_length != schema_type::unlimited) breaks(type_string, kind::most_length);
        for (std::size_t i = 0; i < s.patterns.size(); ++i) breaks(type_string, kind::pattern, i);
        for (std::size_t i = 0; i < s.formats.size(); ++i) breaks(type_string, kind::format, i);

        if (s.least_items > 0) breaks(type_array, kind::least_items);
        if (s.most_items != schema_type::unlimited) breaks(type_array, kind::most_items);
        for (std::size_t i = 0; i < s.first_items.size(); ++i) breaks(type_array, kind::first_item, i);
        if (s.items != no_schema && !says_nothing(s.items)) breaks(type_array, kind::items);
        if (s.contains != no_schema) {
            if (s.least_contained == 1 && s.most_contained == schema_type::unlimited)
                breaks(type_array, kind::contains);
            else cannot(type_array, "the opposite of minContains and maxContains is not supported");
        }
        if (s.has_different_items) cannot(type_array, "the opposite of uniqueItems is not supported");

        for (const auto& p : s.properties) {
            if (says_nothing(p.of)) continue;
            option& w = add_way(type_object);
            w.of.present.push_back(p.name);
            w.of.members.push_back({p.name, {p.of, true}});
        }
        for (const text& name : s.required) add_way(type_object).of.absent.push_back(name);
        if (s.least_properties > 0) breaks(type_object, kind::least_properties);
        if (s.most_properties != schema_type::unlimited) breaks(type_object, kind::most_properties);
        for (const auto& d : s.dependencies) {
            for (const text& name : d.required) {
                option& w = add_way(type_object);
                w.of.present.push_back(d.name);
                w.of.absent.push_back(name);
            }
            if (d.of != no_schema) add_way(type_object, {{d.of, true}}).of.present.push_back(d.name);
        }
        if (s.other_properties != no_schema && !says_nothing(s.other_properties))
            breaks(type_object, kind::other_properties);
        if (!s.pattern_properties.empty())
            cannot(type_object,
                   "the opposite of patternProperties is not supported, as not and an overlapping oneOf ask for");
        if (s.names != no_schema && !says_nothing(s.names))
            cannot(type_object,
                   "the opposite of propertyNames is not supported, as not and an overlapping oneOf ask for");

        for (const schema_id part : s.all_of) add_way(type_any, {{part, true}});
        for (const auto& group : s.any_of) {
            option& w = add_way(type_any);
            for (const schema_id o : group) w.terms.push_back({o, true});
        }
        for (const auto& group : s.one_of) {
            option& none = add_way(type_any);
            for (const schema_id o : group) none.terms.push_back({o, true});
            for (std::size_t i = 0; i < group.size(); ++i)
                for (std::size_t k = 0; k < i; ++k) add_way(type_any, {{group[i], false}, {group[k], false}});
        }
        for (const schema_id no : s.none_of) add_way(type_any, {{no, false}});
        if (s.condition != no_schema) {
            if (s.consequence != no_schema) add_way(type_any, {{s.condition, false}, {s.consequence, true}});
            if (s.alternative != no_schema) add_way(type_any, {{s.condition, true}, {s.alternative, true}});
        }
        return ways;
    }

    // ---- names that a schema does not list, one of which breaks its additionalProperties: one of those that the
    // branch lists, where it has no others

    bool split_others(const schema_branch& b, std::vector<schema_branch>& into) const {
        const auto broken = std::find_if(b.broken.begin(), b.broken.end(),
                                         [](const broken_assertion& w) { return w.what == kind::other_properties; });
        if (broken == b.broken.end()) return false;
        const schema_type& s = at(broken->of);
        schema_branch rest = b;
        rest.broken.erase(rest.broken.begin() + (broken - b.broken.begin()));
        const bool is_closed = std::any_of(b.whole.begin(), b.whole.end(), [&](schema_id id) {
            return at(id).other_properties != no_schema && at(at(id).other_properties).is_never &&
                   at(id).pattern_properties.empty();
        });
        if (!is_closed || !s.pattern_properties.empty()) {
            rest.problem =
                "the opposite of additionalProperties is not supported here, as not and an overlapping oneOf ask for";
            rest.problem_at = broken->of;
            into.push_back(std::move(rest));
            return true;
        }
        std::vector<text> names;
        for (const schema_id id : b.whole)
            for (const auto& p : at(id).properties)
                if (!has_name(names, p.name) && std::none_of(s.properties.begin(), s.properties.end(),
                                                             [&](const auto& own) { return own.name == p.name; }))
                    names.push_back(p.name);
        for (const text& name : names) {
            schema_branch one = rest;
            one.present.push_back(name);
            one.members.push_back({name, {s.other_properties, true}});
            if (!split_others(one, into)) into.push_back(std::move(one));
        }
        return true;
    }
    static bool has_name(const std::vector<text>& names, const text& name) noexcept {
        return std::any_of(names.begin(), names.end(), [&](const text& n) { return n == name; });
    }

    struct known_options {
        schema_id id;
        std::size_t group;
        std::vector<option> options;
    };

    Reader& reader_;
    list_numbers numbers_;
    std::vector<known_options> known_options_;  ///< of each oneOf that came before
};

}  // namespace riffle::detail
