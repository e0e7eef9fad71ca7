#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/speculative.hpp>

// What lines and trees have in common.

inline std::size_t depth_of(const riffle::draft& line) { return line.size(); }
inline std::size_t depth_of(const riffle::draft_tree& tree) { return tree.deepest(); }

inline riffle::token_id token_at(const riffle::draft& line, std::int32_t node) { return line[std::size_t(node)]; }
inline riffle::token_id token_at(const riffle::draft_tree& tree, std::int32_t node) { return tree.token(node); }

inline std::int32_t parent_of(const riffle::draft&, std::int32_t node) { return node - 1; }
inline std::int32_t parent_of(const riffle::draft_tree& tree, std::int32_t node) { return tree.parent(node); }

/// For each token that a round gave, the row it was decided on.
template <class Draft>
std::vector<std::size_t> rows_of_tokens(const Draft& proposed, const riffle::verified& round) {
    std::vector<std::size_t> rows;
    for (std::int32_t n = round.node; n >= 0; n = parent_of(proposed, n)) rows.insert(rows.begin(), std::size_t(n + 1));
    rows.insert(rows.begin(), 0);
    rows.resize(round.tokens.size());
    return rows;
}
