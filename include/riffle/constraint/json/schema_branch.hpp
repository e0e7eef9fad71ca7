#pragma once
#include <cstdint>
#include <vector>

#include <riffle/constraint/json/schema.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// A schema, or what is left of all values without it.
struct schema_term {
    schema_id of;
    bool is_negated = false;

    std::uint32_t key() const noexcept { return of << 1 | std::uint32_t(is_negated); }
    static schema_term of_key(std::uint32_t key) noexcept { return {key >> 1, (key & 1) != 0}; }
    friend bool operator==(const schema_term&, const schema_term&) = default;
};
using schema_terms = std::vector<schema_term>;

/// An assertion of a schema that does not hold.
struct broken_assertion {
    enum class kind : std::uint8_t {
        constants,
        least_number,
        most_number,
        divisor,
        least_length,
        most_length,
        pattern,
        format,
        least_items,
        most_items,
        first_item,  ///< the one at a place
        items,       ///< some of those behind
        contains,
        least_properties,
        most_properties,
        other_properties,  ///< the value of some name that is neither listed nor matches a pattern
    };
    kind what;
    schema_id of;
    std::uint32_t index = 0;  ///< of several
};

/// One way in which a value can be in a set: it holds to the own assertions of some schemas, and breaks single ones of
/// others. Own are those that do not ask another schema about the value itself.
struct schema_branch {
    std::uint8_t types = type_any;
    std::vector<schema_id> whole;  ///< in the order in which they were met
    std::vector<broken_assertion> broken;
    struct member {
        text name;
        schema_term of;
    };
    std::vector<text> present, absent;  ///< names of properties
    std::vector<member> members;        ///< what values of properties must be besides
    /// What cannot be written down of it, and where that comes from: it is a problem unless constants say all.
    const char* problem = nullptr;
    schema_id problem_at = 0;

    /// Both at once. Schemas of `whole` are not looked through.
    void join(const schema_branch& other) {
        types &= other.types;
        broken.insert(broken.end(), other.broken.begin(), other.broken.end());
        present.insert(present.end(), other.present.begin(), other.present.end());
        absent.insert(absent.end(), other.absent.begin(), other.absent.end());
        members.insert(members.end(), other.members.begin(), other.members.end());
        if (!other.problem) return;
        problem = other.problem;
        problem_at = other.problem_at;
    }
};

}  // namespace riffle::detail
