#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <riffle/core/logit_row.hpp>
#include <riffle/core/token.hpp>
#include <riffle/core/tuning.hpp>
#include <riffle/math/lanes.hpp>
#include <riffle/math/ordered.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Logits of a block: the unit in which passes read a row, keep maxima and sum masses.
RIFFLE_LOCAL inline constexpr std::size_t block_size = 256;

/// Blocks of a row of `size` logits, the last of which may be a part of one.
constexpr std::size_t block_count(std::size_t size) noexcept { return (size + block_size - 1) / block_size; }

/// A block in which nothing is legal; blocks that a mask hides altogether point here.
RIFFLE_LOCAL inline constexpr auto illegal_block = [] {
    struct {
        float logits[block_size];
    } block{};
    for (auto& logit : block.logits) logit = illegal_logit;
    return block;
}();

namespace detail {

/// Where a row keeps edited logits whose blocks it does not copy: few bytes that lie together, since a model
/// evicts all of them from the caches between two steps. Copying the blocks of 64 tokens takes 20 µs then, and keeping
/// 64 logits one.
struct kept_edits {
    /// What stands for a logit of the row.
    struct edit {
        float logit;
        token_id token;
        std::uint8_t next;  ///< index of the next edit in its list; 0 = there is none
    };
    static constexpr std::size_t lists = 512;
    static constexpr std::size_t most = 255;

    std::uint8_t first[lists];      ///< index of each list's first edit, 0 = none; block b has list b % lists
    edit edits[most + 1];           ///< from 1 on
    float together[2][block_size];  ///< two blocks as floats with their edits, by turns
};

/// A row of logits as the passes read it: a pointer a block. Most blocks lie in the caller's memory, untouched. Edits
/// of few logits of a block are kept beside the row, and put in where the block is read. More of them, a mask or a
/// rewrite give the blocks that they touch a private copy, so the row is never copied as a whole. A last block
/// that is not whole is copied and padded with -inf, so passes know whole blocks only. Logits of 16 bits are made
/// floats a block at a time, as it is read.
class row {
public:
    row() noexcept = default;

    /// `blocks` holds block_count(size) pointers, `copies` block_count(size) * block_size floats. Logits that lie at
    /// the beginning of `copies` themselves are the private copy already. Without `edits` every edited block is copied.
    /// (For logits of 16 bits they are needed.)
    void assign(const logit_row& logits, const float** blocks, float* copies, kept_edits* edits = nullptr) noexcept {
        if (logits.reader()) assign_halves(logits, blocks, copies, edits);
        else assign(logits.floats(), logits.size(), blocks, copies, edits);
    }
    /// Of floats.
    void assign(const float* logits, std::size_t size, const float** blocks, float* copies,
                kept_edits* edits = nullptr) noexcept {
        const std::size_t count = block_count(size);
        begin(size, count, blocks);
        given_ = logits;
        copies_ = copies;
        if (edits && logits != copies) keep_edits_in(edits);
        const std::size_t full = size_ / block_size;
        for (std::size_t b = 0; b < full; ++b) blocks_[b] = logits + b * block_size;
        if (full == count_) return;
        const std::size_t rest = size_ - full * block_size;
        if (logits != copies_)
            std::memcpy(copies_ + full * block_size, logits + full * block_size, rest * sizeof(float));
        pad(full, rest);
    }

    /// Whole blocks from anywhere, to read.
    void assign(const float** blocks, std::size_t count) noexcept { begin(count * block_size, count, blocks); }

    std::size_t size() const noexcept { return size_; }
    std::size_t blocks() const noexcept { return count_; }
    /// The logits of a block. They stay until two other blocks were asked for, or an edit of this one.
    const float* block(std::size_t b) const noexcept {
        if (may_have_edits(b)) return put_together(b);
        return blocks_[b] ? blocks_[b] : made_floats(b);
    }
    /// Where they lie in memory, without kept edits; nullptr where they have 16 bits there.
    const float* unedited(std::size_t b) const noexcept { return blocks_[b]; }
    /// The logit of a token without its kept edit.
    float unedited_logit(std::size_t id) const noexcept {
        const float* const logits = blocks_[id / block_size];
        return logits ? logits[id % block_size] : widened(id);
    }
    /// How 16-bit logits are read, nullptr where the row has floats; and where those of a block lie.
    const half_reader* reader() const noexcept { return reader_; }
    const std::byte* halves(std::size_t b) const noexcept { return halves_ + b * block_size * sizeof(std::uint16_t); }
    /// The logit of a token as it stands in memory, not canonical.
    float logit(std::size_t id) const noexcept {
        const std::size_t b = id / block_size;
        if (may_have_edits(b))
            for (std::size_t i = first_edit(b); i; i = next_edit(i, b))
                if (std::size_t(edits_->edits[i].token) == id) return edits_->edits[i].logit;
        return unedited_logit(id);
    }

