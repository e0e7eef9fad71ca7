#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/constraint/token_tree.hpp>
#include <riffle/constraint/vocabulary_trie.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// A text in the longest tokens, from the left: where nobody gave the model's own tokeniser. Empty where a byte cannot
/// be spelt.
template <class Trie>
class basic_longest_pieces {
public:
    explicit basic_longest_pieces(const Trie& trie) : trie_(trie) {}
    std::vector<token_id> operator()(text bytes) const {
        std::vector<token_id> spelt;
        while (!bytes.empty()) {
            std::size_t length = 0;
            const token_id longest = longest_of(bytes, length);
            if (longest == null_token) return {};
            spelt.push_back(longest);
            bytes = bytes.part(length);
        }
        return spelt;
    }

private:
    token_id longest_of(const text& bytes, std::size_t& length) const noexcept {
        const token_tree& tree = trie_.data()->tree();
        token_id longest = null_token;
        std::size_t begin = 0, end = tree.nodes.size();
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            while (begin < end && tree.nodes[begin].byte() != std::uint8_t(bytes[i])) begin += tree.nodes[begin].size();
            if (begin >= end) break;
            if (const std::uint32_t token = tree.nodes[begin].token(); token != token_tree::no_token)
                longest = token_id(token), length = i + 1;
            end = begin + tree.nodes[begin].size();
            ++begin;
        }
        return longest;
    }

    const Trie& trie_;
};
using longest_pieces = basic_longest_pieces<vocabulary_trie>;

}  // namespace riffle::detail
