#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <riffle/constraint/parsed.hpp>
#include <riffle/constraint/shared_pointer.hpp>
#include <riffle/constraint/token_trie/token_trie_data.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/token.hpp>
#include <riffle/core/vocabulary.hpp>

namespace riffle::inline RIFFLE_ABI {

/// One value that a model may write, and the tokens that spell it: a view for make_token_trie.
struct token_leaf {
    text name;                         ///< the value, in words
    std::span<const token_id> tokens;  ///< which spell it
};

/// How a payload is read.
struct token_trie_options {
    /// The model that the payload must be for; empty: any.
    text model_id = {};
    /// Leaves may have control tokens, and tokens that end generation. (They are looked for where a vocabulary is
    /// given.)
    bool allow_special = false;
    std::size_t text_bytes = 16 << 20;  ///< of the payload
    std::size_t depth = 8;              ///< values within values
};

/// Some values in tokens: what a model may write in one place, an action's name say. A trie has descriptors, one for
/// each place, each with a path ("action", "parameters.target") and leaves, which are the values. Made of a payload
/// (parse_token_trie) or of leaves (make_token_trie); immutable, and copies share it.
///
///     parsed<token_trie> trie = parse_token_trie(payload, n_vocab);
///     auto c = constrain{trie_matcher(*trie)} | temperature{.t = 0.8f} | dist{.seed = 1};
///
/// Unlike a grammar of the same words it takes each value in the tokens that the payload has, and no others: see the
/// page include/riffle/constraint/token_trie/README.md for what that means, and when choice() is the better tool.
///
/// The leaves of a descriptor are numbered in the order of their names (by bytes), whatever the payload's order. Twelve
/// bytes a node.
template <class Data>
class basic_token_trie {
public:
    /// Without descriptors: nothing is constrained.
    basic_token_trie() noexcept = default;

    /// What the payload says its tokens are of; empty where it was made of leaves.
    text model_id() const noexcept { return data_ ? text(data_->model) : text(); }
    /// How many tokens the vocabulary has that it was made for.
    std::int32_t vocabulary_size() const noexcept { return data_ ? data_->vocabulary_size : 0; }
    /// How many descriptors it has.
    std::size_t size() const noexcept { return data_ ? data_->descriptors.size() : 0; }
    /// The path of a descriptor, as the payload has it; empty for a number outside.
    text path(std::size_t descriptor) const noexcept {
        return descriptor < size() ? text(data_->descriptors[descriptor].path) : text();
    }
    /// The first descriptor of that path; -1: there is none.
    std::int32_t find(const text& path) const noexcept {
        for (std::size_t i = 0; i < size(); ++i)
            if (text(data_->descriptors[i].path) == path) return std::int32_t(i);
        return -1;
    }
    /// How many leaves a descriptor has, each name once.
    std::size_t leaf_count(std::size_t descriptor) const noexcept {
        return descriptor < size() ? data_->descriptors[descriptor].names.size() : 0;
    }
    /// The name of a leaf; empty for numbers outside.
    text leaf_name(std::size_t descriptor, std::size_t leaf) const noexcept {
        return leaf < leaf_count(descriptor) ? text(data_->descriptors[descriptor].names[leaf]) : text();
    }
    /// The leaves of which a token list is this leaf's, too: a matcher answers this one, which has the smallest name.
    /// Ascending. Throws std::bad_alloc.
    std::vector<std::size_t> aliases(std::size_t descriptor, std::size_t leaf) const {
        std::vector<std::size_t> found;
        for (std::size_t i = 0; descriptor < size() && i < data_->aliases.size(); ++i) {
            const auto& alias = data_->aliases[i];
            if (data_->descriptor_of(alias.node) == descriptor && data_->leaf(alias.node) == leaf)
                found.push_back(alias.leaf);
        }
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        return found;
    }
    /// Nodes of all descriptors, their roots included.
    std::size_t node_count() const noexcept { return data_ ? data_->size() : 0; }
    /// Bytes of its nodes.
    std::size_t node_bytes() const noexcept { return data_ ? data_->node_bytes() : 0; }

    /// Whether the tokens of each leaf spell its name in a vocabulary, but for one blank ahead of it, which some
    /// tokenisers put there: a payload that was made for another model does not. What is wrong, leaf by leaf, with
    /// `where` as "action: REPLY"; empty where nothing is. Throws std::bad_alloc. O(bytes of all leaves).
    std::vector<parse_problem>(verify)(const vocabulary& words) const {
        std::vector<parse_problem> wrong;
        for (std::size_t d = 0; d < size(); ++d) verify_below(words, d, data_->descriptors[d].root, wrong);
        return wrong;
    }
    /// Whether both are one trie, as those are that a cache has given out for one payload.
    friend bool operator==(const basic_token_trie& a, const basic_token_trie& b) noexcept { return a.data_ == b.data_; }

