#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <riffle/constraint/json/branch_parts.hpp>
#include <riffle/constraint/json/constant_check.hpp>
#include <riffle/constraint/json/decimal.hpp>
#include <riffle/constraint/json/number_automaton.hpp>
#include <riffle/constraint/json/schema.hpp>
#include <riffle/constraint/json/schema_branch.hpp>
#include <riffle/constraint/json/schema_sets.hpp>
#include <riffle/constraint/json/string_languages.hpp>
#include <riffle/constraint/numbering.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Branches, a type at a time: what all the schemas of one say of strings, of objects and so on.
template <class Reader>
class schema_boxes : public schema_sets<Reader> {
public:
    using base = schema_sets<Reader>;
    using check = constant_check<Reader>;
    using value_id = typename check::value_id;

    explicit schema_boxes(Reader& reader) : base(reader), constants_(reader, languages_) {}
    string_languages<>& languages() noexcept { return languages_; }
    check& constants() noexcept { return constants_; }

    // ---- constants

    /// Whether a branch has a list of constants: it is a part of that.
    static bool has_constants(const Reader& reader, const schema_branch& b) {
        return std::any_of(b.whole.begin(), b.whole.end(), [&](schema_id s) { return reader.at(s).has_constants; });
    }
    /// The constants of a branch that are in its set.
    std::vector<value_id> constants_of(const schema_branch& b, std::uint32_t set) {
        std::vector<value_id> all;
        const std::vector<value_id>* shortest = nullptr;
        for (const schema_id s : b.whole)
            if (at(s).has_constants && (!shortest || at(s).constants.size() < shortest->size()))
                shortest = &at(s).constants;
        const schema_terms terms = base::terms_of(set);
        for (std::size_t i = 0; shortest && i < shortest->size(); ++i) {
            const value_id v = (*shortest)[i];
            const bool is_in = std::all_of(terms.begin(), terms.end(), [&](const schema_term& t) {
                return constants_.holds(t.of, v, &at(t.of).constants == shortest) != t.is_negated;
            });
            if (is_in) all.push_back(v);
        }
        return all;
    }

    // ---- numbers

    number_set numbers_of(const schema_branch& b) const {
        number_set n;
        n.has_integers = (b.types & type_integer) != 0;
        n.has_fractions = (b.types & type_fraction) != 0;
        for (const schema_id id : b.whole) {
            const auto& s = at(id);
            if (s.least_number.is_set) n.least.push_back({s.least_number.at, s.least_number.is_exclusive});
            if (s.most_number.is_set) n.most.push_back({s.most_number.at, s.most_number.is_exclusive});
            if (s.has_divisor) n.divisors.push_back({s.divisor, false});
        }
        for (const broken_assertion& w : b.broken) {
            const auto& s = at(w.of);
            if (w.what == kind::least_number) n.most.push_back({s.least_number.at, !s.least_number.is_exclusive});
            if (w.what == kind::most_number) n.least.push_back({s.most_number.at, !s.most_number.is_exclusive});
            if (w.what == kind::divisor) n.divisors.push_back({s.divisor, true});
            for (std::size_t i = 0; w.what == kind::constants && i < s.constants.size(); ++i)
                if (document().is(s.constants[i], json_kind::number))
                    n.excluded.push_back(decimal(document().text_of(s.constants[i])));
        }
        keep_narrowest(n.least, true);
        keep_narrowest(n.most, false);
        return n;
    }

    // ---- strings

    /// False where there is a problem.
    bool find_strings(const schema_branch& b, string_set& into) {
        for (const schema_id id : b.whole)
            if (!add_strings(id, into)) return false;
        for (const broken_assertion& w : b.broken) {
            const auto& s = at(w.of);
            if (w.what == kind::least_length) into.most = (std::min)(into.most, s.least_length - 1);
            if (w.what == kind::most_length) into.least = (std::max)(into.least, s.most_length + 1);
            if (w.what == kind::pattern &&
                !add_language(languages_.of_pattern(s.patterns[w.index].source), true, s.patterns[w.index].at, into))
                return false;
            if (w.what == kind::format && !add_language(languages_.of_format(s.formats[w.index]), true, s.source, into))
                return false;
            for (std::size_t i = 0; w.what == kind::constants && i < s.constants.size(); ++i)
                if (document().is(s.constants[i], json_kind::string))
                    into.excluded.push_back(document().text_of(s.constants[i]));
        }
        return true;
    }

    // ---- arrays

