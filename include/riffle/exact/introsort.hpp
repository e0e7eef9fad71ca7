#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <riffle/wide/dispatch.hpp>
#include <riffle/wide/lane_operations.hpp>

// std::sort of libstdc++, several times as fast. Introsort (D. Musser, "Introspective Sorting and Selection
// Algorithms", 1997) does not keep the order of equal elements, and llama.cpp's tokens depend on what becomes of it.
// But what becomes of it is determined: which elements a partition exchanges, pair by pair, can be read from two masks,
// of those that stop the scan from the left and of those that stop the other (S. Edelkamp, A. Weiss, "BlockQuicksort",
// 2016, compute offsets so), and the insertion sort at the end keeps the order of equals. So nothing is left of it that
// a processor would have to guess, and the result is the same.

namespace riffle::inline RIFFLE_ABI::exact {

/// A key, and the place of what it belongs to.
struct ranked {
    float key;
    std::uint32_t place;
};
inline constexpr auto greater_key = [](const ranked& a, const ranked& b) noexcept { return a.key > b.key; };

/// Behind its last element an array has room for so many more, since blocks are read whole.
inline constexpr std::size_t introsort_padding = 32;
/// What stands there is compared, and not looked at; but a NaN may stop a host that traps.
inline void pad(ranked* end) noexcept {
    for (std::size_t i = 0; i < introsort_padding; ++i) end[i] = {0.0f, 0};
}

struct introsort_pass {
    template <int N>
    static RIFFLE_INLINE void run(ranked* const& items, std::size_t count) noexcept {
        constexpr std::size_t few = 16;  // as many as are left to insertion
        part waiting[2 * 64];            // one a partition on the way down
        std::size_t waits = 0;
        part p{0, count, 2 * std::size_t(std::bit_width(count))};
        if (count > 0) p.depth -= 2;
        for (;;) {
            while (p.last - p.first > few) {
                if (p.depth-- == 0) {
                    sort_by_heap(items + p.first, items + p.last);
                    p.first = p.last;
                    break;
                }
                const std::size_t cut = partition<N>(items, p.first, p.last);
                waiting[waits++] = {cut, p.last, p.depth};
                p.last = cut;
            }
            sort_few<N>(items + p.first, p.last - p.first);
            if (waits == 0) return;
            p = waiting[--waits];
        }
    }

private:
    struct part {
        std::size_t first, last, depth;
    };

    /// Too many partitions that split off little.
    RIFFLE_NOINLINE static void sort_by_heap(ranked* first, ranked* last) noexcept {
        std::make_heap(first, last, greater_key);
        std::sort_heap(first, last, greater_key);
    }

    static RIFFLE_INLINE void move_median_to(ranked& to, ranked& a, ranked& b, ranked& c) noexcept {
        ranked* median;
        if (a.key > b.key) median = b.key > c.key ? &b : a.key > c.key ? &c : &a;
        else median = a.key > c.key ? &a : b.key > c.key ? &c : &b;
        std::swap(to, *median);
    }

    // A block of 32, of which bit 2i of a mask stands for element i: keys are compared where they lie, among places.
    RIFFLE_LOCAL static constexpr std::size_t block = 32;

    template <int N>
    struct stops {
        static constexpr std::uint64_t all = 0x5555555555555555u;
        const lanes<N>& pivot;
        /// What stops the scan from the left: elements that do not come before the pivot.
        RIFFLE_INLINE std::uint64_t left(const ranked* from, std::size_t size) const noexcept {
            std::uint64_t bits = 0;
            for (int i = 0; i < 64; i += N) bits |= wide::lanes_reaching(pivot, loaded(from, i)) << i;
            return bits & keys_of(size);
        }
        /// What stops the one from the right: those that do not come behind it.
        RIFFLE_INLINE std::uint64_t right(const ranked* from, std::size_t size) const noexcept {
            std::uint64_t bits = 0;
            for (int i = 0; i < 64; i += N) bits |= wide::lanes_reaching(loaded(from, i), pivot) << i;
            return bits & keys_of(size);
        }

    private:
        static RIFFLE_INLINE lanes<N> loaded(const ranked* from, int i) noexcept {
            return lanes<N>::load(reinterpret_cast<const float*>(from) + i);
        }
        static RIFFLE_INLINE std::uint64_t keys_of(std::size_t size) noexcept { return all >> (64 - 2 * size); }
    };
    static RIFFLE_INLINE std::size_t lowest(std::uint64_t bits) noexcept { return std::size_t(std::countr_zero(bits)); }
    static RIFFLE_INLINE std::size_t highest(std::uint64_t bits) noexcept {
        return 63 - std::size_t(std::countl_zero(bits));
    }

