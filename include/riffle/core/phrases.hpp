#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include <riffle/core/fnv_hash.hpp>
#include <riffle/core/text.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Phrases as one automaton over bytes, which a text is fed to byte by byte: Aho and Corasick, "Efficient string
/// matching", 1975. Making one allocates and may throw what std::vector throws; following it does neither. (A
/// template, so that including riffle does not compile it.)
template <class Text>
class basic_phrase_set {
public:
    basic_phrase_set() noexcept = default;
    basic_phrase_set(std::initializer_list<Text> phrases)
        : basic_phrase_set(std::span<const Text>(phrases.begin(), phrases.size())) {}
    /// ASCII letters are alike in either case unless `same_case`. Empty phrases are left out.
    explicit basic_phrase_set(std::span<const Text> phrases, bool same_case = false) : same_case_(same_case) {
        nodes_.push_back({});
        for (const Text& phrase : phrases) add(phrase);
        link();
        fingerprint_ = hash_of_nodes();
    }

    bool empty() const noexcept { return nodes_.size() <= 1; }
    /// Differs for other phrases: their nodes are others. 0 for none.
    std::uint32_t fingerprint() const noexcept { return fingerprint_; }
    /// The node behind one more byte; 0 is the beginning.
    std::uint32_t follow(std::uint32_t at, char byte) const noexcept {
        if (empty()) return 0;
        if (at >= nodes_.size()) at = 0;
        const std::uint8_t b = folded(byte);
        for (;; at = nodes_[at].shorter) {
            if (const std::uint32_t next = child(at, b)) return next;
            if (at == 0) return 0;
        }
    }
    /// Bytes of the longest phrase that ends at a node; 0 when none does.
    std::size_t ending_at(std::uint32_t at) const noexcept { return at < nodes_.size() ? nodes_[at].longest : 0; }

private:
    struct node {
        std::uint32_t first_child = 0, next_sibling = 0;
        std::uint32_t shorter = 0;  ///< the node of the longest proper suffix that begins a phrase
        std::uint32_t depth = 0;
        std::uint32_t longest = 0;
        std::uint8_t byte = 0;
    };
    std::uint8_t folded(char byte) const noexcept {
        return std::uint8_t(!same_case_ && byte >= 'A' && byte <= 'Z' ? byte - 'A' + 'a' : byte);
    }
    std::uint32_t child(std::uint32_t at, std::uint8_t byte) const noexcept {
        std::uint32_t c = nodes_[at].first_child;
        while (c && nodes_[c].byte != byte) c = nodes_[c].next_sibling;
        return c;
    }
    void add(Text phrase) {
        std::uint32_t at = 0;
        for (const char c : phrase) {
            std::uint32_t next = child(at, folded(c));
            if (!next) {
                next = std::uint32_t(nodes_.size());
                node made;
                made.next_sibling = nodes_[at].first_child;
                made.depth = nodes_[at].depth + 1;
                made.byte = folded(c);
                nodes_.push_back(made);
                nodes_[at].first_child = next;
            }
            at = next;
        }
        if (at) nodes_[at].longest = nodes_[at].depth;
    }
    /// The suffix links, breadth first; a longer phrase hides a shorter one that ends with it.
    void link() {
        std::vector<std::uint32_t> queue{0};
        for (std::size_t i = 0; i < queue.size(); ++i)
            for (std::uint32_t c = nodes_[queue[i]].first_child; c; c = nodes_[c].next_sibling) {
                if (queue[i] != 0) nodes_[c].shorter = follow(nodes_[queue[i]].shorter, char(nodes_[c].byte));
                if (!nodes_[c].longest) nodes_[c].longest = nodes_[nodes_[c].shorter].longest;
                queue.push_back(c);
            }
    }

    /// Over what tells automata apart.
    std::uint32_t hash_of_nodes() const noexcept {
        if (empty()) return 0;
        std::uint32_t hash = detail::hash_with(detail::empty_hash, same_case_);
        const auto add_number = [&](std::uint32_t number) { hash = detail::hash_with(hash, number); };
        for (const node& n : nodes_) {
            add_number(n.first_child);
            add_number(n.next_sibling);
            add_number(n.longest);
            add_number(n.byte);
        }
        return hash;
    }

    std::vector<node> nodes_;
    std::uint32_t fingerprint_ = 0;
    bool same_case_ = false;
};
using phrase_set = basic_phrase_set<text>;

}  // namespace riffle
