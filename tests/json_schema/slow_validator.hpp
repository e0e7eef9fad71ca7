#pragma once
// JSON schemas by the words of their specification, slow and plain, and without a line of the library's.

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace riffle_tests::slow {

/// Members keep their order.
using json = nlohmann::ordered_json;

// ---- numbers

/// A number in decimal digits, without zeros at either end: 0.digits times ten to the power of `exponent`. Zero has no
/// digits. Doubles round: 0.3 is no multiple of 0.1 in them.
class decimal {
public:
    explicit decimal(const json& number) {
        if (number.is_number_float()) {
            read(number.get<double>());
            return;
        }
        const bool is_negative = number.is_number_integer() && !number.is_number_unsigned() && number < 0;
        std::uint64_t magnitude = number.get<std::uint64_t>();
        if (is_negative) magnitude = ~magnitude + 1;
        set(is_negative, std::to_string(magnitude), 0);
    }
    bool is_whole() const { return exponent_ >= int(digits_.size()); }

    friend bool operator==(const decimal&, const decimal&) = default;
    friend bool operator<(const decimal& a, const decimal& b) {
        if (a.sign() != b.sign()) return a.sign() < b.sign();
        return a.is_negative_ ? b.magnitude_below(a) : a.magnitude_below(b);
    }
    /// Long division, a digit at a time: whether nothing is left.
    bool is_multiple_of(const decimal& divisor) const {
        if (digits_.empty()) return true;
        if (divisor.digits_.empty()) return false;
        // Both in units of the last place that either has.
        const int last_place = exponent_ - int(digits_.size());
        const int last_place_of_divisor = divisor.exponent_ - int(divisor.digits_.size());
        std::string dividend = digits_, by = divisor.digits_;
        if (last_place > last_place_of_divisor) dividend.append(std::size_t(last_place - last_place_of_divisor), '0');
        else by.append(std::size_t(last_place_of_divisor - last_place), '0');
        if (by.size() > dividend.size()) return false;
        std::string rest;
        for (const char digit : dividend) {
            if (!rest.empty() || digit != '0') rest += digit;
            while (rest.size() > by.size() || (rest.size() == by.size() && rest >= by)) subtract(rest, by);
        }
        return rest.empty();
    }

private:
    int sign() const { return digits_.empty() ? 0 : is_negative_ ? -1 : 1; }
    bool magnitude_below(const decimal& other) const {
        if (digits_.empty() || other.digits_.empty()) return digits_.empty() && !other.digits_.empty();
        return exponent_ != other.exponent_ ? exponent_ < other.exponent_ : digits_ < other.digits_;
    }
    /// Digits with the point ahead of the last `places` of them.
    void set(bool is_negative, std::string digits, int places) {
        exponent_ = int(digits.size()) - places;
        std::size_t zeros = 0;
        while (zeros < digits.size() && digits[zeros] == '0') ++zeros;
        digits.erase(0, zeros);
        exponent_ -= int(zeros);
        while (!digits.empty() && digits.back() == '0') digits.pop_back();
        if (digits.empty()) exponent_ = 0;
        is_negative_ = is_negative && !digits.empty();
        digits_ = std::move(digits);
    }
    /// The shortest digits that name the double: those that it was written with, up to 15 of them.
    void read(double value) {
        std::array<char, 64> buffer{};
        const std::to_chars_result end =
            std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific);
        const std::string_view all(buffer.data(), std::size_t(end.ptr - buffer.data()));
        const std::size_t e = all.find('e');
        std::string digits;
        for (const char c : all.substr(0, e))
            if (c >= '0' && c <= '9') digits += c;
        int power = 0;
        for (const char c : all.substr(e + 2)) power = power * 10 + (c - '0');
        if (all[e + 1] == '-') power = -power;
        const int places = int(digits.size()) - 1 - power;
        set(all[0] == '-', std::move(digits), places);
    }
    /// What is left of a number as long as the other one, or a digit longer, and not less.
    static void subtract(std::string& from, const std::string& what) {
        int borrowed = 0;
        for (std::size_t i = 0; i < from.size(); ++i) {
            char& digit = from[from.size() - 1 - i];
            int left = digit - '0' - borrowed - (i < what.size() ? what[what.size() - 1 - i] - '0' : 0);
            borrowed = left < 0 ? 1 : 0;
            if (left < 0) left += 10;
            digit = char('0' + left);
        }
        std::size_t zeros = 0;
        while (zeros < from.size() && from[zeros] == '0') ++zeros;
        from.erase(0, zeros);
    }

    bool is_negative_ = false;
    std::string digits_;
    int exponent_ = 0;
};

