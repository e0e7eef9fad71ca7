#pragma once
#include <cstdint>
#include <vector>

#include <riffle/constraint/json/schema.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// What a branch says of strings.
struct string_set {
    struct part {
        std::uint32_t language;
        bool is_negated;
        friend bool operator==(const part&, const part&) = default;
    };
    std::uint32_t least = 0, most = ~0u;  ///< characters
    std::vector<part> languages;
    std::vector<text> excluded;
    friend bool operator==(const string_set&, const string_set&) = default;
};
/// What it says of arrays. Items are sets.
struct array_set {
    struct contained {
        std::uint32_t set;
        std::uint32_t least, most;
    };
    std::vector<std::uint32_t> first;
    std::uint32_t rest = 0;
    std::uint32_t least = 0, most = ~0u;
    std::vector<contained> contains;
    bool are_different = false;
};
/// What it says of objects.
struct object_set {
    struct member {
        text name;
        std::uint32_t set = 0;
        bool is_required = false;
    };
    std::vector<member> members;       ///< that are listed, in the order in which they are written
    std::vector<text> absent;          ///< listed too, but not allowed
    std::vector<schema_id> of_others;  ///< what says something of all other names
    std::vector<schema_id> of_names;   ///< what names must be
    std::uint32_t least = 0, most = ~0u;
};

}  // namespace riffle::detail
