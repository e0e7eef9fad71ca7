#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <riffle/constraint/automaton_draft.hpp>
#include <riffle/constraint/code_points.hpp>
#include <riffle/constraint/shared_pointer.hpp>
#include <riffle/constraint/token_bits.hpp>
#include <riffle/constraint/token_tree.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// The tokens of a vocabulary that are made of the characters of a set alone, by how many characters they begin: in a
/// loop over the set all of them are legal, and need not be walked. (llguidance's slicer does so for sets that it knows
/// beforehand: docs/optimizations.md there.)
template <class Set>
class basic_class_slice : public shared_object {
public:
    /// `others`: not of the set. Characters of a token are counted up to most_counted, which no token in the tree has.
    enum : std::uint8_t { others = 255, most_counted = 254 };

    explicit basic_class_slice(Set of) : of_(std::move(of)) {}
    /// False where the set is too ragged.
    bool build(const token_tree& tree, std::size_t vocabulary) {
        byte_table table;
        if (!make_table(table)) return false;
        walk(tree, table);
        find_below(tree, table);
        sort_tokens(tree, vocabulary);
        // Of a subtree: characters of the longest token, if all are of the set.
        for (std::size_t i = tree.nodes.size(); i-- > 0;) {
            if (most_[i] == others) continue;
            std::uint8_t most = tree.nodes[i].token() != token_tree::no_token ? most_[i] : std::uint8_t{0};
            const std::size_t end = i + tree.nodes[i].size();
            for (std::size_t child = i + 1; child < end; child += tree.nodes[child].size())
                most = (std::max)(most, most_[child]);
            most_[i] = most;
        }
        return true;
    }
    const Set& set() const noexcept { return of_; }

    /// For each node of the tree: how many characters the tokens that end there and below have at most; `others`
    /// where one of them is not of the set.
    const std::uint8_t* most_characters() const noexcept { return most_.data(); }
    /// As most_characters, of what lies below a node, counted from there.
    const std::uint8_t* characters_below() const noexcept { return below_.data(); }
    /// Characters of the longest token.
    std::size_t longest() const noexcept { return longest_; }
    /// How many tokens have so many characters at most.
    std::size_t count(std::size_t characters) const noexcept {
        return up_to_[(std::min<std::size_t>)(characters, most_counted)];
    }
    /// Adds those tokens.
    void add_to(token_bits& legal, std::size_t characters) const noexcept {
        characters = (std::min<std::size_t>)(characters, most_counted);
        const std::size_t whole = (std::min)(characters, whole_.size() / word_count_);
        if (whole > 0) {
            const std::span<const std::uint32_t> from(whole_.data() + (whole - 1) * word_count_, word_count_);
            if (legal.count == 0) {
                std::copy(from.begin(), from.end(), legal.words.begin());
                legal.count = up_to_[whole];
            } else {
                legal.add(from);
            }
        }
        for (std::size_t i = up_to_[whole]; i < up_to_[characters]; ++i) legal.add(tokens_[i]);
    }

private:
    enum : std::uint16_t { at_boundary = 0, no_state = 0xFFFF };
    enum : std::size_t { most_states = 2048, most_whole = 24 };

