#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/chain/plan.hpp>
#include <riffle/core/candidates.hpp>
#include <riffle/core/legal_tokens.hpp>
#include <riffle/core/row.hpp>
#include <riffle/core/size_arithmetic.hpp>
#include <riffle/core/storage.hpp>
#include <riffle/core/token_counts.hpp>
#include <riffle/wide/histogram.hpp>

namespace riffle::inline RIFFLE_ABI {

namespace detail {

/// What a machine works in for one step, cut out of one piece of memory. Sized for the vocabulary once; most of it is
/// only touched by chains that need it. Nothing is initialised. With `blocks` of 256 logits a row:
struct scratch {
    const float** blocks = nullptr;         ///< where each block of the row lies [blocks]
    float* block_maxima = nullptr;          ///< the maximum of each block [blocks + 16, for padding]
    std::uint64_t* masses = nullptr;        ///< the mass of each block [blocks]
    float* groups = nullptr;                ///< maxima of groups within blocks [16 · (blocks + 1)]
    std::uint64_t* bins = nullptr;          ///< a histogram [wide::buckets::count]
    detail::kept_edits* edits = nullptr;    ///< logits that were edited [1]
    float* copies = nullptr;                ///< private copies of blocks [256 · blocks]
    token_data* tokens = nullptr;           ///< candidates [256 · blocks]
    token_counts::slot* counted = nullptr;  ///< occurrences of recent tokens [slots_for(window)]
    std::int32_t* lengths = nullptr;        ///< a number beside each recent token [window]
    legal_tokens* legal = nullptr;          ///< what each stage that masks leaves legal in this step [max_stages]
    std::uint32_t* legal_words = nullptr;   ///< room for a mask [8 · blocks + 1]
    std::span<std::byte> spare;             ///< for what stages ask beyond that

    /// Bytes for rows of `row_size` logits, as many as a token_id can index at most, a window of `window` tokens and
    /// `spare` bytes more; `uncountable` where they are more than that.
    static constexpr std::size_t bytes(std::size_t row_size, std::size_t window, std::size_t spare) noexcept {
        return scratch().carve(nullptr, row_size, window, spare);
    }
    /// Points into `memory`, which is aligned to storage::alignment.
    static scratch in(std::byte* memory, std::size_t row_size, std::size_t window, std::size_t spare) noexcept {
        detail::scratch s;
        s.carve(memory, row_size, window, spare);
        return s;
    }

private:
    template <class T>
    static constexpr void take(T*& array, std::byte* memory, std::size_t& used, std::size_t count) noexcept {
        if (memory) array = reinterpret_cast<T*>(memory + used);
        used = behind(used, count, sizeof(T));
    }
    RIFFLE_NOINLINE static constexpr std::size_t behind(std::size_t used, std::size_t count,
                                                        std::size_t size) noexcept {
        return saturating::sum(used, saturating::rounded_up(saturating::product(count, size), storage::alignment));
    }
    constexpr std::size_t carve(std::byte* memory, std::size_t row_size, std::size_t window,
                                std::size_t spare_bytes) noexcept {
        const std::size_t count = block_count(row_size);
        std::size_t used = 0;
        take(blocks, memory, used, count);
        take(block_maxima, memory, used, count + 16);
        take(edits, memory, used, 1);
        take(legal, memory, used, max_stages);
        take(counted, memory, used, token_counts::slots_for(window));
        take(masses, memory, used, count);
        take(groups, memory, used, (count + 1) * 16);
        take(bins, memory, used, wide::buckets::count);
        take(copies, memory, used, count * block_size);
        take(tokens, memory, used, count * block_size);
        take(lengths, memory, used, window);
        take(legal_words, memory, used, count * (block_size / 32) + 1);
        std::byte* first = nullptr;
        take(first, memory, used, spare_bytes);
        spare = {first, first ? spare_bytes : 0};
        return used;
    }
};

}  // namespace detail

}  // namespace riffle
