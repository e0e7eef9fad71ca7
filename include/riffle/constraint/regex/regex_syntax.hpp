#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <riffle/constraint/code_points.hpp>
#include <riffle/constraint/walks.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// What a piece of a regular expression matches.
enum class regex_kind : std::uint8_t {
    characters,    ///< one character of a set
    sequence,      ///< its parts one behind the other; none: the empty text
    alternatives,  ///< one of its parts
    repetition,    ///< its one part, so many times
    text_begin,    ///< ^
    text_end,      ///< $
    word_boundary,
    not_word_boundary,  ///< \b and \B
    ahead,
    not_ahead,  ///< (?=...) and (?!...)
};

/// A regular expression as a tree.
template <class Set>
struct basic_regex {
    enum : std::uint32_t { unlimited = walk::unlimited };

    struct node {
        regex_kind kind = regex_kind::sequence;
        std::uint32_t first = 0;  ///< characters: the set; else: of the list of parts
        std::uint32_t count = 0;  ///< parts
        std::uint32_t least = 0, most = 0;
    };
    using node_id = std::uint32_t;

    std::vector<node> nodes;
    std::vector<node_id> parts;
    std::vector<Set> sets;
    node_id root = 0;

    const node& at(node_id id) const noexcept { return nodes[id]; }
    node_id part(const node& of, std::size_t i) const noexcept { return parts[of.first + i]; }
    bool is_empty(node_id id) const noexcept { return at(id).kind == regex_kind::sequence && at(id).count == 0; }

    node_id add(regex_kind kind) {
        nodes.push_back({kind, std::uint32_t(parts.size()), 0, 0, 0});
        return node_id(nodes.size() - 1);
    }
    node_id add_characters(Set set) {
        nodes.push_back({regex_kind::characters, std::uint32_t(sets.size()), 0, 0, 0});
        sets.push_back(std::move(set));
        return node_id(nodes.size() - 1);
    }
    /// A sequence or alternatives of one part is that part.
    node_id add_list(regex_kind kind, const std::vector<node_id>& of) {
        if (of.size() == 1 && (kind == regex_kind::sequence || kind == regex_kind::alternatives)) return of[0];
        const node_id made = add(kind);
        nodes[made].count = std::uint32_t(of.size());
        parts.insert(parts.end(), of.begin(), of.end());
        return made;
    }
    node_id add_repetition(node_id of, std::uint32_t least, std::uint32_t most) {
        const node_id made = add_list(regex_kind::repetition, {of});
        nodes[made].least = least;
        nodes[made].most = most;
        return made;
    }
};
using regex = basic_regex<code_point_set>;

}  // namespace riffle::detail
