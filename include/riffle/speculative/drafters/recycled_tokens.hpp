#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/core/growing_array.hpp>
#include <riffle/core/token.hpp>
#include <riffle/speculative/drafts/draft.hpp>
#include <riffle/speculative/drafts/draft_tree.hpp>

namespace riffle::inline RIFFLE_ABI {
struct recycled_tokens;
namespace detail {

/// For each token some that may follow it, the likeliest first: rows of one width, by id, empty places last.
class follower_table {
public:
    enum : std::size_t {
        most_rows = std::size_t{1} << 20,  ///< larger ids have none: one id alone must not cost gigabytes
        most_width = 32,
    };

    /// Sets the width of rows. Those of another width are forgotten.
    void set_width(std::size_t width) noexcept {
        if (width != width_) ids_.clear();
        width_ = width;
    }
    void clear() noexcept { ids_.clear(); }
    std::size_t bytes() const noexcept { return ids_.bytes(); }
    [[nodiscard]] bool reserve(std::size_t rows) noexcept {
        return ids_.reserve((std::min)(rows, std::size_t{most_rows}) * width_);
    }

    /// The follower of a rank, from 0 on; null_token where there is none.
    token_id follower(token_id behind, std::size_t rank) const noexcept {
        if (!has_row(behind) || rank >= width_) return null_token;
        const std::size_t at = std::size_t(behind) * width_ + rank;
        return at < ids_.size() ? ids_[at] : null_token;
    }
    /// Puts tokens first, in their order. What was there before comes behind them, as far as there is room.
    void put_first(token_id behind, std::span<const token_data> tokens) noexcept {
        row made{{}, 0};
        for (const token_data& one : tokens) {
            if (made.size == width_) break;
            made.add(one.id);
        }
        if (made.size == 0 || !has_row(behind)) return;
        const std::size_t first = std::size_t(behind) * width_;
        if (first >= ids_.size() && !ids_.resize(first + width_, null_token)) return;
        for (std::size_t rank = 0; rank < width_ && made.size < width_; ++rank) made.add(ids_[first + rank]);
        std::copy(made.ids, made.ids + made.size, ids_.data() + first);
    }

private:
    struct row {
        token_id ids[most_width];
        std::size_t size;

        void add(token_id token) noexcept {
            if (token >= 0 && std::find(ids, ids + size, token) == ids + size) ids[size++] = token;
        }
    };
    static bool has_row(token_id behind) noexcept { return behind >= 0 && std::size_t(behind) < most_rows; }

    growing_array<token_id> ids_;
    std::size_t width_ = 0;
};

/// Grows a tree out of a table, the node that is likeliest to be accepted first. That chance is taken to be, for a node
/// of rank r, 5/8 / (r + 1) of its parent's. So 80 nodes have nearly the shape of the paper's tree (template "2.2.2" of
/// its authors' TokenRecycling: 69 of its 80 nodes are the same), and other sizes need no trees of their own. In
/// integers, so that it is the same everywhere.
class follower_tree_growth {
public:
    std::size_t bytes() const noexcept { return nodes_.bytes() + open_.bytes(); }

