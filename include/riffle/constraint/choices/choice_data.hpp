#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <riffle/constraint/numbering.hpp>
#include <riffle/constraint/shared_pointer.hpp>
#include <riffle/constraint/token_tree.hpp>
#include <riffle/constraint/trie_data.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// The texts of some choices as a tree of their bytes, and the tokens in which the model would spell each as a tree of
/// tokens. What copies of a choice_matcher share.
template <class String>
class basic_choice_data : public shared_object {
public:
    enum : std::uint32_t { root = 0, none = ~0u };

    /// A node of the tree of bytes; the children of one lie side by side.
    struct byte_node {
        std::uint32_t parent = none, first = 0;
        std::uint16_t count = 0;
        std::uint8_t byte = 0;
    };
    /// A node of the tree of tokens; parents lie ahead of their children.
    struct token_node {
        token_id token;
        std::uint32_t parent;  ///< none: it comes first
        std::uint32_t depth;   ///< tokens ahead of it
    };

    std::vector<String> names;
    std::vector<byte_node> bytes;
    std::vector<std::uint32_t> end_of;  ///< of each choice: its node in the tree of bytes
    std::vector<token_node> tokens;
    std::vector<std::uint32_t> last_tokens;  ///< of each choice: the nodes of which one comes last; see last_of
    std::vector<std::uint32_t> first_last;   ///< where those of each choice begin, and the end

    /// `texts`: of the choices, what follows them included.
    void build_bytes(const std::vector<String>& texts) {
        struct below {
            std::size_t begin, end;
            std::uint32_t node;
        };
        std::vector<std::uint32_t> order(texts.size());
        for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
        std::sort(order.begin(), order.end(),
                  [&](std::uint32_t a, std::uint32_t b) { return precedes(texts[a], texts[b]); });
        end_of.assign(texts.size(), root);
        bytes.assign(1, {});
        std::vector<below> level{{0, order.size(), root}}, next;
        for (std::size_t depth = 0; !level.empty(); ++depth, level.swap(next)) {
            next.clear();
            for (below b : level) {
                for (; b.begin < b.end && texts[order[b.begin]].size() == depth; ++b.begin)
                    end_of[order[b.begin]] = b.node;
                bytes[b.node].first = std::uint32_t(bytes.size());
                while (b.begin < b.end) {
                    const char byte = texts[order[b.begin]][depth];
                    std::size_t end = b.begin + 1;
                    while (end < b.end && texts[order[end]][depth] == byte) ++end;
                    next.push_back({b.begin, end, std::uint32_t(bytes.size())});
                    byte_node made;
                    made.parent = b.node;
                    made.byte = std::uint8_t(byte);
                    bytes.push_back(made);
                    ++bytes[b.node].count;
                    b.begin = end;
                }
            }
        }
    }
    /// The next choice's tokens, and those of which one ends it; empty: it cannot be spelt.
    void add_tokens(std::span<const token_id> spelt, std::span<const token_id> ends) {
        first_last.push_back(std::uint32_t(last_tokens.size()));
        if (spelt.empty() && ends.empty()) return;
        std::uint32_t at = none;
        for (const token_id token : spelt) at = child_token(at, token);
        if (ends.empty()) last_tokens.push_back(at);
        for (const token_id token : ends) last_tokens.push_back(child_token(at, token));
    }
    void end_tokens() {
        first_last.push_back(std::uint32_t(last_tokens.size()));
        token_numbers_ = {};
    }
    std::span<const std::uint32_t> last_of(std::size_t choice) const noexcept {
        return {last_tokens.data() + first_last[choice], std::size_t{first_last[choice + 1]} - first_last[choice]};
    }

    /// The node behind one more byte; none.
    std::uint32_t child(std::uint32_t at, std::uint8_t byte) const noexcept {
        const byte_node& n = bytes[at];
        const auto begin = bytes.begin() + std::ptrdiff_t(n.first), end = begin + n.count;
        const auto found =
            std::lower_bound(begin, end, byte, [](const byte_node& c, std::uint8_t b) { return c.byte < b; });
        return found != end && found->byte == byte ? std::uint32_t(found - bytes.begin()) : std::uint32_t{none};
    }

private:
    std::uint32_t child_token(std::uint32_t parent, token_id token) {
        const std::uint32_t number = token_numbers_.number_of({parent, std::uint32_t(token)});
        if (number == tokens.size()) tokens.push_back({token, parent, parent == none ? 0 : tokens[parent].depth + 1});
        return number;
    }

    list_numbers token_numbers_;
};
using choice_data = basic_choice_data<std::string>;

/// Which choices are there, with which bias; and for each node of the tree of bytes, how many of them lie below.
class choice_switches : public shared_object {
public:
    void begin(const choice_data& of) {
        is_enabled_.assign(of.names.size(), 1);
        bias_.assign(of.names.size(), 0.0f);
        below_.assign(of.bytes.size(), 0);
        ends_.assign(of.bytes.size(), 0);
        for (const std::uint32_t end : of.end_of) add(of, end, 1);
    }
    /// What another one has.
    void copy(const choice_switches& other) {
        is_enabled_ = other.is_enabled_;
        bias_ = other.bias_;
        below_ = other.below_;
        ends_ = other.ends_;
        version_ = other.version_;
    }
    bool is_enabled(std::size_t choice) const noexcept { return is_enabled_[choice] != 0; }
    float bias(std::size_t choice) const noexcept { return bias_[choice]; }
    /// Whether one goes through a node, or ends there.
    bool has_any(std::uint32_t node) const noexcept { return below_[node] != 0; }
    /// Whether one ends at a node.
    bool ends_at(std::uint32_t node) const noexcept { return ends_[node] != 0; }
    std::uint32_t version() const noexcept { return version_; }
    void enable(const choice_data& of, std::size_t choice, bool on) noexcept {
        if (is_enabled(choice) == on) return;
        is_enabled_[choice] = on;
        add(of, of.end_of[choice], on ? 1u : ~0u);
        ++version_;
    }
    void set_bias(std::size_t choice, float bias) noexcept { bias_[choice] = bias; }

private:
    void add(const choice_data& of, std::uint32_t node, std::uint32_t number) noexcept {
        ends_[node] += number;
        for (; node != choice_data::none; node = of.bytes[node].parent) below_[node] += number;
    }

    std::vector<std::uint8_t> is_enabled_;
    std::vector<float> bias_;
    std::vector<std::uint32_t> below_, ends_;
    std::uint32_t version_ = 0;
};

}  // namespace riffle::detail
