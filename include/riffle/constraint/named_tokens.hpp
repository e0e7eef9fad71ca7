#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/constraint/expressions.hpp>
#include <riffle/constraint/token_tree.hpp>
#include <riffle/core/byte_set.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// The tokens that references name, one for each reference; null_token for those that name none, or give an
/// id. Of several tokens with one text it is a control token, else the first. One pass over the vocabulary, whatever
/// the number of references.
template <class Trie>
std::vector<token_id> find_named_tokens(const std::vector<token_reference>& references, const Trie& trie) {
    std::vector<token_id> found(references.size(), null_token);
    std::vector<std::uint32_t> by_name;
    for (std::uint32_t i = 0; i < references.size(); ++i)
        if (!references[i].name.empty()) by_name.push_back(i);
    if (by_name.empty()) return found;
    std::sort(by_name.begin(), by_name.end(),
              [&](std::uint32_t a, std::uint32_t b) { return precedes(references[a].name, references[b].name); });
    byte_set first;
    for (const std::uint32_t i : by_name) first.add(std::uint8_t(references[i].name[0]));
    for (std::size_t i = 0; i < trie.size(); ++i) {
        const auto id = token_id(i);
        const text piece = trie.piece(id);
        if (piece.empty() || !first.contains(std::uint8_t(piece[0]))) continue;
        auto at = std::lower_bound(by_name.begin(), by_name.end(), piece, [&](std::uint32_t reference, const text& p) {
            return precedes(references[reference].name, p);
        });
        for (; at != by_name.end() && text(references[*at].name) == piece; ++at)
            if (found[*at] == null_token || (trie.is_control(id) && !trie.is_control(found[*at]))) found[*at] = id;
    }
    return found;
}

}  // namespace riffle::detail
