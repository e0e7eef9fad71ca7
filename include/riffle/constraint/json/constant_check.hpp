#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <riffle/constraint/json/decimal.hpp>
#include <riffle/constraint/json/json_document.hpp>
#include <riffle/constraint/json/schema.hpp>
#include <riffle/constraint/json/string_languages.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Whether single values, those of enum and const, hold to schemas.
template <class Reader>
class constant_check {
public:
    using document = std::remove_cvref_t<decltype(std::declval<const Reader&>().document())>;
    using value_id = typename document::value_id;

    constant_check(const Reader& of, string_languages<>& languages) : reader_(of), languages_(languages) {}

    const document& document_of() const noexcept { return reader_.document(); }
    /// `is_listed`: it is known to be one of the schema's own constants.
    bool holds(schema_id id, value_id v, bool is_listed = false) {
        const auto& s = reader_.at(id);
        if (s.is_never || (s.types & type_of(v)) == 0) return false;
        if (s.has_constants && !is_listed && !is_one_of(s.constants, v)) return false;
        if (!holds_parts(s, [&](schema_id part) { return holds(part, v); })) return false;
        switch (document_of().kind(v)) {
        case json_kind::number: return holds_number(s, decimal(document_of().text_of(v)));
        case json_kind::string: return holds_string(s, document_of().text_of(v));
        case json_kind::array: return holds_array(s, v);
        case json_kind::object: return holds_object(s, v);
        default: return true;
        }
    }
    /// Of a string that is no value of the document: the name of a property.
    bool holds(schema_id id, const text& of) {
        const auto& s = reader_.at(id);
        if (s.is_never || (s.types & type_string) == 0) return false;
        if (s.has_constants && std::none_of(s.constants.begin(), s.constants.end(), [&](value_id c) {
                return document_of().is(c, json_kind::string) && document_of().text_of(c) == of;
            }))
            return false;
        return holds_parts(s, [&](schema_id part) { return holds(part, of); }) && holds_string(s, of);
    }
    std::uint8_t type_of(value_id v) const {
        switch (document_of().kind(v)) {
        case json_kind::null: return type_null;
        case json_kind::boolean: return type_boolean;
        case json_kind::number: return decimal(document_of().text_of(v)).is_integer() ? type_integer : type_fraction;
        case json_kind::string: return type_string;
        case json_kind::array: return type_array;
        default: return type_object;
        }
    }
    bool are_equal(value_id a, value_id b) const {
        return document_of().are_equal(a, b, [](const text& x, const text& y) { return decimal(x) == decimal(y); });
    }
    bool is_one_of(const std::vector<value_id>& all, value_id v) const {
        if (std::find(all.begin(), all.end(), v) != all.end()) return true;
        return std::any_of(all.begin(), all.end(), [&](value_id c) { return are_equal(c, v); });
    }

private:
    using schema_type = std::remove_cvref_t<decltype(std::declval<const Reader&>().at(0))>;

    /// The schemas of the value itself.
    template <class Holds>
    static bool holds_parts(const schema_type& s, Holds holds) {
        if (!std::all_of(s.all_of.begin(), s.all_of.end(), holds)) return false;
        for (const auto& group : s.any_of)
            if (std::none_of(group.begin(), group.end(), holds)) return false;
        for (const auto& group : s.one_of)
            if (std::count_if(group.begin(), group.end(), holds) != 1) return false;
        if (std::any_of(s.none_of.begin(), s.none_of.end(), holds)) return false;
        if (s.condition == no_schema) return true;
        const schema_id then = holds(s.condition) ? s.consequence : s.alternative;
        return then == no_schema || holds(then);
    }
    static bool holds_number(const schema_type& s, const decimal& n) {
        const int to_least = s.least_number.is_set ? compare(n, s.least_number.at) : 1;
        const int to_most = s.most_number.is_set ? compare(n, s.most_number.at) : -1;
        if (to_least < 0 || (to_least == 0 && s.least_number.is_exclusive)) return false;
        if (to_most > 0 || (to_most == 0 && s.most_number.is_exclusive)) return false;
        return !s.has_divisor || n.is_multiple_of(s.divisor);
    }
    bool holds_string(const schema_type& s, const text& of) {
        const std::size_t length = string_languages<>::count_of(of);
        if (length < s.least_length || length > s.most_length) return false;
        for (const auto& p : s.patterns)
            if (!languages_.contains(languages_.of_pattern(p.source), of)) return false;
        for (const text& f : s.formats)
            if (!languages_.contains(languages_.of_format(f), of)) return false;
        return true;
    }
    bool holds_array(const schema_type& s, value_id v) {
        const std::size_t count = document_of().count(v);
        if (count < s.least_items || count > s.most_items) return false;
        std::size_t contained = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const value_id item = document_of().item(v, i);
            const schema_id of = i < s.first_items.size() ? s.first_items[i] : s.items;
            if (of != no_schema && !holds(of, item)) return false;
            contained += s.contains != no_schema && holds(s.contains, item);
            for (std::size_t k = 0; s.has_different_items && k < i; ++k)
                if (are_equal(item, document_of().item(v, k))) return false;
        }
        return s.contains == no_schema || (contained >= s.least_contained && contained <= s.most_contained);
    }
    bool holds_object(const schema_type& s, value_id v) {
        const std::size_t count = document_of().count(v);
        if (count < s.least_properties || count > s.most_properties) return false;
        const auto has = [&](const text& name) { return document_of().find(v, name) != document::none; };
        if (!std::all_of(s.required.begin(), s.required.end(), has)) return false;
        for (std::size_t i = 0; i < count; ++i) {
            const auto m = document_of().member_at(v, i);
            if (s.names != no_schema && !holds(s.names, m.name)) return false;
            bool is_other = true;
            for (const auto& p : s.properties) {
                if (!(p.name == m.name)) continue;
                is_other = false;
                if (!holds(p.of, m.value)) return false;
            }
            for (const auto& p : s.pattern_properties) {
                if (!languages_.contains(languages_.of_pattern(p.names.source), m.name)) continue;
                is_other = false;
                if (!holds(p.of, m.value)) return false;
            }
            if (is_other && s.other_properties != no_schema && !holds(s.other_properties, m.value)) return false;
        }
        for (const auto& d : s.dependencies) {
            if (!has(d.name)) continue;
            if (!std::all_of(d.required.begin(), d.required.end(), has)) return false;
            if (d.of != no_schema && !holds(d.of, v)) return false;
        }
        return true;
    }

    const Reader& reader_;
    string_languages<>& languages_;
};

}  // namespace riffle::detail
