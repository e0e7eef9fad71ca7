#pragma once
#include <cstddef>
#include <cstdint>
#include <llama.h>
#include <span>

#include <riffle/core/growing_array.hpp>
#include <riffle/llama/cache.hpp>
#include <riffle/speculative/drafts/draft.hpp>
#include <riffle/speculative/drafts/draft_tree.hpp>
#include <riffle/speculative/verifying/verified.hpp>

namespace riffle::inline RIFFLE_ABI::llama {

/// A batch of llama.cpp's for one round: the token that the text got last, and the draft behind it, all with logits.
///
///     llama::draft_batch batch;
///     batch.fill(last, position, proposed);
///     if (llama::decode(context, batch) == 0) { ... sample_and_accept_n(chain, context, batch.indices(), ...) ... }
///     llama::trim(context, batch, round);
///
/// A tree is evaluated as sequences that share a prefix: each leaf is a sequence, and a token is in those of all leaves
/// behind it. The first leaf's is the text's own sequence, the others are taken from `first_branch` on; they must hold
/// nothing, and the context needs n_seq_max sequences, so many as there are leaves, in one cache (kv_unified).
///
/// Keeps its memory, so that nothing is allocated once it was as large.
class draft_batch {
public:
    /// For a line. `last` is the token that the text got last, `position` its position in `sequence`. False without
    /// memory; it is empty then, and decode refuses it.
    bool fill(llama_token last, std::int32_t position, const draft& proposed, llama_seq_id sequence = 0) noexcept {
        if (!begin(last, position, sequence, proposed.size() + 1) || !add_branches(sequence, sequence, 1))
            return clear(), false;
        for (std::size_t i = 0; i < proposed.size(); ++i) add(proposed[i], 1 + i, {0, 1});
        share_out();
        return true;
    }
    /// For a tree. False without memory; it is empty then, and decode refuses it.
    bool fill(llama_token last, std::int32_t position, const draft_tree& proposed, llama_seq_id sequence = 0,
              llama_seq_id first_branch = 1) noexcept {
        if (!begin(last, position, sequence, proposed.size() + 1) || !find_leaves(proposed) ||
            !add_branches(sequence, first_branch, leaves_[0].count))
            return clear(), false;
        rows_[0] = leaves_[0];
        const auto nodes = std::int32_t(proposed.size());
        for (std::int32_t n = 0; n < nodes; ++n)
            add(proposed.token(n), proposed.depth(n), leaves_[std::size_t(n) + 1]);
        share_out();
        return true;
    }

    /// How many tokens it has, that of the text included.
    std::size_t size() const noexcept { return tokens_.size(); }
    /// For sample_and_accept_n: row i is at index i.
    std::span<const std::int32_t> indices() const noexcept { return indices_.part(0, indices_.size()); }
    /// For llama_decode, with pointers into this batch.
    llama_batch view() noexcept {
        llama_batch as_llama{};
        as_llama.n_tokens = std::int32_t(size());
        as_llama.token = tokens_.data();
        as_llama.pos = positions_.data();
        as_llama.n_seq_id = counts_.data();
        as_llama.seq_id = sequences_.data();
        as_llama.logits = wanted_.data();
        return as_llama;
    }

    /// The position of the token that the text got last.
    std::int32_t position() const noexcept { return position_; }
    /// The sequence of the text.
    llama_seq_id sequence() const noexcept { return sequence_; }
    /// The sequences of all leaves; the first one is the text's.
    std::span<const llama_seq_id> branches() const noexcept { return branches_.part(0, branches_.size()); }
    /// A sequence that has a drafted token, by its node or its place in the line; that of the text for root.
    llama_seq_id branch_of(std::int32_t node) const noexcept { return branches_[rows_[std::size_t(node + 1)].first]; }

private:
    /// Leaves that lie behind a token, in the order of the tree.
    struct leaf_range {
        std::uint32_t first = 0, count = 0;
    };

