#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <riffle/core/candidates.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/workspace.hpp>
#include <riffle/exact/rounded.hpp>

// The peer sorts by logit alone, with std::sort and std::partial_sort. Neither is stable, so which of two equal logits
// comes first follows from the host's implementation and from the sequence of calls, which is repeated here.

namespace riffle::exact {

/// The peer's order. NaN must never meet it: the standard sorts read out of bounds then. (An object, because the sorts
/// call a function through its address.)
inline constexpr auto greater_logit = [](const token_data& a, const token_data& b) noexcept {
    return a.logit > b.logit;
};

RIFFLE_NOINLINE inline bool any_nan(const candidates& c) noexcept {
    std::size_t i = 0;
    for (; i + 2 <= c.size; i += 2)  // one comparison for two
        if (__builtin_isunordered(c[i].logit, c[i + 1].logit)) return true;
    return i < c.size && c[i].logit != c[i].logit;
}

/// Up to here a partial sort is std::partial_sort; longer ones go through buckets.
inline constexpr std::size_t longest_heap_sort = 128;

/// Which of the 128 buckets over [-10, 10] a logit falls into. What is too large for an int, +inf too, falls into the
/// lowest: the conversion on x86 says INT_MIN.
RIFFLE_INLINE std::uint32_t bucket_of(float logit) noexcept {
    const std::int32_t bucket = to_int(times(6.4f, logit) + 64.0f);
    return bucket < 0 ? 0 : bucket > 127 ? 127 : std::uint32_t(bucket);
}

/// The first `count` of the candidates in the peer's order, sorted through buckets, into `sorted`, which has room for
/// all of them. The candidates stay as they are. 0 < count <= c.size.
RIFFLE_NOINLINE inline status_code bucket_sort(const candidates& c, std::size_t count, token_data* sorted) noexcept {
    constexpr std::uint32_t buckets = 128;
    std::size_t sizes[buckets] = {};
    bool nan = false;
    for (const auto& token : c) {
        nan |= token.logit != token.logit;
        ++sizes[bucket_of(token.logit)];
    }
    if (nan) return status_code::no_legal_token;

    token_data *first[buckets], *place[buckets];  // where each bucket begins, and where its next candidate goes
    std::uint32_t last = buckets;                 // the one that completes `count`
    std::size_t above = 0, kept = 0;              // candidates in the buckets over it, and with it
    while (kept < count) {
        --last;
        above = kept;
        first[last] = place[last] = sorted + kept;
        kept += sizes[last];
    }
    for (const auto& token : c)
        if (const auto bucket = bucket_of(token.logit); bucket >= last) *place[bucket]++ = token;

    for (std::uint32_t bucket = last + 1; bucket < buckets; ++bucket)
        std::sort(first[bucket], place[bucket], greater_logit);
    std::partial_sort(first[last], first[last] + (count - above), place[last], greater_logit);
    return status_code::ok;
}

/// Keeps the first `count` in the peer's order, sorted. count <= c.size.
RIFFLE_NOINLINE inline status_code keep_first_sorted(candidates& c, std::size_t count, workspace& memory) noexcept {
    if (count <= longest_heap_sort) {
        if (any_nan(c)) return status_code::no_legal_token;
        std::partial_sort(c.begin(), c.begin() + count, c.end(), greater_logit);
    } else {
        auto* const sorted = memory.room<token_data>(c.size);
        if (!sorted) return status_code::out_of_memory;
        if (const auto failure = bucket_sort(c, count, sorted); failure != status_code::ok) return failure;
        std::copy(sorted, sorted + count, c.data);
    }
    c.size = count;
    c.sorted = true;
    return status_code::ok;
}

/// All of them, unless they are flagged sorted, which is believed.
inline status_code sort_all(candidates& c, workspace& memory) noexcept {
    return c.sorted ? status_code::ok : keep_first_sorted(c, c.size, memory);
}

}  // namespace riffle::exact
