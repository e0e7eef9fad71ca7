#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <riffle/core/candidates.hpp>
#include <riffle/core/size_arithmetic.hpp>
#include <riffle/core/status.hpp>
#include <riffle/exact/introsort.hpp>
#include <riffle/exact/rounded.hpp>
#include <riffle/exact/workspace.hpp>

// llama.cpp sorts by logit alone, with std::sort and std::partial_sort. Neither is stable, so which of two equal logits
// comes first follows from the host's implementation and from the sequence of calls, which is repeated here.

namespace riffle::inline RIFFLE_ABI::exact {

/// llama.cpp's order. NaN must never meet it: the standard sorts read out of bounds then. (An object, because the sorts
/// call a function through its address.)
RIFFLE_LOCAL inline constexpr auto greater_logit = [](const token_data& a, const token_data& b) noexcept {
    return a.logit > b.logit;
};

RIFFLE_NOINLINE inline bool any_nan(const candidates& c) noexcept {
    std::size_t i = 0;
    for (; i + 2 <= c.size; i += 2)  // one comparison for two
        if (RIFFLE_C_MATH(isunordered)(c[i].logit, c[i + 1].logit)) return true;
    return i < c.size && c[i].logit != c[i].logit;
}

/// Up to here a partial sort is std::partial_sort; longer ones go through buckets.
inline constexpr std::size_t longest_heap_sort = 128;

/// The 128 buckets over [-10, 10] through which longer sorts go: each sorted for itself, from the highest down to the
/// one that completes the number wanted, of which no more are sorted than are wanted.
class logit_buckets {
public:
    /// Which bucket a logit falls into. What is too large for an int, +inf too, falls into the lowest: the conversion
    /// on x86, which llama.cpp makes, says INT_MIN. Here nothing is converted that does not fit.
    static RIFFLE_INLINE std::uint32_t of(float logit) noexcept {
        const float place = times(6.4f, logit) + 64.0f, of_int = place < 0x1p31f ? place : 0.0f;
        const float from_lowest = of_int > 0.0f ? of_int : 0.0f;
        return std::uint32_t(std::int32_t(from_lowest < 127.0f ? from_lowest : 127.0f));
    }

    /// Puts the logits logit_of(0) ... logit_of(size - 1) of the buckets that are looked at into `order`, which has
    /// room for all of them and introsort_padding more. False where there is a NaN. 0 < count <= size.
    template <class LogitOf>
    bool fill(LogitOf logit_of, std::size_t size, std::size_t count, ranked* order) noexcept {
        std::size_t parts[4][buckets] = {};  // four, since where one bucket holds most an increment waits for the last
        std::size_t nans = 0;
        for (std::size_t i = 0; i < size; ++i) {
            const float logit = logit_of(i);
            nans += logit != logit;
            ++parts[i % 4][of(logit)];
        }
        if (nans) return false;

        ranked* place[buckets];  // where the next of each bucket goes
        order_ = order;
        wanted_ = count;
        lowest_ = buckets;
        std::size_t kept = 0;
        do {  // once at least, so that g++ sees that lowest_ is a bucket
            --lowest_;
            first_[lowest_] = kept;
            place[lowest_] = order + kept;
            for (const auto& part : parts) kept += part[lowest_];
        } while (kept < count && lowest_ > 0);
        end_ = kept;
        pad(order + kept);
        if (first_[lowest_] == 0 && kept == size) {  // all in one
            for (std::size_t i = 0; i < size; ++i) order[i] = {logit_of(i), std::uint32_t(i)};
            return true;
        }
        for (std::size_t i = 0; i < size; ++i) {
            const float logit = logit_of(i);
            if (const auto bucket = of(logit); bucket >= lowest_) *place[bucket]++ = {logit, std::uint32_t(i)};
        }
        return true;
    }