    /// Where each byte leads to, within characters of the set.
    using byte_table = std::vector<std::array<std::uint16_t, 256>>;
    bool make_table(byte_table& table) const {
        automaton_draft draft;
        const std::uint32_t start = draft.add_node(0);
        draft.add_characters(of_, start, start);
        if (draft.nodes.size() - start > most_states) return false;
        table.resize(draft.nodes.size() - start);
        for (auto& row : table) row.fill(no_state);
        for (const auto& e : draft.edges)
            for (std::size_t byte = e.to.first; byte <= e.to.last; ++byte)
                table[e.from - start][byte] = std::uint16_t(e.to.to - start);
        return true;
    }
    /// For each node that characters of the set lead to: how many of them have begun.
    void walk(const token_tree& tree, const byte_table& table) {
        most_.assign(tree.nodes.size(), others);
        std::array<std::uint16_t, token_tree::longest + 1> state;
        std::array<std::uint8_t, token_tree::longest + 1> begun;
        state[0] = at_boundary;
        begun[0] = 0;
        for (std::size_t i = 0; i < tree.nodes.size();) {
            const token_tree::node& node = tree.nodes[i];
            const std::size_t depth = node.depth();
            const std::uint16_t from = state[depth - 1], to = table[from][node.byte()];
            const auto characters = std::uint8_t(begun[depth - 1] + (from == at_boundary));
            if (to == no_state || characters == others) {
                i += node.size();
                continue;
            }
            state[depth] = to;
            most_[i] = begun[depth] = characters;
            ++i;
        }
    }
    void find_below(const token_tree& tree, const byte_table& table) {
        below_.assign(tree.nodes.size(), 0);
        for (std::size_t i = tree.nodes.size(); i-- > 0;) below_[i] = below(tree, table, i, at_boundary);
    }
    /// Within a character it looks deeper, at most three bytes; behind one it is known already.
    std::uint8_t below(const token_tree& tree, const byte_table& table, std::size_t node, std::uint16_t from) const {
        std::size_t most = 0;
        const std::size_t end = node + tree.nodes[node].size();
        for (std::size_t child = node + 1; child < end; child += tree.nodes[child].size()) {
            const std::uint16_t to = table[from][tree.nodes[child].byte()];
            const std::uint8_t more = to == no_state      ? std::uint8_t{others}
                                      : to == at_boundary ? below_[child]
                                                          : below(tree, table, child, to);
            if (more == others) return others;
            most = (std::max)(most, std::size_t{more} + (from == at_boundary));
        }
        return std::uint8_t((std::min<std::size_t>)(most, most_counted));
    }
    /// Tokens by their number of characters, and words of those of few.
    void sort_tokens(const token_tree& tree, std::size_t vocabulary) {
        std::vector<std::uint8_t> length(vocabulary, others);
        for (std::size_t i = 0; i < tree.nodes.size(); ++i)
            if (tree.nodes[i].token() != token_tree::no_token) length[tree.nodes[i].token()] = most_[i];
        for (const auto& d : tree.duplicates) length[std::size_t(d.token)] = length[std::size_t(d.in_tree)];
        std::array<std::size_t, 257> begins{};
        for (const std::uint8_t l : length) ++begins[std::size_t{l} + 1];
        for (std::size_t l = 0; l < 256; ++l) begins[l + 1] += begins[l];
        for (std::size_t l = 0; l <= most_counted; ++l) up_to_[l] = begins[l + 1];
        tokens_.resize(begins[most_counted + 1]);
        for (std::size_t id = 0; id < vocabulary; ++id)
            if (length[id] != others) tokens_[begins[length[id]]++] = token_id(id);

        word_count_ = (vocabulary + 31) / 32 + (vocabulary == 0);
        longest_ = tokens_.empty() ? 0 : length[std::size_t(tokens_.back())];
        const std::size_t whole = (std::min<std::size_t>)(longest_, most_whole);
        whole_.assign(whole * word_count_, 0);
        for (std::size_t l = 1; l <= whole; ++l) {
            std::uint32_t* const words = whole_.data() + (l - 1) * word_count_;
            if (l > 1) std::copy_n(words - word_count_, word_count_, words);
            for (std::size_t i = up_to_[l - 1]; i < up_to_[l]; ++i)
                words[std::size_t(tokens_[i]) / 32] |= 1u << (std::uint32_t(tokens_[i]) % 32);
        }
    }

    Set of_;
    std::vector<std::uint8_t> most_;  ///< for each node of the tree; `others`: some token below is not of the set
    std::vector<token_id> tokens_;    ///< of the set, by their number of characters
    std::array<std::size_t, most_counted + 1> up_to_{};  ///< how many of them have so many characters at most
    std::vector<std::uint32_t> whole_;  ///< words of the tokens of 1 character at most, of 2, and so on
    std::vector<std::uint8_t> below_;   ///< see characters_below
    std::size_t word_count_ = 1, longest_ = 0;
};
using class_slice = basic_class_slice<code_point_set>;

}  // namespace riffle::detail
