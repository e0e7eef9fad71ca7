#pragma once
#include <cstddef>
#include <cstring>
#include <span>

#include <riffle/core/token.hpp>
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

/// A row of logits as the passes read it: a pointer a block. Most blocks lie in the caller's memory, untouched. An
/// edit, a mask or a rewrite gives the blocks that it touches a private copy, so biasing ten tokens copies at most ten
/// blocks and never the row. The last block is private and padded with -inf, so passes know whole blocks only.
class row {
public:
    row() noexcept = default;

    /// `blocks` holds block_count(size) pointers, `copies` block_count(size) * block_size floats. Logits that lie at
    /// the beginning of `copies` themselves are the private copy already.
    void assign(std::span<const float> logits, const float** blocks, float* copies) noexcept {
        assign(logits.data(), logits.size(), blocks, copies);
    }
    /// The same without a span, which costs every includer 150 instantiations where it is made.
    void assign(const float* logits, std::size_t size, const float** blocks, float* copies) noexcept {
        size_ = size;
        count_ = block_count(size_);
        blocks_ = blocks;
        copies_ = copies;
        saw_nan_ = saw_infinity_ = false;
        const std::size_t full = size_ / block_size;
        for (std::size_t b = 0; b < full; ++b) blocks_[b] = logits + b * block_size;
        if (full == count_) return;
        float* tail = copies_ + full * block_size;
        const std::size_t rest = size_ - full * block_size;
        if (logits != copies_) std::memcpy(tail, logits + full * block_size, rest * sizeof(float));
        for (std::size_t i = rest; i < block_size; ++i) tail[i] = illegal_logit;
        blocks_[full] = tail;
    }

    /// Whole blocks from anywhere, to read.
    void assign(const float** blocks, std::size_t count) noexcept {
        size_ = count * block_size;
        count_ = count;
        blocks_ = blocks;
        copies_ = nullptr;
        saw_nan_ = saw_infinity_ = false;
    }

    std::size_t size() const noexcept { return size_; }
    std::size_t blocks() const noexcept { return count_; }
    const float* block(std::size_t b) const noexcept { return blocks_[b]; }
    /// The logit of a token as it stands in memory, not canonical.
    float logit(std::size_t id) const noexcept { return blocks_[id / block_size][id % block_size]; }

    /// The block's private copy, made on first use.
    float* own(std::size_t b) noexcept {
        float* copy = copies_ + b * block_size;
        if (blocks_[b] != copy) {
            std::memcpy(copy, blocks_[b], block_size * sizeof(float));
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

    /// Replaces the logit of a token by change(logit), both canonical; ids outside the row are ignored.
    template <class Change>
    void edit(token_id id, Change change) noexcept {
        if (id < 0 || std::size_t(id) >= size_) return;
        float& logit = own(std::size_t(id) / block_size)[std::size_t(id) % block_size];
        saw_nan_ |= logit != logit;
        saw_infinity_ |= logit > greatest_logit;
        logit = canonical(change(canonical(logit)));
    }

    /// Whether an edit met one in the row.
    bool saw_nan() const noexcept { return saw_nan_; }
    bool saw_infinity() const noexcept { return saw_infinity_; }

private:
    const float** blocks_ = nullptr;
    float* copies_ = nullptr;
    std::size_t size_ = 0, count_ = 0;
    bool saw_nan_ = false, saw_infinity_ = false;
};

}  // namespace riffle
