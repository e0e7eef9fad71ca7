#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <riffle/constraint/shared_pointer.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// What copies of a token_trie share: for each descriptor a tree of tokens. The children of a node lie side by side, in
/// ascending order, so that they are a list of legal tokens as they are.
template <class String>
class basic_token_trie_data : public shared_object {
public:
    using node_id = std::uint32_t;
    enum : std::uint32_t { no_leaf = ~0u };
    /// A mark has 24 bits for a node and 20 for a descriptor.
    enum : std::size_t { most_nodes = (1u << 24) - 1, most_descriptors = (1u << 20) - 2 };

    /// One value, and one way to spell it.
    struct entry {
        String name;
        std::vector<token_id> tokens;
    };
    struct descriptor {
        String path;
        node_id root = 0;
        std::vector<String> names;  ///< of the leaves, ascending by their bytes
    };
    /// A name that has the tokens of another one.
    struct alias {
        node_id node;
        std::uint32_t leaf;
    };

    String model;
    std::int32_t vocabulary_size = 0;
    std::vector<descriptor> descriptors;
    std::vector<alias> aliases;  ///< ascending by node

    /// Adds a descriptor; false where the whole becomes too large. Entries without tokens have to be left out.
    bool add(String path, std::vector<entry> entries) {
        if (descriptors.size() == most_descriptors) return false;
        descriptor d;
        d.path = std::move(path);
        d.root = node_id(tokens_.size());
        for (const entry& e : entries) d.names.push_back(e.name);
        std::sort(d.names.begin(), d.names.end());
        d.names.erase(std::unique(d.names.begin(), d.names.end()), d.names.end());
        std::sort(entries.begin(), entries.end(), [](const entry& a, const entry& b) {
            return a.tokens != b.tokens ? a.tokens < b.tokens : a.name < b.name;
        });
        descriptors.push_back(std::move(d));
        return build(entries);
    }

    // ---- nodes

    std::size_t size() const noexcept { return tokens_.size() - descriptors.size(); }
    /// Of the nodes alone.
    std::size_t node_bytes() const noexcept {
        return tokens_.size() * (sizeof(token_id) + sizeof(node_id) + sizeof(std::uint32_t));
    }
    /// Of all of it.
    std::size_t bytes() const noexcept {
        std::size_t all = sizeof *this + node_bytes() + aliases.size() * sizeof(alias) + model.size();
        for (const descriptor& d : descriptors) {
            all += sizeof d + d.path.size();
            for (const String& name : d.names) all += sizeof name + name.size();
        }
        return all;
    }
    /// The tokens that go on from a node, ascending.
    std::span<const token_id> children(node_id of) const noexcept {
        return {tokens_.data() + first_[of], std::size_t{first_[of + 1]} - first_[of]};
    }
    /// The node that a token leads to; the node itself where it leads nowhere.
    node_id child(node_id of, token_id token) const noexcept {
        const std::span<const token_id> all = children(of);
        const auto found = std::lower_bound(all.begin(), all.end(), token);
        return found != all.end() && *found == token ? first_[of] + node_id(found - all.begin()) : of;
    }
    /// The leaf that ends here, of equal ones the one with the smallest name; no_leaf.
    std::uint32_t leaf(node_id at) const noexcept { return leaf_[at]; }
    /// Whether it is one: not beyond, and not what stands behind the nodes of a descriptor.
    bool is_node(node_id n) const noexcept {
        return n < tokens_.size() && (tokens_[n] != null_token || descriptors[descriptor_of(n)].root == n);
    }
    /// All nodes are below.
    node_id node_end() const noexcept { return node_id(tokens_.size()); }
    /// The descriptor that a node belongs to.
    std::size_t descriptor_of(node_id n) const noexcept {
        const auto behind = std::upper_bound(descriptors.begin(), descriptors.end(), n,
                                             [](node_id at, const descriptor& d) { return at < d.root; });
        return std::size_t(behind - descriptors.begin()) - 1;
    }

    /// The names beside leaf(at) of the tokens up to a node.
    std::span<const alias> aliases_at(node_id at) const noexcept {
        const auto is_ahead = [](const alias& a, node_id n) { return a.node < n; };
        const auto first = std::lower_bound(aliases.begin(), aliases.end(), at, is_ahead);
        return {first, std::lower_bound(first, aliases.end(), at + 1, is_ahead)};
    }

    /// Where a name stands among those of a descriptor.
    static std::uint32_t number_of(const descriptor& d, const String& name) noexcept {
        return std::uint32_t(std::lower_bound(d.names.begin(), d.names.end(), name) - d.names.begin());
    }
    /// Whether both constrain in the same way, and call everything alike.
    friend bool are_alike(const basic_token_trie_data& a, const basic_token_trie_data& b) {
        const auto is_like = [](const descriptor& one, const descriptor& other) {
            return one.path == other.path && one.root == other.root && one.names == other.names;
        };
        const auto is_like_alias = [](const alias& one, const alias& other) {
            return one.node == other.node && one.leaf == other.leaf;
        };
        return a.model == b.model && a.vocabulary_size == b.vocabulary_size && a.tokens_ == b.tokens_ &&
               a.first_ == b.first_ && a.leaf_ == b.leaf_ &&
               std::equal(a.descriptors.begin(), a.descriptors.end(), b.descriptors.begin(), b.descriptors.end(),
                          is_like) &&
               std::equal(a.aliases.begin(), a.aliases.end(), b.aliases.begin(), b.aliases.end(), is_like_alias);
    }

private:
    /// Level by level: the entries below a node stand together.
    bool build(const std::vector<entry>& entries) {
        struct below {
            std::size_t begin, end;
        };
        const descriptor& d = descriptors.back();
        std::vector<below> level{{0, entries.size()}}, next;
        add_node(null_token);
        node_id at = d.root;
        for (std::size_t depth = 0; !level.empty(); ++depth, level.swap(next)) {
            next.clear();
            for (below b : level) {
                for (; b.begin < b.end && entries[b.begin].tokens.size() == depth; ++b.begin)
                    end_leaf(at, number_of(d, entries[b.begin].name));
                first_[at++] = node_id(tokens_.size());
                while (b.begin < b.end) {
                    const token_id token = entries[b.begin].tokens[depth];
                    std::size_t end = b.begin + 1;
                    while (end < b.end && entries[end].tokens[depth] == token) ++end;
                    next.push_back({b.begin, end});
                    add_node(token);
                    b.begin = end;
                }
            }
            if (tokens_.size() > most_nodes) return false;
        }
        add_node(null_token);  // what the children of the last one end at
        first_.back() = node_id(tokens_.size()) - 1;
        return true;
    }
    void add_node(token_id token) {
        tokens_.push_back(token);
        first_.push_back(0);
        leaf_.push_back(no_leaf);
    }
    void end_leaf(node_id at, std::uint32_t leaf) {
        if (leaf_[at] == no_leaf) leaf_[at] = leaf;
        else if (leaf_[at] != leaf && (aliases.empty() || aliases.back().node != at || aliases.back().leaf != leaf))
            aliases.push_back({at, leaf});
    }

    std::vector<token_id> tokens_;     ///< that leads to a node
    std::vector<node_id> first_;       ///< of the children of a node; they end where those of the next one begin
    std::vector<std::uint32_t> leaf_;  ///< that ends at a node
};
using token_trie_data = basic_token_trie_data<std::string>;

}  // namespace riffle::detail