    /// Adds nodes to `tree`, behind the text, which ends with `last`, and behind nodes that are there, until it has
    /// `most`, at most `deepest` of them one behind the other.
    void grow(const follower_table& from, token_id last, draft_tree& tree, std::size_t most,
              std::size_t deepest) noexcept {
        open_.clear();
        if (deepest == 0 || !start(from, last, tree)) return;
        while (tree.size() < most && !open_.empty()) {
            std::pop_heap(open_.begin(), open_.end());
            const branch found = open_.back();
            open_.pop();
            const token_id token = from.follower(token_of(found.parent, last, tree), found.rank);
            if (token < 0) continue;
            open(found.parent, found.rank + 1);
            if (tree.child(found.parent, token) >= 0) continue;
            const std::int32_t made = tree.push(found.parent, token);
            const std::uint32_t levels = of(found.parent).levels + 1;
            if (made < 0 || !nodes_.push({found.chance, levels})) return;
            if (levels < deepest) open(made, 0);
        }
    }

private:
    /// What is known of the root (place 0) and of node n (place n + 1).
    struct node {
        std::uint64_t chance;
        std::uint32_t levels;  ///< nodes grown here, one behind the other, up to this one
    };
    /// A node that may be added, one of each parent at a time, so that no two are equal: of equal chances that of the
    /// earlier parent counts, however the heap lies.
    struct branch {
        std::uint64_t chance;
        std::int32_t parent;
        std::uint32_t rank;
        friend bool operator<(const branch& a, const branch& b) noexcept {
            return a.chance != b.chance ? a.chance < b.chance : a.parent > b.parent;
        }
    };
    static constexpr std::uint64_t certain = std::uint64_t{1} << 60;

    static std::uint64_t chance_of_rank(std::uint64_t parent, std::size_t rank) noexcept {
        return parent / 8 * 5 / (std::uint64_t{rank} + 1);
    }
    static token_id token_of(std::int32_t n, token_id last, const draft_tree& tree) noexcept {
        return n < 0 ? last : tree.token(n);
    }
    const node& of(std::int32_t n) const noexcept { return nodes_[std::size_t(n + 1)]; }

    /// Opens the root and the nodes that are there, which count as if they had been grown here: by their rank.
    [[nodiscard]] bool start(const follower_table& from, token_id last, const draft_tree& tree) noexcept {
        nodes_.clear();
        if (!nodes_.resize(tree.size() + 1, {certain, 0})) return false;
        for (std::int32_t n = draft_tree::root; n < std::int32_t(tree.size()); ++n) {
            std::size_t rank = 0;
            for (std::int32_t c = tree.first_child(n); c >= 0; c = tree.next_sibling(c))
                nodes_[std::size_t(c + 1)].chance = chance_of_rank(of(n).chance, rank++);
            if (from.follower(token_of(n, last, tree), 0) >= 0) open(n, 0);
        }
        return true;
    }
    /// Without memory there is a branch less.
    void open(std::int32_t parent, std::uint32_t rank) noexcept {
        if (open_.push({chance_of_rank(of(parent).chance, rank), parent, rank}))
            std::push_heap(open_.begin(), open_.end());
    }

    growing_array<node> nodes_;
    growing_array<branch> open_;
};

/// What recycled_tokens keeps from call to call.
class recycled_memory {
    friend recycled_tokens;
    follower_table table_;
    follower_tree_growth growth_;
    token_id last_ = null_token;
};

}  // namespace detail

/// A drafter out of what the model has said already: for each token those that were likely behind it when the model was
/// last asked there. ("Turning Trash into Treasure: Accelerating Inference of Large Language Models with Token
/// Recycling", arXiv 2408.08696.) The one drafter without a model that helps where nothing repeats, as in prose, and
/// there with trees: a line of it is mostly wrong when tokens are drawn.
///
///     recycled_tokens drafter;
///     drafter.accept(prompt);
///     for (;;) {
///         tree.clear();
///         drafter.propose(tree, 32);
///         const auto& round = verifier.verify(chain, tree, rows);
///         learn_round(drafter, text.back(), narrow, tree, rows, round);  // auto narrow = top_k{8} | dist{};
///         drafter.accept(round.tokens);
///     }
///
/// The rows of drafted tokens that were refused are learnt too, as in the paper. In a trial (tinylm, trees of 32 nodes,
/// 18 texts of 200 tokens) that brought 1.80 tokens a step where it was 1.43, tokens being drawn; with the likeliest
/// token taken always it was 3.21 and 3.24. To start a further text with the table of those before (the paper does)
/// accept its prompt without reset. A table for 32,000 tokens and 8 children takes a megabyte. No function throws.
/// Movable, not copyable.
struct recycled_tokens {
    /// Tokens kept behind each token: from 1 to 32, others are as the nearest of these. The paper has 8. A change
    /// forgets the table.
    std::size_t children = 8;
    /// Tokens one behind the other that a call proposes, at most, in lines and trees; 0: it proposes nothing.
    std::size_t longest_draft = 6;