// ---- values

/// Equal as JSON: numbers by their value, objects in any order.
inline bool are_equal(const json& a, const json& b) {
    if (a.is_number() && b.is_number()) return decimal(a) == decimal(b);
    if (a.type() != b.type() || a.size() != b.size()) return false;
    if (a.is_array()) {
        for (std::size_t i = 0; i < a.size(); ++i)
            if (!are_equal(a[i], b[i])) return false;
        return true;
    }
    if (a.is_object()) {
        for (const auto& [name, value] : a.items())
            if (!b.contains(name) || !are_equal(value, b[name])) return false;
        return true;
    }
    return a == b;
}

/// The characters of a text in UTF-8. A wide character of 16 bits would not hold those beyond U+FFFF.
inline std::wstring characters_of(const std::string& utf8) {
    std::wstring all;
    for (std::size_t i = 0; i < utf8.size();) {
        const auto lead = std::uint8_t(utf8[i]);
        const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
        std::uint32_t c = length == 1 ? lead : std::uint32_t(lead & (0xFF >> (length + 1)));
        for (std::size_t k = 1; k < length && i + k < utf8.size(); ++k)
            c = c << 6 | (std::uint8_t(utf8[i + k]) & 0x3Fu);
        all += wchar_t(c);
        i += length;
    }
    return all;
}
/// A regular expression with its classes in full: what std::regex takes for a letter depends on the platform. (None of
/// them may be the opposite of a class within brackets.)
inline std::string without_classes(const std::string& pattern) {
    std::string all;
    bool is_in_brackets = false;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        const std::string two = pattern.substr(i, 2);
        const std::string digits = "0-9", letters = "0-9A-Z_a-z";
        if (two == "\\d") all += is_in_brackets ? digits : "[" + digits + "]";
        else if (two == "\\w") all += is_in_brackets ? letters : "[" + letters + "]";
        else if (two == "\\W") all += "[^" + letters + "]";
        else all += two[0] == '\\' ? two : two.substr(0, 1);
        if (two[0] == '[') is_in_brackets = true;
        if (two[0] == ']') is_in_brackets = false;
        if (two[0] == '\\') ++i;
    }
    return all;
}
/// Whether a regular expression matches somewhere in a text.
inline bool is_found(const std::string& pattern, const std::string& text) {
    static thread_local std::map<std::string, std::wregex> read;  // reading them takes most of the time
    auto at = read.find(pattern);
    if (at == read.end()) at = read.emplace(pattern, std::wregex(characters_of(without_classes(pattern)))).first;
    return std::regex_search(characters_of(text), at->second);
}

// ---- schemas

enum class schema_draft : std::uint8_t { draft4, draft6, draft7, draft2019, draft2020 };

inline schema_draft draft_of(const json& document) {
    if (!document.is_object() || !document.contains("$schema")) return schema_draft::draft2020;
    const auto name = document["$schema"].get<std::string>();
    const auto has = [&](std::string_view part) { return name.find(part) != std::string::npos; };
    return has("draft-04")   ? schema_draft::draft4
           : has("draft-06") ? schema_draft::draft6
           : has("draft-07") ? schema_draft::draft7
           : has("2019-09")  ? schema_draft::draft2019
                             : schema_draft::draft2020;
}

/// Whether a text is of a format. A validator without one takes all texts.
using format_check = bool (*)(std::string_view format, const std::string& text);

class validator {
public:
    explicit validator(const json& document, format_check format = nullptr)
        : document_(document), draft_(draft_of(document)), format_(format) {}

    bool validates(const json& instance) const { return is_valid(document_, instance); }

    bool is_valid(const json& schema, const json& instance) const {
        if (schema.is_boolean()) return schema.get<bool>();
        if (schema.contains("$ref")) {
            if (!is_valid(pointed_at(schema["$ref"].get<std::string>()), instance)) return false;
            if (draft_ <= schema_draft::draft7) return true;  // what stands beside it is ignored
        }
        return any_type_is_valid(schema, instance) && is_valid_in_place(schema, instance) &&
               (!instance.is_number() || number_is_valid(schema, instance)) &&
               (!instance.is_string() || string_is_valid(schema, instance.get<std::string>())) &&
               (!instance.is_array() || array_is_valid(schema, instance)) &&
               (!instance.is_object() || object_is_valid(schema, instance));
    }

private:
    bool is_since(schema_draft first) const { return draft_ >= first; }

    // ---- any instance

