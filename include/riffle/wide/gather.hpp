#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/core/legal_tokens.hpp>
#include <riffle/core/row.hpp>
#include <riffle/core/token.hpp>
#include <riffle/math/lanes.hpp>
#include <riffle/wide/dispatch.hpp>
#include <riffle/wide/lane_operations.hpp>
#include <riffle/wide/max.hpp>

namespace riffle::inline RIFFLE_ABI::wide {

/// So many words of a mask are looked at together: where few tokens are legal, most have no bit.
inline constexpr std::size_t words_at_once = 16;

template <int N>
RIFFLE_INLINE bool have_a_bit(const std::uint32_t* words) noexcept {
    const auto* const from = reinterpret_cast<const std::int32_t*>(words);
    int_lanes<N> bits = int_lanes<N>::load(from);
    for (std::size_t i = N; i < words_at_once; i += N) bits = bits | int_lanes<N>::load(from + i);
    return any(bits);
}

/// How many of the first `size` ids a packed mask leaves, counted up to `enough`.
struct count_bits_pass {
    template <int N>
    static RIFFLE_INLINE std::size_t run(std::span<const std::uint32_t> words, const std::size_t& size,
                                         const std::size_t& enough) noexcept {
        const std::size_t whole = size / 32 < words.size() ? size / 32 : words.size();
        std::size_t legal = 0, w = 0;
        for (; w + words_at_once <= whole && legal < enough; w += words_at_once)
            if (have_a_bit<N>(words.data() + w))
                for (std::size_t i = w; i < w + words_at_once; i += 2)
                    legal += std::size_t(std::popcount(std::uint64_t{words[i]} << 32 | words[i + 1]));
        for (; w < whole && legal < enough; ++w) legal += std::size_t(std::popcount(words[w]));
        if (whole < words.size() && size % 32 != 0)
            legal += std::size_t(std::popcount(words[whole] & ((1u << size % 32) - 1)));
        return legal;
    }
};
inline std::size_t count_legal(std::span<const std::uint32_t> words, std::size_t size, std::size_t enough) noexcept {
    return wide::run<count_bits_pass>(words, size, enough);
}

/// The tokens a mask leaves, as they stand in the row, in ascending id. O(V / 32 + legal).
struct find_legal_pass {
    template <int N>
    static RIFFLE_INLINE std::size_t run(const detail::row& r, std::span<const std::uint32_t> words,
                                         token_data* const& out) noexcept {
        const std::size_t of_row = (r.size() + 31) / 32, count = words.size() < of_row ? words.size() : of_row;
        std::size_t n = 0;
        for (std::size_t w = 0; w < count;) {
            const std::size_t end = w + words_at_once < count ? w + words_at_once : count;
            if (end - w == words_at_once && !have_a_bit<N>(words.data() + w)) w = end;
            for (; w < end; ++w)
                for (std::uint32_t bits = words[w]; bits; bits &= bits - 1) {
                    const std::size_t id = w * 32 + std::size_t(std::countr_zero(bits));
                    if (id < r.size()) out[n++] = {token_id(id), r.logit(id), 0.0f};
                }
        }
        return n;
    }
};
template <class Row>
std::size_t find_legal(const Row& r, std::span<const std::uint32_t> words, token_data* out) noexcept {
    return wide::run<find_legal_pass>(r, words, out);
}

/// The tokens of a list of ids, in ascending id.
inline std::size_t find_legal(const detail::row& r, std::span<const token_id> ids, token_data* out) noexcept {
    std::size_t n = 0;
    for (const token_id id : ids)
        if (id >= 0 && std::size_t(id) < r.size()) out[n++] = {id, r.logit(std::size_t(id)), 0.0f};
    return n;
}
/// The tokens that `legal` leaves, by words or by ids, in ascending id; out has room for all of them.
template <class Row>
std::size_t find_legal(const Row& r, const legal_tokens& legal, token_data* out) noexcept {
    return legal.ids.empty() ? find_legal(r, legal.words, out) : find_legal(r, legal.ids, out);
}

/// Writes the packed words of a list of ascending ids, of those from 0 to below `size`. Each word is written once, and
/// none is read: they may lie in memory of a device.
inline void write_words(std::span<const token_id> ids, std::size_t size, std::span<std::uint32_t> words) noexcept {
    auto next = ids.begin();
    while (next != ids.end() && *next < 0) ++next;
    for (std::size_t w = 0; w < words.size(); ++w) {
        std::uint32_t bits = 0;
        for (; next != ids.end() && std::size_t(*next) / 32 == w && std::size_t(*next) < size; ++next)
            bits |= 1u << (std::uint32_t(*next) % 32);
        words[w] = bits;
    }
}
/// The packed words of a list of ids, in `words` for `size` of them.
inline std::span<const std::uint32_t> words_of(std::span<const token_id> ids, std::uint32_t* words,
                                               std::size_t size) noexcept {
    write_words(ids, size, {words, size / 32 + 1});
    return {words, size / 32 + 1};
}

/// Makes the ids that a mask does not leave -inf. Blocks left whole stay the caller's memory, blocks left empty all
/// share one; only mixed ones are copied, each read and written once. With `block_maxima` it finds what max_pass finds
/// of the row that comes of it, on the way.
struct hide_pass {
    template <int N>
    static RIFFLE_INLINE row_maximum run(detail::row* const& r, std::span<const std::uint32_t> words,
                                         float* const& block_maxima) noexcept {
        constexpr std::size_t block_words = block_size / 32;
        std::int32_t bit[std::size_t(N)];
        for (int i = 0; i < N; ++i) bit[i] = std::int32_t(1u << i);
        const int_lanes<N> lane_bit = int_lanes<N>::load(bit);
        row_maximum found{illegal_logit, false};
        for (std::size_t b = 0; b < r->blocks(); ++b) {
            std::uint32_t legal[block_words] = {};
            std::uint32_t all = ~0u, any_bit = 0;
            for (std::size_t w = 0; w < block_words; ++w) {
                if (b * block_words + w < words.size()) legal[w] = words[b * block_words + w];
                all &= legal[w];
                any_bit |= legal[w];
            }
            float of_block = illegal_logit;
            if (any_bit == 0) {
                r->hide(b);
            } else if (all != ~0u) {
                const float* const from = r->block(b);
                of_block = hide_block<N>(from, r->own_unfilled(b), legal, lane_bit, found.saw_nan);
            } else if (block_maxima) {
                of_block = maximum_of<N>(r->block(b), found.saw_nan);
            }
            if (!block_maxima) continue;
            block_maxima[b] = of_block;
            if (of_block > found.logit) found.logit = of_block;
        }
        return found;
    }

private:
    /// The greatest logit that is left.
    template <int N>
    static RIFFLE_INLINE float hide_block(const float* from, float* to, const std::uint32_t* legal,
                                          const int_lanes<N>& lane_bit, bool& saw_nan) noexcept {
        using V = lanes<N>;
        V m0(illegal_logit), m1 = m0;
        nan_search<N> nan;
        const auto left = [&](std::size_t i) {
            const int_lanes<N> bits(std::int32_t(legal[i / 32] >> (i % 32)));
            return blend((bits & lane_bit) != 0, V::load(from + i), V(illegal_logit));
        };
        for (std::size_t i = 0; i < block_size; i += 2 * N) {
            const V x0 = left(i), x1 = left(i + N);
            x0.store(to + i);
            x1.store(to + i + N);
            m0 = greater_of(x0, m0);  // a NaN compares false, so the maximum so far stays
            m1 = greater_of(x1, m1);
            nan.look_at(x0, x1);
        }
        saw_nan |= nan.found();
        return reduce_max(greater_of(m0, m1));
    }
    template <int N>
    static RIFFLE_INLINE float maximum_of(const float* from, bool& saw_nan) noexcept {
        using V = lanes<N>;
        V m0(illegal_logit), m1 = m0;
        nan_search<N> nan;
        for (std::size_t i = 0; i < block_size; i += 2 * N) {
            const V x0 = V::load(from + i), x1 = V::load(from + i + N);
            m0 = greater_of(x0, m0);
            m1 = greater_of(x1, m1);
            nan.look_at(x0, x1);
        }
        saw_nan |= nan.found();
        return reduce_max(greater_of(m0, m1));
    }
};

/// What is left, where block_maxima is there to hold the maximum of each block; else nothing is found.
template <class Row>
row_maximum hide_illegal(Row& r, std::span<const std::uint32_t> words, float* block_maxima = nullptr) noexcept {
    return wide::run<hide_pass>(&r, words, block_maxima);
}

}  // namespace riffle::wide