    /// The model found these likely behind a token, the likeliest first: chain.distribution(row, children), or the
    /// survivors where the chain narrows. The first `children` are kept, a token that comes twice and ids below 0 left
    /// out. Where they are fewer (a chain's cut may leave one), earlier ones follow; an empty list changes nothing. The
    /// token it is behind must be from 0 to below 2^20: others, and all where there is no memory, are not learnt. So a
    /// table has at most 2^20 · children · 4 bytes, and up to a quarter more. O(children²), and growth of the table.
    void learn(token_id behind, std::span<const token_data> likeliest) noexcept {
        kept.table_.set_width(width());
        kept.table_.put_first(behind, likeliest);
    }
    /// Allocates the table for the ids of a vocabulary, of which those from 2^20 on have no row. False where there is
    /// no memory; it then grows as far as it can.
    [[nodiscard]] bool reserve(std::size_t vocabulary_size) noexcept {
        kept.table_.set_width(width());
        return kept.table_.reserve(vocabulary_size);
    }

    /// The text got these tokens, prompt and generated alike; those below 0 are ignored. Each is put first behind the
    /// one before it. (The paper learns from the model alone, but also the rows of the prompt, which engines do not
    /// compute unless told to. Without them this brought 6 to 10 % more tokens a step in that trial with prompts of 128
    /// tokens; with them it made no difference to trees, and 3 % less for lines of drawn tokens.) O(children²) a token.
    void accept(std::span<const token_id> tokens) noexcept {
        kept.table_.set_width(width());
        for (const token_id token : tokens) {
            if (token < 0) continue;
            const token_data follower{token, 0.0f, 0.0f};
            kept.table_.put_first(kept.last_, {&follower, 1});
            kept.last_ = token;
        }
    }
    /// Adds to a draft the likeliest token behind its last one, or behind the text, then the likeliest behind that, and
    /// so on, until it has `most` or nothing is known. Answers how many were added. O(added).
    std::size_t propose(draft& d, std::size_t most) noexcept {
        kept.table_.set_width(width());
        const std::size_t had = d.size();
        token_id token = had > 0 ? d[had - 1] : kept.last_;
        for (std::size_t left = longest_draft; left > 0 && d.size() < most; --left) {
            token = kept.table_.follower(token, 0);
            if (!d.push(token)) break;
        }
        return d.size() - had;
    }
    /// Adds nodes to a tree until it has `most` or nothing is known, the likeliest first: more behind nodes that are
    /// likely themselves. Siblings stand by rank. What the tree has counts as if it had been grown here: nodes are
    /// added behind the text and behind those that are there, and no token twice behind one node. Answers how many were
    /// added. O(nodes · log nodes): 3 to 5 µs for 32.
    std::size_t propose(draft_tree& t, std::size_t most) noexcept {
        kept.table_.set_width(width());
        const std::size_t had = t.size();
        if (had < most) kept.growth_.grow(kept.table_, kept.last_, t, most, longest_draft);
        return t.size() - had;
    }
    /// Forgets the text and the table; the options stay, and the memory.
    void reset() noexcept {
        kept.table_.clear();
        kept.last_ = null_token;
    }
    /// The memory it holds.
    std::size_t bytes() const noexcept { return kept.table_.bytes() + kept.growth_.bytes(); }

    detail::recycled_memory kept{};  ///< what it has learnt; not to be set

private:
    std::size_t width() const noexcept {
        return std::clamp(children, std::size_t{1}, std::size_t{detail::follower_table::most_width});
    }
};

}  // namespace riffle
