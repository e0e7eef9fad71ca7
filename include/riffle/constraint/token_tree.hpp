#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <riffle/core/text.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// The order of texts by their bytes, which are numbers from 0 to 255.
inline bool precedes(const text& a, const text& b) noexcept {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                        [](char x, char y) { return std::uint8_t(x) < std::uint8_t(y); });
}

/// The texts of tokens as a tree of their bytes, in the order in which it is walked: a node, then all below it.
template <class Id>
struct basic_token_tree {
    enum : std::uint32_t { no_token = 0xFFFFFF, most_nodes = 0xFFFFFF };
    enum : std::size_t { longest = 255 };  ///< bytes of a token in the tree

    struct node {
        std::uint32_t byte_and_token;  ///< the token whose text ends here; 24 bits, and the byte above them
        std::uint32_t depth_and_size;  ///< the nodes from here on that are below it, itself included; 24 bits, and the
                                       ///< bytes read with this one above them

        std::uint8_t byte() const noexcept { return std::uint8_t(byte_and_token >> 24); }
        std::uint32_t token() const noexcept { return byte_and_token & 0xFFFFFF; }
        std::uint32_t depth() const noexcept { return depth_and_size >> 24; }
        std::uint32_t size() const noexcept { return depth_and_size & 0xFFFFFF; }
    };
    /// Tokens of one text: one of them is in the tree.
    struct duplicate {
        Id token, in_tree;
    };

    std::vector<node> nodes;
    std::vector<duplicate> duplicates;
    std::vector<Id> tokens;               ///< in the order of their nodes
    std::vector<std::uint32_t> first_of;  ///< for each node, and the end: how many of them lie ahead of it
    std::size_t depth = 0;                ///< bytes of the longest token

    /// piece(id) is the text of a token; of 1 to 255 bytes. False where the tree would be too large.
    template <class Piece>
    bool build(const std::vector<Id>& of, Piece piece) {
        struct entry {
            std::uint64_t head;  ///< the first eight bytes, so that most comparisons are one of numbers
            Id id;
        };
        std::vector<entry> sorted;
        sorted.reserve(of.size());
        for (const Id id : of) sorted.push_back({head_of(piece(id)), id});
        std::sort(sorted.begin(), sorted.end(), [&](const entry& a, const entry& b) {
            if (a.head != b.head) return a.head < b.head;
            const text left = piece(a.id), right = piece(b.id);
            if (left == right) return a.id < b.id;
            return precedes(left, right);
        });
        nodes.reserve(2 * of.size());
        std::array<std::uint32_t, longest> path;  // the nodes that are open, of which the next token may share some
        std::size_t open = 0;
        const auto close_to = [&](std::size_t depth_left) {
            for (; open > depth_left; --open) {
                node& n = nodes[path[open - 1]];
                n.depth_and_size |= std::uint32_t(nodes.size()) - path[open - 1];
            }
        };
        text last;
        Id last_id = null_token;
        for (const entry& e : sorted) {
            const text bytes = piece(e.id);
            if (bytes == last) {
                duplicates.push_back({e.id, last_id});
                continue;
            }
            std::size_t shared = 0;
            while (shared < last.size() && shared < bytes.size() && last[shared] == bytes[shared]) ++shared;
            close_to(shared);
            if (nodes.size() + bytes.size() > most_nodes) return false;
            for (; open < bytes.size(); ++open) {
                path[open] = std::uint32_t(nodes.size());
                nodes.push_back(
                    {std::uint32_t(std::uint8_t(bytes[open])) << 24 | no_token, std::uint32_t(open + 1) << 24});
            }
            node& end = nodes[path[open - 1]];
            end.byte_and_token = (end.byte_and_token & 0xFF000000u) | std::uint32_t(e.id);
            depth = (std::max)(depth, bytes.size());
            last = bytes;
            last_id = e.id;
        }
        close_to(0);
        list_tokens();
        return true;
    }

    /// The node where these bytes end; nodes.size() where no token begins with them.
    std::size_t find(const text& bytes) const noexcept {
        std::size_t at = 0, end = nodes.size();
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            while (at < end && nodes[at].byte() != std::uint8_t(bytes[i])) at += nodes[at].size();
            if (at >= end) return nodes.size();
            if (i + 1 == bytes.size()) return at;
            end = at + nodes[at].size();
            ++at;
        }
        return nodes.size();
    }

private:
    void list_tokens() {
        first_of.reserve(nodes.size() + 1);
        for (const node& n : nodes) {
            first_of.push_back(std::uint32_t(tokens.size()));
            if (n.token() != no_token) tokens.push_back(Id(n.token()));
        }
        first_of.push_back(std::uint32_t(tokens.size()));
    }
    static std::uint64_t head_of(const text& bytes) noexcept {
        std::uint64_t head = 0;
        for (std::size_t i = 0; i < 8; ++i) head = head << 8 | (i < bytes.size() ? std::uint8_t(bytes[i]) : 0u);
        return head;
    }
};
using token_tree = basic_token_tree<token_id>;

}  // namespace riffle::detail