    /// For riffle's own use.
    explicit basic_token_trie(detail::shared_pointer<const Data> data) noexcept : data_(std::move(data)) {}
    /// For riffle's own use: what copies share.
    const detail::shared_pointer<const Data>& data() const noexcept { return data_; }

private:
    /// The way to a node: behind so many bytes of the way to its parent comes a token. (With a list of its own in place
    /// of recursion: a leaf may be long.)
    struct way {
        typename Data::node_id to;
        token_id token;
        std::size_t bytes_ahead;
    };
    void verify_below(const vocabulary& words, std::size_t d, typename Data::node_id root,
                      std::vector<parse_problem>& wrong) const {
        std::string bytes;
        std::vector<way> left{{root, null_token, 0}};
        while (!left.empty()) {
            const way here = left.back();
            left.pop_back();
            bytes.resize(here.bytes_ahead);
            const text piece = words.piece(here.token);
            bytes.append(piece.data(), piece.size());
            if (const std::uint32_t leaf = data_->leaf(here.to); leaf != Data::no_leaf) {
                compare(d, leaf, bytes, wrong);
                for (const auto& alias : data_->aliases_at(here.to)) compare(d, alias.leaf, bytes, wrong);
            }
            for (const token_id token : data_->children(here.to))
                left.push_back({data_->child(here.to, token), token, bytes.size()});
        }
    }
    void compare(std::size_t d, std::size_t leaf, const std::string& bytes, std::vector<parse_problem>& wrong) const {
        const text name = leaf_name(d, leaf), spells(bytes);
        if (spells == name || (spells.starts_with(" ") && spells.part(1) == name)) return;
        parse_problem why;
        why.where.assign(path(d).data(), path(d).size());
        (why.where += ": ").append(name.data(), name.size());
        (why.sentence = "its tokens spell \"").append(bytes) += '"';
        wrong.push_back(std::move(why));
    }

    detail::shared_pointer<const Data> data_;
};
using token_trie = basic_token_trie<detail::token_trie_data>;

namespace detail {

/// What is wrong with the tokens of a leaf, where something is. `is_special(token)`: whether a leaf may not have it.
template <class IsSpecial>
const char* problem_of_token(std::int64_t token, std::int32_t vocabulary_size, IsSpecial is_special) {
    if (token < 0 || token >= vocabulary_size) return "the vocabulary has no such token";
    if (is_special(token_id(token))) return "a control token, or one that ends generation, is no part of a value";
    return nullptr;
}
struct nothing_special {
    bool operator()(token_id) const noexcept { return false; }
};
/// Control tokens, and those that end generation.
struct special_in_vocabulary {
    const vocabulary& words;
    bool allowed;
    bool operator()(token_id token) const noexcept {
        return !allowed && words.is(token, token_role::control | token_role::end_of_generation);
    }
};

inline parse_problem no_leaves() {
    parse_problem why;
    why.sentence = "there are no leaves, so nothing is constrained";
    return why;
}

/// Warnings of leaves that are left out: the first of them, and how many more there are.
template <class Problem>
class leaves_without_tokens {
public:
    enum : std::size_t { most = 16 };

    void add(const text& where) {
        if (++count_ > most) return;
        Problem& odd = warnings_.emplace_back();
        odd.where.assign(where.data(), where.size());
        odd.sentence = "this leaf has no tokens, so it is left out";
    }
    std::vector<Problem> warnings() const {
        std::vector<Problem> all = warnings_;
        if (count_ > most) all.emplace_back().sentence = in_digits(count_ - most) + " more leaves have no tokens";
        return all;
    }

private:
    std::vector<Problem> warnings_;
    std::size_t count_ = 0;
};

template <class Data, class IsSpecial>
parsed<token_trie> trie_of_leaves(const text& path, std::span<const token_leaf> leaves, std::int32_t vocabulary_size,
                                  IsSpecial is_special) {
    std::vector<typename Data::entry> entries;
    leaves_without_tokens<parse_problem> left_out;
    for (const token_leaf& leaf : leaves) {
        for (const token_id token : leaf.tokens)
            if (const char* const wrong = problem_of_token(token, vocabulary_size, is_special)) {
                parse_problem why;
                why.where.assign(leaf.name.data(), leaf.name.size());
                why.sentence = wrong;
                return parsed<token_trie>(std::move(why));
            }
        if (leaf.tokens.empty()) {
            left_out.add(leaf.name);
            continue;
        }
        typename Data::entry& e = entries.emplace_back();
        e.name.assign(leaf.name.data(), leaf.name.size());
        e.tokens.assign(leaf.tokens.begin(), leaf.tokens.end());
    }
    if (entries.empty()) return parsed<token_trie>(no_leaves(), left_out.warnings());
    shared_pointer<Data> made(new Data());
    made->vocabulary_size = vocabulary_size;
    if (!made->add(std::string(path.data(), path.size()), std::move(entries))) {
        parse_problem why;
        why.sentence = "there are more tokens than a trie can have";
        return parsed<token_trie>(std::move(why));
    }
    return parsed<token_trie>(token_trie(shared_pointer<const Data>(made.get())), left_out.warnings());
}

}  // namespace detail

/// Whether a payload, or a list of leaves, is refused for having no leaf with tokens: then nothing is to be
/// constrained, and a caller may go on without a trie.
inline bool has_no_leaves(const parse_problem& why) { return why.sentence == detail::no_leaves().sentence; }

/// A trie of one descriptor, made of leaves without a payload. Leaves without tokens are left out, with a warning; a
/// token that a vocabulary of `vocabulary_size` tokens has not, and leaves of which none is left, are problems. Nothing
/// throws. O(tokens log leaves).
template <class Trie = token_trie>
parsed<Trie> make_token_trie(const text& path, std::span<const token_leaf> leaves,
                             std::int32_t vocabulary_size) noexcept {
    return detail::read_in_memory<Trie>([&] {
        return detail::trie_of_leaves<detail::token_trie_data>(path, leaves, vocabulary_size,
                                                               detail::nothing_special());
    });
}
/// For a vocabulary, of which control tokens and those that end generation are refused too, unless they are allowed.
template <class Trie = token_trie>
parsed<Trie> make_token_trie(const text& path, std::span<const token_leaf> leaves, const vocabulary& words,
                             const token_trie_options& options = {}) noexcept {
    return detail::read_in_memory<Trie>([&] {
        return detail::trie_of_leaves<detail::token_trie_data>(
            path, leaves, std::int32_t(words.size()), detail::special_in_vocabulary{words, options.allow_special});
    });
}

}  // namespace riffle
