#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/constraint/json/branch_parts.hpp>
#include <riffle/constraint/json/decimal.hpp>
#include <riffle/constraint/json/schema.hpp>
#include <riffle/constraint/json/schema_boxes.hpp>
#include <riffle/constraint/json/schema_branch.hpp>
#include <riffle/constraint/regex/automaton_operations.hpp>
#include <riffle/constraint/regex/character_automaton.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// The types of which a set may have values. It looks a few values deep: a type that is missing has none, one that is
/// there may have none after all. (So options of oneOf are told apart.)
template <class Reader>
class schema_types final : public schema_boxes<Reader> {
public:
    using base = schema_boxes<Reader>;
    using value_id = typename base::value_id;

    using base::base;

    bool find_types(std::uint32_t set, std::uint8_t& types) override {
        types = type_any;
        if (set == base::all_values || depth_ == most_depth) return true;
        if (set >= types_.size()) types_.resize(base::count(), not_known);
        if (types_[set] == not_known) {
            types_[set] = type_any;  // what asks for itself on the way is not known to be empty
            ++depth_;
            const bool is_good = find_types_of_branches(set, types);
            --depth_;
            if (!is_good) return false;
            types_[set] = types;
        }
        types = types_[set];
        return true;
    }

private:
    enum : int { most_depth = 8 };             ///< values within values that are looked at
    enum : std::uint8_t { not_known = 0xFF };  ///< see types_

    bool find_types_of_branches(std::uint32_t set, std::uint8_t& types) {
        std::vector<schema_branch> branches;
        if (!base::find_branches(set, branches)) return false;
        types = 0;
        for (const schema_branch& b : branches) {
            if (base::has_constants(base::reader(), b)) {
                for (const value_id v : base::constants_of(b, set))
                    types = std::uint8_t(types | base::constants().type_of(v));
                continue;
            }
            for (std::uint8_t type = 1; type <= type_object; type = std::uint8_t(type << 1)) {
                bool is_empty = false;
                if ((b.types & type) == 0 || (types & type) != 0) continue;
                if (!find_whether_type_is_empty(b, type, is_empty)) return false;
                if (!is_empty) types = std::uint8_t(types | type);
            }
        }
        return true;
    }
    bool find_whether_empty(std::uint32_t set, bool& is_empty) {
        std::uint8_t types = 0;
        if (!find_types(set, types)) return false;
        is_empty = types == 0;
        return true;
    }
    bool find_whether_type_is_empty(const schema_branch& b, std::uint8_t type, bool& is_empty) {
        is_empty = false;
        switch (type) {
        case type_integer:
        case type_fraction: {
            const number_set n = base::numbers_of(b);
            if (n.least.empty() || n.most.empty()) return true;
            const int order = compare(n.least[0].at, n.most[0].at);
            is_empty = order > 0 || (order == 0 && (n.least[0].is_exclusive || n.most[0].is_exclusive));
            return true;
        }
        case type_string: {
            string_set s;
            if (!base::find_strings(b, s)) return false;
            is_empty = s.least > s.most || have_no_text(s);
            return true;
        }
        case type_array: {
            const array_set a = base::arrays_of(b);
            is_empty = a.least > a.most;
            for (std::size_t i = 0; i < a.least && i <= a.first.size() && !is_empty; ++i)
                if (!find_whether_empty(i < a.first.size() ? a.first[i] : a.rest, is_empty)) return false;
            return true;
        }
        case type_object: {
            object_set o;
            if (!base::find_objects(b, o)) return false;
            is_empty = o.least > o.most || o.least == ~0u;
            for (const auto& m : o.members) {
                if (is_empty) return true;
                if (m.is_required && !find_whether_empty(m.set, is_empty)) return false;
            }
            return true;
        }
        default: return true;
        }
    }
    /// Whether the languages of some strings have no text in common.
    bool have_no_text(const string_set& s) {
        if (s.languages.size() < 2) return false;
        std::vector<const character_automaton*> all;
        std::uint64_t required = 0;
        for (const auto& part : s.languages) {
            const character_automaton* const a = base::languages().automaton(part.language);
            if (!a || all.size() == 64) return false;
            if (!part.is_negated) required |= std::uint64_t{1} << all.size();
            all.push_back(a);
        }
        character_automaton both;
        const auto label_of = [&](std::uint64_t bits) { return std::uint32_t(bits == required); };
        return combine(all, required, label_of, 4096, both) && both.empty();
    }

    std::vector<std::uint8_t> types_;  ///< of each set, that it may have values of
    int depth_ = 0;
};

}  // namespace riffle::detail