    bool is_of_type(const std::string& type, const json& instance) const {
        if (type == "null") return instance.is_null();
        if (type == "boolean") return instance.is_boolean();
        if (type == "string") return instance.is_string();
        if (type == "array") return instance.is_array();
        if (type == "object") return instance.is_object();
        if (type == "number") return instance.is_number();
        // "integer": by the value since draft 6, by the way that it is written in draft 4
        if (!instance.is_number()) return false;
        return is_since(schema_draft::draft6) ? decimal(instance).is_whole() : instance.is_number_integer();
    }
    bool any_type_is_valid(const json& schema, const json& instance) const {
        if (schema.contains("type")) {
            const json& type = schema["type"];
            bool found = false;
            if (type.is_string()) found = is_of_type(type.get<std::string>(), instance);
            else
                for (const json& each : type) found |= is_of_type(each.get<std::string>(), instance);
            if (!found) return false;
        }
        if (schema.contains("enum")) {
            bool found = false;
            for (const json& each : schema["enum"]) found |= are_equal(each, instance);
            if (!found) return false;
        }
        return !is_since(schema_draft::draft6) || !schema.contains("const") || are_equal(schema["const"], instance);
    }
    std::size_t count_valid(const json& schemas, const json& instance) const {
        std::size_t count = 0;
        for (const json& each : schemas) count += is_valid(each, instance) ? 1 : 0;
        return count;
    }
    /// What applies further schemas to the instance itself.
    bool is_valid_in_place(const json& schema, const json& instance) const {
        if (schema.contains("allOf") && count_valid(schema["allOf"], instance) != schema["allOf"].size()) return false;
        if (schema.contains("anyOf") && count_valid(schema["anyOf"], instance) == 0) return false;
        if (schema.contains("oneOf") && count_valid(schema["oneOf"], instance) != 1) return false;
        if (schema.contains("not") && is_valid(schema["not"], instance)) return false;
        if (is_since(schema_draft::draft7) && schema.contains("if")) {
            const char* const then = is_valid(schema["if"], instance) ? "then" : "else";
            if (schema.contains(then) && !is_valid(schema[then], instance)) return false;
        }
        return true;
    }

    // ---- numbers and strings

    bool number_is_valid(const json& schema, const json& instance) const {
        const decimal value(instance);
        const auto excludes = [&](const char* word) {  // draft 4: whether `minimum` itself is too small
            return draft_ == schema_draft::draft4 && schema.contains(word) && schema[word].get<bool>();
        };
        if (schema.contains("minimum")) {
            const decimal least(schema["minimum"]);
            if (value < least || (value == least && excludes("exclusiveMinimum"))) return false;
        }
        if (schema.contains("maximum")) {
            const decimal most(schema["maximum"]);
            if (most < value || (value == most && excludes("exclusiveMaximum"))) return false;
        }
        if (is_since(schema_draft::draft6)) {
            if (schema.contains("exclusiveMinimum") && !(decimal(schema["exclusiveMinimum"]) < value)) return false;
            if (schema.contains("exclusiveMaximum") && !(value < decimal(schema["exclusiveMaximum"]))) return false;
        }
        return !schema.contains("multipleOf") || value.is_multiple_of(decimal(schema["multipleOf"]));
    }
    bool string_is_valid(const json& schema, const std::string& text) const {
        const std::size_t length = characters_of(text).size();
        return !(schema.contains("minLength") && decimal(length) < decimal(schema["minLength"])) &&
               !(schema.contains("maxLength") && decimal(schema["maxLength"]) < decimal(length)) &&
               !(schema.contains("pattern") && !is_found(schema["pattern"].get<std::string>(), text)) &&
               !(schema.contains("format") && format_ && !format_(schema["format"].get<std::string>(), text));
    }

    // ---- arrays