    array_set arrays_of(const schema_branch& b) {
        array_set a;
        std::size_t places = 0;
        for (const schema_id id : b.whole) places = (std::max)(places, at(id).first_items.size());
        for (const broken_assertion& w : b.broken)
            if (w.what == kind::first_item) places = (std::max)(places, std::size_t{w.index} + 1);
        std::vector<schema_terms> first(places);
        schema_terms rest;
        for (const schema_id id : b.whole) {
            const auto& s = at(id);
            for (std::size_t i = 0; i < places; ++i) {
                const schema_id of = i < s.first_items.size() ? s.first_items[i] : s.items;
                if (of != no_schema) first[i].push_back({of, false});
            }
            if (s.items != no_schema) rest.push_back({s.items, false});
            a.least = (std::max)(a.least, s.least_items);
            a.most = (std::min)(a.most, s.most_items);
            a.are_different |= s.has_different_items;
            if (s.contains != no_schema)
                a.contains.push_back({base::set_of({{s.contains, false}}), s.least_contained, s.most_contained});
        }
        for (const broken_assertion& w : b.broken) {
            const auto& s = at(w.of);
            if (w.what == kind::least_items) a.most = (std::min)(a.most, s.least_items - 1);
            if (w.what == kind::most_items) a.least = (std::max)(a.least, s.most_items + 1);
            if (w.what == kind::first_item) {
                first[w.index].push_back({s.first_items[w.index], true});
                a.least = (std::max)(a.least, w.index + 1);
            }
            if (w.what == kind::items && at(w.of).first_items.empty())
                a.contains.push_back({base::set_of({{s.items, true}}), 1, ~0u});
            if (w.what == kind::contains) {
                for (auto& terms : first) terms.push_back({s.contains, true});
                rest.push_back({s.contains, true});
            }
        }
        for (const schema_terms& terms : first) a.first.push_back(base::set_of(terms));
        a.rest = base::set_of(rest);
        count_contained(a);
        return a;
    }
    /// As many items as are contained there are at least; all of them are in the set of all values.
    void count_contained(array_set& a) const {
        for (const auto& c : a.contains) {
            a.least = c.least > c.most ? ~0u : (std::max)(a.least, c.least);
            if (base::terms_of(c.set).empty()) a.most = (std::min)(a.most, c.most);
        }
        if (a.least == ~0u) a.most = 0;  // no array has more than it may
        std::erase_if(a.contains, [&](const array_set::contained& c) {
            return base::terms_of(c.set).empty() || (c.least == 0 && c.most >= a.most);
        });
    }
    /// The schema of which a branch breaks `items`, though it has items of their own place, too: then not all items
    /// count.
    schema_id with_broken_later_items(const schema_branch& b) const {
        for (const broken_assertion& w : b.broken)
            if (w.what == kind::items && !at(w.of).first_items.empty()) return w.of;
        return no_schema;
    }

    // ---- objects

