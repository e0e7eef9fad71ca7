#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <riffle/constraint/forced_tokens.hpp>
#include <riffle/constraint/token_tree.hpp>
#include <riffle/constraint/vocabulary_trie.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// A text in the longest tokens, from the left, of those that leave a rest that can be spelt: where nobody gave the
/// model's own tokeniser. Empty where the text cannot be spelt.
template <class Trie>
class basic_longest_pieces {
public:
    explicit basic_longest_pieces(const Trie& trie) : trie_(trie) {}
    std::vector<token_id> operator()(const text& bytes) const {
        std::vector<piece> longest(bytes.size() + 1);  // behind so many bytes
        for (std::size_t i = bytes.size(); i-- > 0;) longest[i] = longest_at(bytes, i, longest);
        std::vector<token_id> spelt;
        for (std::size_t i = 0; i < bytes.size(); i += longest[i].length) {
            if (longest[i].length == 0) return {};
            spelt.push_back(longest[i].token);
        }
        return spelt;
    }

private:
    struct piece {
        token_id token = null_token;
        std::size_t length = 0;
    };
    piece longest_at(const text& bytes, std::size_t from, const std::vector<piece>& behind) const noexcept {
        const token_tree& tree = trie_.data()->tree();
        piece longest;
        std::size_t begin = 0, end = tree.nodes.size();
        for (std::size_t i = from; i < bytes.size(); ++i) {
            while (begin < end && tree.nodes[begin].byte() != std::uint8_t(bytes[i])) begin += tree.nodes[begin].size();
            if (begin >= end) break;
            const std::uint32_t token = tree.nodes[begin].token();
            const bool leaves_a_spelling = i + 1 == bytes.size() || behind[i + 1].length > 0;
            if (token != token_tree::no_token && leaves_a_spelling) longest = {token_id(token), i + 1 - from};
            end = begin + tree.nodes[begin].size();
            ++begin;
        }
        return longest;
    }

    const Trie& trie_;
};
using longest_pieces = basic_longest_pieces<vocabulary_trie>;

/// The tokens of some bytes in the middle of a text, as `tokenise` splits them; in the longest pieces where it spells
/// something else, or cannot.
template <class Tokenise>
std::vector<token_id> spelling_of(const vocabulary_trie& trie, Tokenise& tokenise, const std::string& bytes) {
    std::vector<token_id> spelt = tokens_in_text(trie, tokenise, bytes);
    text left(bytes);
    for (const token_id token : spelt) {
        const text piece = trie.piece(token);
        if (piece.empty() || !left.starts_with(piece)) return longest_pieces(trie)(text(bytes));
        left = left.part(piece.size());
    }
    if (!left.empty()) return longest_pieces(trie)(text(bytes));
    return spelt;
}

}  // namespace riffle::detail
