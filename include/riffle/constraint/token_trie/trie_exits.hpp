#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <riffle/constraint/shared_pointer.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// The tokens that may follow a value, and for each node where a value ends and a longer one goes on, what is legal
/// there: its children and these.
template <class Id>
class basic_trie_exits : public shared_object {
public:
    enum : std::size_t { most_ids = 1 << 22 };  ///< of all nodes: 16 MiB

    /// False where that takes too much.
    template <class Data>
    bool build(const Data& of, std::span<const Id> tokens) {
        exits_.assign(tokens.begin(), tokens.end());
        std::erase_if(exits_, [](Id token) { return token < 0; });
        sort_once(exits_);
        std::size_t ids = 0;
        const auto goes_on = [&](std::uint32_t n) { return of.leaf(n) != Data::no_leaf && !of.children(n).empty(); };
        for (std::uint32_t n = 0; n < of.node_end(); ++n)
            if (of.is_node(n) && goes_on(n)) ids += exits_.size() + of.children(n).size();
        if (ids > most_ids) return false;
        for (std::uint32_t n = 0; n < of.node_end(); ++n) {
            if (!of.is_node(n) || !goes_on(n)) continue;
            std::vector<Id> both = exits_;
            both.insert(both.end(), of.children(n).begin(), of.children(n).end());
            sort_once(both);
            nodes_.push_back({n, std::move(both)});
        }
        return true;
    }
    bool empty() const noexcept { return exits_.empty(); }
    bool has(Id token) const noexcept { return std::binary_search(exits_.begin(), exits_.end(), token); }
    /// What is legal at such a node, ascending.
    std::span<const Id> beside(std::uint32_t node) const noexcept {
        const auto found = std::lower_bound(nodes_.begin(), nodes_.end(), node,
                                            [](const entry& e, std::uint32_t n) { return e.node < n; });
        return found == nodes_.end() ? std::span<const Id>() : std::span<const Id>(found->legal);
    }

private:
    struct entry {
        std::uint32_t node;
        std::vector<Id> legal;
    };
    static void sort_once(std::vector<Id>& of) {
        std::sort(of.begin(), of.end());
        of.erase(std::unique(of.begin(), of.end()), of.end());
    }

    std::vector<Id> exits_;
    std::vector<entry> nodes_;
};
using trie_exits = basic_trie_exits<token_id>;

}  // namespace riffle::detail