    /// The block's private copy, made on first use.
    float* own(std::size_t b) noexcept {
        float* const copy = copies_ + b * block_size;
        if (blocks_[b] != copy) {
            if (blocks_[b]) std::memcpy(copy, blocks_[b], block_size * sizeof(float));
            else widen_block_(halves(b), copy);
            put_in(b, first_edit(b), copy);
            blocks_[b] = copy;
        }
        return copy;
    }
    /// Memory for a private copy whose content the caller writes whole.
    float* own_unfilled(std::size_t b) noexcept {
        blocks_[b] = copies_ + b * block_size;
        return copies_ + b * block_size;
    }
    void hide(std::size_t b) noexcept { blocks_[b] = illegal_block.logits; }

    /// The logit of a token of the row, to be changed before the block is asked for again.
    float& at(std::size_t id) noexcept { return owns(id / block_size) ? copies_[id] : kept_or_copied(id); }
    /// Whether a block is in the memory for copies, so that its logits are changed where they lie.
    bool owns(std::size_t b) const noexcept { return blocks_[b] == copies_ + b * block_size; }

    // Edits that were kept beside the row.

    std::size_t edit_count() const noexcept { return edit_count_; }
    /// The i-th, 1 <= i <= edit_count(). It holds as long as its block is not copied.
    const kept_edits::edit& kept_edit(std::size_t i) const noexcept { return edits_->edits[i]; }
    /// Whether a block is not the caller's memory. (Of a row that may have kept edits.)
    bool is_copied(std::size_t b) const noexcept { return blocks_[b] != (given_ ? given_ + b * block_size : nullptr); }

    /// Replaces the logit of a token by change(logit), both canonical; ids outside the row are ignored.
    template <class Change>
    void edit(token_id id, Change change) noexcept {
        if (id < 0 || std::size_t(id) >= size_) return;
        float& logit = at(std::size_t(id));
        saw_nan_ |= logit != logit;
        saw_infinity_ |= logit > greatest_logit;
        logit = canonical(change(canonical(logit)));
    }

    /// Whether an edit met one in the row.
    bool saw_nan() const noexcept { return saw_nan_; }
    bool saw_infinity() const noexcept { return saw_infinity_; }

private:
    void begin(std::size_t size, std::size_t count, const float** blocks) noexcept {
        size_ = size;
        count_ = count;
        blocks_ = blocks;
        given_ = nullptr;
        copies_ = nullptr;
        reader_ = nullptr;
        widen_block_ = nullptr;
        halves_ = nullptr;
        edits_ = nullptr;
        edit_count_ = most_edits_ = 0;
        saw_nan_ = saw_infinity_ = false;
    }

    void keep_edits_in(kept_edits* edits) noexcept {
        edits_ = edits;  // kept for half of the blocks: where more are touched, copies are as good
        most_edits_ = count_ / 2 < kept_edits::most ? count_ / 2 : kept_edits::most;
    }
    RIFFLE_NOINLINE void assign_halves(const logit_row& logits, const float** blocks, float* copies,
                                       kept_edits* edits) noexcept {
        begin(logits.size(), block_count(logits.size()), blocks);
        reader_ = logits.reader();
        widen_block_ = reader_->widener();
        halves_ = logits.bytes();
        copies_ = copies;
        keep_edits_in(edits);
        const std::size_t full = size_ / block_size;
        for (std::size_t b = 0; b < full; ++b) blocks_[b] = nullptr;
        if (full == count_) return;
        for (std::size_t id = full * block_size; id < size_; ++id) copies_[id] = widened(id);
        pad(full, size_ % block_size);
    }
    /// Ends the last block, which is copied, behind its logits.
    void pad(std::size_t b, std::size_t logits) noexcept {
        float* const tail = copies_ + b * block_size;
        std::memcpy(tail + logits, illegal_block.logits, (block_size - logits) * sizeof(float));
        blocks_[b] = tail;
    }
    float widened(std::size_t id) const noexcept {
        std::uint16_t bits;
        std::memcpy(&bits, halves_ + id * sizeof bits, sizeof bits);
        return reader_->widened(bits);
    }