    /// The highest bucket that is not sorted yet. How many are sorted then, all in all.
    std::size_t sort_next() noexcept {
        sort(--next_);
        return end_of(next_);
    }
    /// sort_next for one who looks at logits alone, from behind what that has sorted: a bucket of descending ones is
    /// left as it is, since sorting may move equal ones.
    std::size_t sort_next_logits() noexcept {
        next_logits_ = (std::min)(next_logits_, next_) - 1;
        const ranked* const first = order_ + first_[next_logits_];
        const std::size_t end = end_of(next_logits_);
        if (!std::is_sorted(first, static_cast<const ranked*>(order_) + end, greater_key)) sort(next_logits_);
        return end;
    }

private:
    static constexpr std::uint32_t buckets = 128;
    ranked* order_ = nullptr;
    std::size_t first_[buckets] = {};  ///< where each of them begins
    std::size_t end_ = 0, wanted_ = 0;
    std::uint32_t lowest_ = buckets, next_ = buckets, next_logits_ = buckets;
    bool sorted_[buckets] = {};

    /// Where it ends among those that are sorted.
    std::size_t end_of(std::uint32_t bucket) const noexcept { return bucket == lowest_ ? wanted_ : first_[bucket - 1]; }
    void sort(std::uint32_t bucket) noexcept {
        if (sorted_[bucket]) return;
        sorted_[bucket] = true;
        ranked* const first = order_ + first_[bucket];
        if (bucket == lowest_) std::partial_sort(first, order_ + wanted_, order_ + end_, greater_key);
        else introsort(first, end_of(bucket) - first_[bucket]);
    }
};

/// Memory to sort so many candidates in: as what is compared, and as candidates.
struct sorting_room {
    ranked* order;
    token_data* sorted;
    static_assert(sizeof(ranked) == 2 * sizeof(float) && introsort_padding == workspace::sorting_padding);
    /// Null pointers where there is none.
    static sorting_room of(workspace& memory, std::size_t size) noexcept {
        using namespace saturating;
        const std::size_t comparing = product(sum(size, introsort_padding), sizeof(ranked));
        auto* const bytes = memory.room<std::byte>(sum(comparing, product(size, sizeof(token_data))));
        if (!bytes) return {};
        return {reinterpret_cast<ranked*>(bytes), reinterpret_cast<token_data*>(bytes + comparing)};
    }
};

/// Candidates sorted as llama.cpp's bucket sort does as long as somebody wants more: `wants_more(sorted, n)` sees the
/// first n of them, and ends it at `count` or by false. The candidates stay as they are.
template <class WantsMore>
status_code bucket_sort(const candidates& c, std::size_t count, const sorting_room& room,
                        WantsMore wants_more) noexcept {
    logit_buckets buckets;
    if (!buckets.fill([&c](std::size_t i) noexcept { return c[i].logit; }, c.size, count, room.order))
        return status_code::no_legal_token;
    for (std::size_t done = 0; done < count;) {
        const std::size_t sorted = buckets.sort_next();
        for (; done < sorted; ++done) room.sorted[done] = c[room.order[done].place];
        if (!wants_more(room.sorted, done)) break;
    }
    return status_code::ok;
}

/// Keeps the first `count` in llama.cpp's order, sorted. count <= c.size.
RIFFLE_NOINLINE inline status_code keep_first_sorted(candidates& c, std::size_t count, workspace& memory) noexcept {
    if (count <= longest_heap_sort) {
        if (any_nan(c)) return status_code::no_legal_token;
        std::partial_sort(c.begin(), c.begin() + count, c.end(), greater_logit);
    } else {
        const auto room = sorting_room::of(memory, c.size);
        if (!room.order) return status_code::out_of_memory;
        const auto all = [](const token_data*, std::size_t) noexcept { return true; };
        if (const auto failure = bucket_sort(c, count, room, all); failure != status_code::ok) return failure;
        std::copy(room.sorted, room.sorted + count, c.data);
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
