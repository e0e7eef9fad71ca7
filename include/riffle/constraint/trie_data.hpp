#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <vector>

#include <riffle/constraint/brief_lock.hpp>
#include <riffle/constraint/class_slice.hpp>
#include <riffle/constraint/mixed_hash.hpp>
#include <riffle/constraint/shared_pointer.hpp>
#include <riffle/constraint/token_tree.hpp>
#include <riffle/core/byte_set.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/token.hpp>
#include <riffle/core/vocabulary.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// What copies of a vocabulary_trie share.
template <class Vocabulary>
class basic_trie_data : public shared_object {
public:
    void read(const Vocabulary& from) {
        const std::size_t count = from.size();
        std::size_t bytes = 0;
        for (std::size_t i = 0; i < count; ++i) bytes += from.piece(token_id(i)).size();
        bytes_.reserve(bytes);
        piece_ends_.reserve(count);
        roles_.reserve(count);
        text_tokens_.assign((count + 31) / 32, 0);
        std::vector<token_id> in_tree;
        in_tree.reserve(count);
        for (std::size_t i = 0; i < count; ++i) {
            const auto id = token_id(i);
            const text piece = from.piece(id);
            bytes_.insert(bytes_.end(), piece.begin(), piece.end());
            piece_ends_.push_back(bytes_.size());
            token_role role = token_role::text;
            if (from.is(id, token_role::control)) role = role | token_role::control;
            if (from.ends_generation(id)) role = role | token_role::end_of_generation;
            roles_.push_back(role);
            const bool ends_text = (role & token_role::end_of_generation) != token_role::text;
            if (ends_text) end_tokens_.push_back(id);
            else if (role != token_role::text) control_tokens_.push_back(id);
            if (!has_text(id)) continue;
            if (!ends_text) text_tokens_[i / 32] |= 1u << (i % 32);
            if (role != token_role::text) continue;
            if (piece.size() > token_tree::longest) long_tokens_.push_back(id);
            else in_tree.push_back(id);
            if (piece.size() > most_bytes_) most_bytes_ = piece.size();
        }
        fits_ = count < token_tree::no_token && tree_.build(in_tree, [this](token_id id) { return piece(id); });
        fingerprint_ = fingerprint_of_all();
    }

    std::size_t size() const noexcept { return piece_ends_.size(); }
    bool contains(token_id id) const noexcept { return id >= 0 && std::size_t(id) < size(); }
    text piece(token_id id) const noexcept {
        if (!contains(id)) return {};
        const std::size_t first = id == 0 ? 0 : piece_ends_[std::size_t(id) - 1];
        return {bytes_.data() + first, piece_ends_[std::size_t(id)] - first};
    }
    bool ends_text(token_id id) const noexcept {
        return contains(id) && (roles_[std::size_t(id)] & token_role::end_of_generation) != token_role::text;
    }
    /// Whether it has a text that does not begin with NUL; others are never legal, as in llama.cpp.
    bool has_text(token_id id) const noexcept { return !piece(id).empty() && piece(id)[0] != '\0'; }
    /// Whether it is read by its bytes: control tokens, and those that end the text, have but names.
    bool is_read_by_bytes(token_id id) const noexcept {
        return contains(id) && roles_[std::size_t(id)] == token_role::text && has_text(id);
    }
    bool is_control(token_id id) const noexcept {
        return contains(id) && (roles_[std::size_t(id)] & token_role::control) != token_role::text;
    }
    const token_tree& tree() const noexcept { return tree_; }
    /// Tokens of more than 255 bytes, which are not in the tree.
    const std::vector<token_id>& long_tokens() const noexcept { return long_tokens_; }
    /// With which tokens that are read by their bytes begin.
    byte_set first_bytes() const noexcept {
        byte_set all;
        for (std::size_t i = 0; i < tree_.nodes.size(); i += tree_.nodes[i].size()) all.add(tree_.nodes[i].byte());
        for (const token_id id : long_tokens_) all.add(std::uint8_t(piece(id)[0]));
        return all;
    }
    const std::vector<token_id>& ends_of_text() const noexcept { return end_tokens_; }
    /// Control tokens that do not end the text.
    const std::vector<token_id>& control_tokens() const noexcept { return control_tokens_; }
    /// Words of the tokens that have a text and do not end the whole.
    const std::vector<std::uint32_t>& text_tokens() const noexcept { return text_tokens_; }
    /// 32-bit words that have a bit for each token.
    std::size_t word_count() const noexcept { return text_tokens_.size(); }
    /// Of the longest token that is read by its bytes.
    std::size_t most_bytes() const noexcept { return most_bytes_; }
    std::uint64_t fingerprint() const noexcept { return fingerprint_; }
    bool fits() const noexcept { return fits_; }

    /// The slice of a set of characters, made when it is asked for the first time, and kept as long as it is used.
    /// nullptr where the set is too ragged, or there are too many.
    shared_pointer<const class_slice> slice(const code_point_set& of) const {
        {
            const brief_hold hold(lock_);
            for (const auto& known : slices_)
                if (known->set() == of) return known;
        }
        shared_pointer<class_slice> made(new class_slice(of));
        if (!made->build(tree_, size())) return {};
        const shared_pointer<const class_slice> result(made.get());
        const brief_hold hold(lock_);
        for (const auto& known : slices_)
            if (known->set() == of) return known;
        if (slices_.size() >= most_slices) std::erase_if(slices_, [](const auto& s) { return s->has_one_owner(); });
        if (slices_.size() < most_slices) slices_.push_back(result);
        return result;
    }

private:
    enum : std::size_t { most_slices = 32 };

    std::uint64_t fingerprint_of_all() const noexcept {
        std::uint64_t hash = size();
        for (std::size_t i = 0; i < size(); ++i) {
            const text bytes = piece(token_id(i));
            hash = mixed(hash, std::uint64_t{bytes.size()} << 8 | std::uint64_t(roles_[i]));
            std::uint64_t eight = 0;
            for (std::size_t b = 0; b < bytes.size(); ++b) {
                eight = eight << 8 | std::uint8_t(bytes[b]);
                if (b % 8 == 7 || b + 1 == bytes.size()) hash = mixed(hash, eight), eight = 0;
            }
        }
        return hash;
    }

    std::vector<char> bytes_;
    std::vector<std::size_t> piece_ends_;
    std::vector<token_role> roles_;
    std::vector<token_id> long_tokens_, end_tokens_, control_tokens_;
    std::vector<std::uint32_t> text_tokens_;
    token_tree tree_;
    std::size_t most_bytes_ = 0;
    std::uint64_t fingerprint_ = 0;
    bool fits_ = false;
    mutable brief_lock lock_;
    mutable std::vector<shared_pointer<const class_slice>> slices_;
};
using trie_data = basic_trie_data<vocabulary>;

}  // namespace riffle::detail