    /// Around the median of three, which goes to the front and stays there; answers where the second part begins.
    template <int N>
    static RIFFLE_INLINE std::size_t partition(ranked* items, std::size_t first, std::size_t last) noexcept {
        move_median_to(items[first], items[first + 1], items[first + (last - first) / 2], items[last - 1]);
        const lanes<N> pivot(items[first].key);
        const stops<N> stop{pivot};
        std::size_t low = first + 1, high = last;  // between them nothing has been looked at
        ranked *from_left = items, *from_right = items;
        std::size_t left_size = 0, right_size = 0;
        std::uint64_t left = 0, right = 0;  // stopped there, and not exchanged yet
        for (;;) {
            if (left == 0) {
                left_size = (std::min)(block, high - low);
                if (left_size == 0) break;
                from_left = items + low;
                left = stop.left(from_left, left_size);
                low += left_size;
            }
            if (right == 0) {
                right_size = (std::min)(block, high - low);
                if (right_size == 0) break;
                high -= right_size;
                from_right = items + high;
                right = stop.right(from_right, right_size);
            }
            if (left == right && left == stop.all) {  // equal elements: all are exchanged
                for (std::size_t i = 0; i < block; ++i) std::swap(from_left[i], from_right[block - 1 - i]);
                left = right = 0;
            }
            for (; left && right; left &= left - 1) {
                const std::size_t top = highest(right);
                std::swap(from_left[lowest(left) / 2], from_right[top / 2]);
                right ^= std::uint64_t{1} << top;
            }
        }
        // One of the scans is within its last block, where the other meets it.
        if (left) {
            right = stop.right(from_left, left_size);
            return meet(items, from_left, left_size, left, right);
        }
        if (right) {
            left = stop.left(from_right, right_size);
            return meet(items, from_right, right_size, left, right);
        }
        return low;
    }
    static RIFFLE_INLINE std::size_t meet(ranked* items, ranked* from, std::size_t size, std::uint64_t left,
                                          std::uint64_t right) noexcept {
        while (left) {
            const std::size_t low = lowest(left);
            if (right == 0 || highest(right) <= low) return std::size_t(from - items) + low / 2;
            const std::size_t high = highest(right);
            std::swap(from[low / 2], from[high / 2]);
            left = (left & (left - 1)) | std::uint64_t{1} << high;
            right ^= std::uint64_t{1} << high;
        }
        return std::size_t(from - items) + size;
    }

    template <int N>
    static RIFFLE_INLINE void sort_few(ranked* items, std::size_t count) noexcept {
        if constexpr (N < 8) insert_each(items, count);
        else place_by_rank<N>(items, count);
    }
    static RIFFLE_INLINE void insert_each(ranked* items, std::size_t count) noexcept {
        for (std::size_t i = 1; i < count; ++i) {
            const ranked item = items[i];
            std::size_t to = i;
            for (; to > 0 && item.key > items[to - 1].key; --to) items[to] = items[to - 1];
            items[to] = item;
        }
    }
    /// An element comes behind those that are greater, and equal ones that stood before it.
    template <int N>
    static RIFFLE_INLINE void place_by_rank(ranked* items, std::size_t count) noexcept {
        ranked copy[16];
        float keys[16 + std::size_t(N)];
        for (std::size_t i = 0; i < 16; ++i) {
            copy[i] = items[i];
            keys[i] = copy[i].key;
        }
        keys[16] = keys[15];
        std::uint64_t in_order = 0;  // with the next
        for (int j = 0; j < 16; j += N)
            in_order |= wide::lanes_reaching(lanes<N>::load(keys + j), lanes<N>::load(keys + j + 1)) << j;
        if (count < 2 || (~in_order & ((std::uint64_t{1} << (count - 1)) - 1)) == 0) return;
        for (std::size_t i = 0; i < count; ++i) {
            const lanes<N> key(keys[i]);
            std::uint64_t reaching = 0, reached = 0;
            for (int j = 0; j < 16; j += N) {
                reaching |= wide::lanes_reaching(lanes<N>::load(keys + j), key) << j;
                reached |= wide::lanes_reaching(key, lanes<N>::load(keys + j)) << j;
            }
            const std::uint64_t before = (std::uint64_t{1} << i) - 1, all = (std::uint64_t{1} << count) - 1;
            items[std::popcount((~reached & all) | (reaching & before))] = copy[i];
        }
    }
};

/// Sorts by descending key, as std::sort of libstdc++ does with greater_key: equals come out in the same order. No key
/// is NaN; behind the items there is room for introsort_padding more. O(n log n).
inline void introsort(ranked* items, std::size_t count) noexcept {
#if defined(__GLIBCXX__)
    wide::run<introsort_pass>(items, count);
#else
    std::sort(items, items + count, greater_key);  // llama.cpp was compiled with the same library, as a rule
#endif
}

}  // namespace riffle::exact