    /// False where there is a problem.
    bool find_objects(const schema_branch& b, object_set& into) {
        text_numbers names;
        std::vector<schema_terms> terms;
        std::vector<std::uint8_t> is_required;
        const auto number_of = [&](const text& name) {
            const std::uint32_t n = names.number_of(name);
            if (n == terms.size()) {
                terms.emplace_back();
                is_required.push_back(0);
            }
            return n;
        };
        for (const schema_id id : b.whole)
            for (const auto& p : at(id).properties) number_of(p.name);
        for (const schema_id id : b.whole)
            for (const text& name : at(id).required) is_required[number_of(name)] = 1;
        for (const text& name : b.present) is_required[number_of(name)] = 1;
        for (const schema_id id : b.whole)
            if (at(id).names != no_schema) add_names(at(id).names, number_of);

        std::vector<std::uint8_t> is_listed;
        for (const schema_id id : b.whole) {
            const auto& s = at(id);
            is_listed.assign(names.count(), 0);
            for (const auto& p : s.properties) {
                const std::uint32_t n = names.number_of(p.name);
                terms[n].push_back({p.of, false});
                is_listed[n] = 1;
            }
            for (const auto& p : s.pattern_properties) {
                const std::uint32_t language = languages_.of_pattern(p.names.source);
                if (!can_be_used(language, p.names.at)) return false;
                for (std::uint32_t n = 0; n < names.count(); ++n) {
                    if (!languages_.contains(language, names[n])) continue;
                    terms[n].push_back({p.of, false});
                    is_listed[n] = 1;
                }
            }
            for (std::uint32_t n = 0; s.other_properties != no_schema && n < names.count(); ++n)
                if (!is_listed[n]) terms[n].push_back({s.other_properties, false});
            into.least = (std::max)(into.least, s.least_properties);
            into.most = (std::min)(into.most, s.most_properties);
            if (s.names != no_schema) into.of_names.push_back(s.names);
        }
        for (const broken_assertion& w : b.broken) {
            const auto& s = at(w.of);
            if (w.what == kind::least_properties) into.most = (std::min)(into.most, s.least_properties - 1);
            if (w.what == kind::most_properties) into.least = (std::max)(into.least, s.most_properties + 1);
        }
        for (const auto& m : b.members) terms[number_of(m.name)].push_back(m.of);
        into.of_others = b.whole;
        into.absent = b.absent;
        for (std::uint32_t n = 0; n < names.count(); ++n) {
            const bool is_absent =
                std::any_of(b.absent.begin(), b.absent.end(), [&](const text& t) { return t == names[n]; });
            const bool is_name = std::all_of(into.of_names.begin(), into.of_names.end(),
                                             [&](schema_id s) { return constants_.holds(s, names[n]); });
            if (is_absent || !is_name) {
                if (is_required[n]) into.least = ~0u;  // and so nothing is left
                if (!is_absent) into.absent.push_back(names[n]);
                continue;
            }
            into.members.push_back({names[n], base::set_of(terms[n]), is_required[n] != 0});
        }
        return true;
    }
    /// What the schemas of an object say of a name that is not listed. `matches(pattern)`: whether it does.
    template <class Matches>
    schema_terms terms_of_others(const object_set& o, Matches matches) const {
        schema_terms terms;
        for (const schema_id id : o.of_others) {
            bool is_other = true;
            for (const auto& p : at(id).pattern_properties) {
                if (!matches(p.names)) continue;
                is_other = false;
                terms.push_back({p.of, false});
            }
            if (is_other && at(id).other_properties != no_schema) terms.push_back({at(id).other_properties, false});
        }
        return terms;
    }
    /// A language of which no automaton can be made is a problem, or with `lenient` none.
    bool can_be_used(std::uint32_t language, value_id at_value) {
        if (languages_[language].problem.empty() && languages_.automaton(language)) return true;
        return base::reader().refuse(at_value, "this pattern cannot be used: " + languages_[language].problem);
    }

protected:
    ~schema_boxes() = default;
    const auto& at(schema_id id) const noexcept { return base::reader().at(id); }

private:
    using kind = broken_assertion::kind;

    const auto& document() const noexcept { return constants_.document_of(); }

    template <class Bound>
    static void keep_narrowest(std::vector<Bound>& bounds, bool is_least) {
        if (bounds.empty()) return;
        Bound narrowest = bounds[0];
        for (const Bound& b : bounds) {
            const int order = compare(b.at, narrowest.at);
            if (order == 0) narrowest.is_exclusive |= b.is_exclusive;
            else if ((order > 0) == is_least) narrowest = b;
        }
        bounds.assign(1, narrowest);
    }
    bool add_language(std::uint32_t language, bool is_negated, value_id at_value, string_set& to) {
        if (!languages_[language].problem.empty())
            return base::reader().refuse(at_value, "this pattern cannot be read: " + languages_[language].problem);
        const string_set::part part{language, is_negated};
        if (std::find(to.languages.begin(), to.languages.end(), part) == to.languages.end())
            to.languages.push_back(part);
        return true;
    }
    bool add_strings(schema_id id, string_set& to) {
        const auto& s = at(id);
        to.least = (std::max)(to.least, s.least_length);
        to.most = (std::min)(to.most, s.most_length);
        for (const auto& p : s.patterns)
            if (!add_language(languages_.of_pattern(p.source), false, p.at, to)) return false;
        for (const text& f : s.formats) {
            const std::uint32_t language = languages_.of_format(f);
            to.most = (std::min)(to.most, languages_[language].most_characters);
            if (!add_language(language, false, s.source, to)) return false;
        }
        return true;
    }
    /// Names that propertyNames lists.
    template <class Add>
    void add_names(schema_id id, Add& add) const {
        for (const value_id v : at(id).constants)
            if (document().is(v, json_kind::string)) add(document().text_of(v));
        for (const schema_id part : at(id).all_of) add_names(part, add);
        for (const auto* const groups : {&at(id).any_of, &at(id).one_of})
            for (const auto& group : *groups)
                for (const schema_id part : group) add_names(part, add);
    }

    string_languages<> languages_;
    check constants_;
};

}  // namespace riffle::detail
