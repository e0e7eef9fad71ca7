#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <riffle/core/candidates.hpp>
#include <riffle/core/tuning.hpp>
#include <riffle/math/ordered.hpp>

namespace riffle::inline RIFFLE_ABI {

/// A candidate as two numbers that sort as the ranks do: by the key upwards, then by the id. Its logit is canonical.
struct RIFFLE_MAY_ALIAS rank_record {
    std::uint32_t key, id;

    static rank_record of(const token_data& token) noexcept {
        const auto upwards = std::bit_cast<std::uint32_t>(ordered_key(canonical(token.logit))) ^ 0x80000000u;
        return {~upwards, std::uint32_t(token.id) ^ 0x80000000u};
    }
    token_data token() const noexcept {
        return {token_id(id ^ 0x80000000u), from_ordered_key(std::bit_cast<std::int32_t>(~key ^ 0x80000000u)), 0.0f};
    }
    std::uint64_t both() const noexcept { return std::uint64_t{key} << 32 | id; }
};
/// Rises with the rank.
inline std::uint64_t rank_key(const token_data& token) noexcept { return rank_record::of(token).both(); }

namespace detail {

/// Sorts records by digits, from the lowest up (a radix sort), with as much room again.
class rank_radix {
public:
    /// `differing` has the bits in which two of the records' numbers differ, and no others are looked at.
    explicit rank_radix(std::uint64_t differing) noexcept {
        while (differing != 0) {
            const int shift = std::countr_zero(differing);
            shifts_[digits_++] = shift;
            differing &= shift + digit < 64 ? ~std::uint64_t{0} << (shift + digit) : 0;
        }
    }
    /// Those of `from`, to and fro; the answer says where they are at last.
    rank_record* sort(rank_record* from, rank_record* to, std::size_t count) const noexcept {
        for (int d = 0; d < digits_; ++d) {
            move_by_digit(from, to, count, shifts_[d]);
            rank_record* const sorted = to;
            to = from;
            from = sorted;
        }
        return from;
    }

private:
    static constexpr int digit = 11;
    static constexpr std::size_t radix = std::size_t{1} << digit;
    static constexpr int most_digits = (64 + digit - 1) / digit;

    static void move_by_digit(const rank_record* from, rank_record* to, std::size_t count, int shift) noexcept {
        std::uint32_t places[radix] = {};
        const auto bucket_of = [shift](const rank_record& r) { return std::uint32_t(r.both() >> shift) & (radix - 1); };
        for (std::size_t i = 0; i < count; ++i) ++places[bucket_of(from[i])];
        std::uint32_t place = 0;
        for (auto& p : places) {
            const std::uint32_t size = p;
            p = place;
            place += size;
        }
        for (std::size_t i = 0; i < count; ++i) to[places[bucket_of(from[i])]++] = from[i];
    }

    int shifts_[most_digits] = {};
    int digits_ = 0;
};

inline void copy_records(const rank_record* from, std::size_t count, rank_record* to) noexcept {
    if (from != to) std::memcpy(to, from, count * sizeof(rank_record));
}

/// Merges sorted records into `to`, of which b may be the end.
inline void merge_records(const rank_record* a, std::size_t a_size, const rank_record* b, std::size_t b_size,
                          rank_record* to) noexcept {
    const rank_record *const a_end = a + a_size, *const b_end = b + b_size;
    while (a < a_end && b < b_end) {  // without a branch that would have to be guessed
        const bool takes_b = b->both() < a->both();
        *to++ = takes_b ? *b : *a;
        b += takes_b;
        a += !takes_b;
    }
    if (a < a_end) copy_records(a, std::size_t(a_end - a), to);
    else copy_records(b, std::size_t(b_end - b), to);
}

}  // namespace detail

/// Puts candidates in the order of ranks, for one who needs no p: what was there is lost. O(size): a hundred thousand
/// take an eighth of what a sort that compares takes. No other memory is needed: without p the candidates leave a third
/// of theirs, in which each half of them is sorted before the halves are merged.
RIFFLE_NOINLINE inline void sort_without_p(candidates& c) noexcept {
    if (c.sorted) return;
    if (c.size < tuning::sorted_by_digits) return c.sort();

    auto* const records = reinterpret_cast<rank_record*>(c.data);
    std::uint64_t differing = 0;
    bool ids_ascend = true, is_sorted = true;
    const rank_record first = rank_record::of(c[0]);
    for (std::size_t i = 0; i < c.size; ++i) {
        const rank_record r = rank_record::of(c[i]);
        differing |= r.both() ^ first.both();
        if (i > 0) {
            ids_ascend &= records[i - 1].id < r.id;
            is_sorted &= records[i - 1].both() <= r.both();
        }
        records[i] = r;
    }
    if (!is_sorted) {
        if (ids_ascend) differing &= ~std::uint64_t{0xFFFFFFFFu};  // equal keys stay in order
        using namespace detail;
        const rank_radix radix(differing);
        const std::size_t half = c.size / 2;
        rank_record *const second = records + half, *const spare = records + c.size;
        copy_records(radix.sort(second, spare, half), half, second);
        copy_records(radix.sort(records, spare, half), half, spare);
        const rank_record last = records[c.size - 1];  // in no half, where their number is odd
        merge_records(spare, half, second, half, records);
        if (c.size % 2) {
            std::size_t place = c.size - 1;
            for (; place > 0 && last.both() < records[place - 1].both(); --place) records[place] = records[place - 1];
            records[place] = last;
        }
    }
    for (std::size_t i = c.size; i-- > 0;) {
        const rank_record r = records[i];
        c[i] = r.token();
    }
    c.sorted = true;
}

}  // namespace riffle