    RIFFLE_NOINLINE float& kept_or_copied(std::size_t id) noexcept {
        const std::size_t b = id / block_size;
        if (most_edits_ == 0 || is_copied(b)) return own(b)[id % block_size];
        if (edit_count_ == 0) std::memset(edits_->first, 0, sizeof edits_->first);
        std::size_t length = 0;
        for (std::size_t i = first_edit(b); i; i = next_edit(i, b), ++length)
            if (std::size_t(edits_->edits[i].token) == id) return edits_->edits[i].logit;
        if (length == tuning::edits_of_block || edit_count_ == most_edits_) return own(b)[id % block_size];
        std::uint8_t& first = edits_->first[b % kept_edits::lists];
        kept_edits::edit& added = edits_->edits[++edit_count_];
        added = {unedited_logit(id), token_id(id), first};
        first = std::uint8_t(edit_count_);
        return added.logit;
    }
    /// It has some, or had, or another block of its list has.
    bool may_have_edits(std::size_t b) const noexcept {
        return edit_count_ > 0 && edits_->first[b % kept_edits::lists] != 0;
    }
    /// The index of the block's first edit, 0 where there is none.
    std::size_t first_edit(std::size_t b) const noexcept {
        return edit_count_ == 0 || is_copied(b) ? 0 : of_block(edits_->first[b % kept_edits::lists], b);
    }
    std::size_t next_edit(std::size_t i, std::size_t b) const noexcept { return of_block(edits_->edits[i].next, b); }
    /// The first edit of the block from one of its list on.
    std::size_t of_block(std::size_t i, std::size_t b) const noexcept {
        while (i && std::size_t(edits_->edits[i].token) / block_size != b) i = edits_->edits[i].next;
        return i;
    }
    float* next_together() const noexcept { return edits_->together[turn_ ^= 1]; }
    float* made_floats(std::size_t b) const noexcept {
        float* const to = next_together();
        widen_block_(halves(b), to);
        return to;
    }
    /// (Of memcpy g++ makes an instruction that is slow to begin.)
    float* copied_together(const float* from) const noexcept {
        float* const to = next_together();
        for (std::size_t i = 0; i < block_size; i += 8) {
            const auto four = lanes<4>::load(from + i), four_more = lanes<4>::load(from + i + 4);
            four.store(to + i);
            four_more.store(to + i + 4);
        }
        return to;
    }
    RIFFLE_NOINLINE const float* put_together(std::size_t b) const noexcept {
        const std::size_t first = first_edit(b);
        const float* const from = blocks_[b];
        if (first == 0 && from) return from;
        float* const to = from ? copied_together(from) : made_floats(b);
        put_in(b, first, to);
        return to;
    }
    /// The edits of a block, from `first` on.
    void put_in(std::size_t b, std::size_t first, float* block) const noexcept {
        for (std::size_t i = first; i; i = next_edit(i, b))
            block[std::size_t(edits_->edits[i].token) % block_size] = edits_->edits[i].logit;
    }

    const float** blocks_ = nullptr;
    const float* given_ = nullptr;         ///< the caller's floats
    const half_reader* reader_ = nullptr;  ///< of the caller's 16-bit logits
    half_reader::widen_block widen_block_ = nullptr;
    const std::byte* halves_ = nullptr;  ///< and where they lie; their blocks are nullptr
    float* copies_ = nullptr;
    kept_edits* edits_ = nullptr;
    std::size_t size_ = 0, count_ = 0;
    std::size_t edit_count_ = 0, most_edits_ = 0;
    mutable std::size_t turn_ = 0;  ///< where a block was put together last
    bool saw_nan_ = false, saw_infinity_ = false;
};

}  // namespace detail
}  // namespace riffle