    /// How many items, members or whatever there are, by the two words that bound their number.
    static bool is_number_in(const json& schema, const char* least, const char* most, std::size_t count) {
        return !(schema.contains(least) && decimal(count) < decimal(schema[least])) &&
               !(schema.contains(most) && decimal(schema[most]) < decimal(count));
    }
    bool array_is_valid(const json& schema, const json& array) const {
        if (!is_number_in(schema, "minItems", "maxItems", array.size())) return false;
        if (schema.contains("uniqueItems") && schema["uniqueItems"].get<bool>())
            for (std::size_t i = 0; i < array.size(); ++i)
                for (std::size_t k = 0; k < i; ++k)
                    if (are_equal(array[i], array[k])) return false;
        return items_are_valid(schema, array) && contains_is_valid(schema, array);
    }
    bool items_are_valid(const json& schema, const json& array) const {
        const bool is_new = is_since(schema_draft::draft2020);
        // The first items by their place, all others by one schema.
        const char* const first = is_new ? "prefixItems" : "items";
        const char* const rest = is_new ? "items" : "additionalItems";
        std::size_t count = 0;
        if (schema.contains(first) && schema[first].is_array()) {
            count = schema[first].size();
            for (std::size_t i = 0; i < count && i < array.size(); ++i)
                if (!is_valid(schema[first][i], array[i])) return false;
        } else if (!is_new) {  // `additionalItems` has no meaning without an array
            if (!schema.contains("items")) return true;
            for (const json& item : array)
                if (!is_valid(schema["items"], item)) return false;
            return true;
        }
        if (!schema.contains(rest)) return true;
        for (std::size_t i = count; i < array.size(); ++i)
            if (!is_valid(schema[rest], array[i])) return false;
        return true;
    }
    bool contains_is_valid(const json& schema, const json& array) const {
        if (!is_since(schema_draft::draft6) || !schema.contains("contains")) return true;
        std::size_t count = 0;
        for (const json& item : array) count += is_valid(schema["contains"], item) ? 1 : 0;
        const bool has_bounds = is_since(schema_draft::draft2019);
        if (!(has_bounds && schema.contains("minContains")) && count == 0) return false;
        return !has_bounds || is_number_in(schema, "minContains", "maxContains", count);
    }

    // ---- objects

    static bool has_all(const json& object, const json& names) {
        for (const json& name : names)
            if (!object.contains(name.get<std::string>())) return false;
        return true;
    }
    bool object_is_valid(const json& schema, const json& object) const {
        if (!is_number_in(schema, "minProperties", "maxProperties", object.size())) return false;
        if (schema.contains("required") && !has_all(object, schema["required"])) return false;
        if (is_since(schema_draft::draft6) && schema.contains("propertyNames"))
            for (const auto& [name, value] : object.items())
                if (!is_valid(schema["propertyNames"], name)) return false;
        for (const auto& [name, value] : object.items())
            if (!member_is_valid(schema, name, value)) return false;
        return dependencies_are_valid(schema, object);
    }
    bool member_is_valid(const json& schema, const std::string& name, const json& value) const {
        bool is_known = false;
        if (schema.contains("properties") && schema["properties"].contains(name)) {
            is_known = true;
            if (!is_valid(schema["properties"][name], value)) return false;
        }
        if (schema.contains("patternProperties"))
            for (const auto& [pattern, of_value] : schema["patternProperties"].items())
                if (is_found(pattern, name)) {
                    is_known = true;
                    if (!is_valid(of_value, value)) return false;
                }
        return is_known || !schema.contains("additionalProperties") || is_valid(schema["additionalProperties"], value);
    }
    bool dependencies_are_valid(const json& schema, const json& object) const {
        const auto holds = [&](const char* word) {
            if (!schema.contains(word)) return true;
            for (const auto& [name, what] : schema[word].items()) {
                if (!object.contains(name)) continue;
                if (what.is_array() ? !has_all(object, what) : !is_valid(what, object)) return false;
            }
            return true;
        };
        if (!is_since(schema_draft::draft2019)) return holds("dependencies");
        return holds("dependentRequired") && holds("dependentSchemas");
    }

    // ---- references

    /// What `#` and a JSON pointer stand for. There are no others.
    const json& pointed_at(const std::string& reference) const {
        const json* at = &document_;
        std::size_t begin = 1;
        while (begin < reference.size()) {
            const std::size_t slash = reference.find('/', begin + 1);
            const std::size_t end = slash == std::string::npos ? reference.size() : slash;
            const std::string name = unescaped(reference.substr(begin + 1, end - begin - 1));
            at = at->is_array() ? &(*at)[std::size_t(std::stoul(name))] : &(*at)[name];
            begin = end;
        }
        return *at;
    }
    static std::string unescaped(const std::string& name) {
        std::string all;
        for (std::size_t i = 0; i < name.size(); ++i) {
            if (name[i] == '%' && i + 2 < name.size()) {
                all += char(std::stoi(name.substr(i + 1, 2), nullptr, 16));
                i += 2;
            } else if (name[i] == '~' && i + 1 < name.size()) {
                all += name[++i] == '1' ? '/' : '~';
            } else {
                all += name[i];
            }
        }
        return all;
    }

    const json& document_;
    schema_draft draft_;
    format_check format_;
};

/// Whether an instance is valid by a schema that is a document of its own.
inline bool validates(const json& schema_document, const json& instance, format_check format = nullptr) {
    return validator(schema_document, format).validates(instance);
}

}  // namespace riffle_tests::slow
