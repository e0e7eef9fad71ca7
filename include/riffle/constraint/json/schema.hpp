#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <riffle/constraint/json/decimal.hpp>
#include <riffle/constraint/json/json_document.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// The kinds of values that schemas tell apart, as bits: integers are numbers without a fraction, whatever their
/// notation.
enum json_type : std::uint8_t {
    type_null = 1,
    type_boolean = 2,
    type_integer = 4,
    type_fraction = 8,  ///< a number that is no integer
    type_string = 16,
    type_array = 32,
    type_object = 64,
    type_number = type_integer | type_fraction,
    type_any = 127,
};

using schema_id = std::uint32_t;
enum : schema_id { no_schema = ~0u };

/// A schema's keywords, read. What holds for values of one type says nothing of others.
template <class String>
struct basic_schema {
    enum : std::uint32_t { unlimited = ~0u };
    using value_id = std::uint32_t;

    value_id source = 0;
    bool is_never = false;  ///< the schema `false`
    std::uint8_t types = type_any;
    bool has_constants = false;
    std::vector<value_id> constants;  ///< of enum and const

    // Numbers.
    struct bound {
        bool is_set = false, is_exclusive = false;
        basic_decimal<String> at;
    };
    bound least_number, most_number;
    bool has_divisor = false;
    basic_decimal<String> divisor;

    // Strings: lengths in characters.
    std::uint32_t least_length = 0, most_length = unlimited;
    struct pattern {
        value_id at;
        text source;
    };
    std::vector<pattern> patterns;
    std::vector<text> formats;

    // Arrays.
    std::vector<schema_id> first_items;
    schema_id items = no_schema, contains = no_schema;
    std::uint32_t least_items = 0, most_items = unlimited, least_contained = 1, most_contained = unlimited;
    bool has_different_items = false;

    // Objects.
    struct property {
        text name;
        schema_id of;
    };
    struct pattern_property {
        pattern names;
        schema_id of;
    };
    struct dependency {
        text name;
        std::vector<text> required;
        schema_id of = no_schema;
    };
    std::vector<property> properties;
    std::vector<pattern_property> pattern_properties;
    schema_id other_properties = no_schema, names = no_schema;
    std::vector<text> required;
    std::uint32_t least_properties = 0, most_properties = unlimited;
    std::vector<dependency> dependencies;

    // Schemas of the value itself.
    std::vector<schema_id> all_of;  ///< $ref among them
    std::vector<std::vector<schema_id>> any_of, one_of;
    std::vector<schema_id> none_of;
    schema_id condition = no_schema, consequence = no_schema, alternative = no_schema;

    /// Whether it says nothing but what schemas of the value itself say.
    bool has_own_assertions = false;
};
using schema = basic_schema<std::string>;

}  // namespace riffle::detail