    void clear() noexcept {
        for (auto* numbers : {&tokens_, &positions_, &counts_, &indices_}) numbers->clear();
        rows_.clear();
        wanted_.clear();
        sequences_.clear();
        branches_.clear();
    }
    bool begin(llama_token last, std::int32_t position, llama_seq_id sequence, std::size_t count) noexcept {
        clear();
        position_ = position;
        sequence_ = sequence;
        for (auto* numbers : {&tokens_, &positions_, &counts_, &indices_})
            if (!numbers->reserve(count)) return false;
        if (!rows_.reserve(count) || !wanted_.reserve(count) || !sequences_.reserve(count)) return false;
        add(last, 0, {0, 1});
        return true;
    }
    /// There is room.
    void add(llama_token token, std::size_t depth, leaf_range leaves) noexcept {
        (void)indices_.push(std::int32_t(size()));
        (void)tokens_.push(token);
        (void)positions_.push(position_ + std::int32_t(depth));
        (void)rows_.push(leaves);
        (void)wanted_.push(1);
    }
    /// When all leaves are known and nothing moves any more.
    void share_out() noexcept {
        for (const leaf_range& leaves : rows_) {
            (void)counts_.push(std::int32_t(leaves.count));
            (void)sequences_.push(branches_.data() + leaves.first);
        }
    }
    bool add_branches(llama_seq_id sequence, llama_seq_id first_branch, std::uint32_t count) noexcept {
        if (!branches_.push(sequence)) return false;
        for (std::uint32_t i = 1; i < count; ++i)
            if (!branches_.push(first_branch + llama_seq_id(i) - 1)) return false;
        return true;
    }
    /// Of root, then of each node. A parent comes ahead of its children.
    bool find_leaves(const draft_tree& tree) noexcept {
        const std::size_t rows = tree.size() + 1;
        leaves_.clear();
        for (std::size_t i = 0; i < rows; ++i)
            if (!leaves_.push({})) return false;
        for (std::size_t i = rows; i-- > 0;) {
            if (leaves_[i].count == 0) leaves_[i].count = 1;
            if (i > 0) leaves_[std::size_t(tree.parent(std::int32_t(i) - 1) + 1)].count += leaves_[i].count;
        }
        for (std::size_t i = 0; i < rows; ++i) {
            std::uint32_t first = leaves_[i].first;
            for (std::int32_t c = tree.first_child(std::int32_t(i) - 1); c >= 0; c = tree.next_sibling(c)) {
                leaf_range& leaves = leaves_[std::size_t(c) + 1];
                leaves.first = first;
                first += leaves.count;
            }
        }
        return true;
    }

    std::int32_t position_ = 0;
    llama_seq_id sequence_ = 0;
    riffle::detail::growing_array<std::int32_t> tokens_, positions_, counts_, indices_;
    riffle::detail::growing_array<leaf_range> rows_, leaves_;
    riffle::detail::growing_array<std::int8_t> wanted_;
    riffle::detail::growing_array<llama_seq_id> branches_;
    riffle::detail::growing_array<llama_seq_id*> sequences_;
};

/// Evaluates the batch, for a tree with what the branches share of the text. Answers as llama_decode does: 0 where it
/// is done; else nothing is left of it, and the text is evaluated up to the token ahead of the batch. -1 also for more
/// tokens than the context takes in a batch (n_batch), and more leaves than it has sequences.
template <class Context>
std::int32_t decode(Context* context, draft_batch& batch) noexcept {
    const auto branches = batch.branches();
    if (batch.size() == 0 || batch.size() > std::size_t(llama_n_batch(context))) return -1;
    if constexpr (requires { llama_n_seq_max(context); }) {
        for (const llama_seq_id branch : branches)
            if (branch < 0 || std::uint32_t(branch) >= std::uint32_t(llama_n_seq_max(context))) return -1;
    }
    // The whole of it, which is all that a cache of several parts can share; such a one refuses the batch.
    for (const llama_seq_id branch : branches.subspan(1))
        detail::share_positions(context, batch.sequence(), branch, -1, -1);
    const std::int32_t result = llama_decode(context, batch.view());
    if (result != 0) {
        for (const llama_seq_id branch : branches.subspan(1)) detail::remove_positions(context, branch, -1, -1);
        detail::remove_positions(context, batch.sequence(), batch.position(), -1);
    }
    return result;
}

/// Takes out of the context's memory what was evaluated and is no text: the drafted tokens that were not accepted. The
/// token behind the accepted ones is not in there yet: it begins the next batch, at position
/// batch.position() + 1 + round.accepted. Where the round failed all drafted tokens go. False where the memory cannot
/// go back, as that of recurrent models; then the text has to be evaluated anew.
template <class Context>
bool trim(Context* context, const draft_batch& batch, const verified& round) noexcept {
    if (round.node < draft_tree::root || std::size_t(round.node + 1) >= batch.size()) return false;
    const llama_seq_id sequence = batch.sequence(), branch = batch.branch_of(round.node);
    const std::int32_t end = batch.position() + 1 + std::int32_t(round.accepted);
    bool is_done;
    if (branch == sequence) {
        is_done = detail::remove_positions(context, sequence, end, -1);
    } else {
        is_done = detail::remove_positions(context, sequence, batch.position() + 1, -1);
        if (is_done) detail::share_positions(context, branch, sequence, batch.position() + 1, end);
    }
    for (const llama_seq_id other : batch.branches().subspan(1)) detail::remove_positions(context, other, -1, -1);
    return is_done;
}

/// trim for a line that was evaluated without a draft_batch: `sequence` ends with all drafted tokens of the round.
template <class Context>
bool trim(Context* context, llama_seq_id sequence, const verified& round) noexcept {
    const auto refused = std::int32_t(round.drafted - round.accepted);
    if (refused == 0) return true;
    return detail::remove_positions(context, sequence, detail::last_position(context, sequence) + 1 - refused, -1);
}

}  // namespace riffle::llama
