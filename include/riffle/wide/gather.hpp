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

namespace riffle::inline RIFFLE_ABI::wide {

/// How many of the first `size` ids a packed mask leaves, counted up to `enough`.
inline std::size_t count_legal(std::span<const std::uint32_t> words, std::size_t size, std::size_t enough) noexcept {
    std::size_t legal = 0;
    for (std::size_t w = 0; w < words.size() && w * 32 < size && legal < enough; ++w) {
        const std::size_t rest = size - w * 32;
        const std::uint32_t inside = rest >= 32 ? ~0u : (1u << rest) - 1;
        legal += std::size_t(std::popcount(words[w] & inside));
    }
    return legal;
}

/// The tokens a mask leaves, as they stand in the row, in ascending id. O(V / 32 + legal).
inline std::size_t find_legal(const row& r, std::span<const std::uint32_t> words, token_data* out) noexcept {
    std::size_t n = 0;
    for (std::size_t w = 0; w < words.size() && w * 32 < r.size(); ++w)
        for (std::uint32_t bits = words[w]; bits; bits &= bits - 1) {
            const std::size_t id = w * 32 + std::size_t(std::countr_zero(bits));
            if (id < r.size()) out[n++] = {token_id(id), r.logit(id), 0.0f};
        }
    return n;
}

/// The tokens of a list of ids, in ascending id.
inline std::size_t find_legal(const row& r, std::span<const token_id> ids, token_data* out) noexcept {
    std::size_t n = 0;
    for (const token_id id : ids)
        if (id >= 0 && std::size_t(id) < r.size()) out[n++] = {id, r.logit(std::size_t(id)), 0.0f};
    return n;
}
/// The tokens that `legal` leaves, by words or by ids, in ascending id; out has room for all of them.
inline std::size_t find_legal(const row& r, const legal_tokens& legal, token_data* out) noexcept {
    return legal.ids.empty() ? find_legal(r, legal.words, out) : find_legal(r, legal.ids, out);
}

/// The packed words of a list of ids, in `words` for `size` of them.
inline std::span<const std::uint32_t> words_of(std::span<const token_id> ids, std::uint32_t* words,
                                               std::size_t size) noexcept {
    const std::size_t count = size / 32 + 1;
    std::fill_n(words, count, 0u);
    for (const token_id id : ids)
        if (id >= 0 && std::size_t(id) < size) words[std::size_t(id) / 32] |= 1u << (std::uint32_t(id) % 32);
    return {words, count};
}

/// Makes the ids that a mask does not leave -inf. Blocks left whole stay the caller's memory, blocks left empty all
/// share one; only mixed ones are copied.
struct hide_pass {
    template <int N>
    static RIFFLE_INLINE void run(row* const& r, std::span<const std::uint32_t> words) noexcept {
        using V = lanes<N>;
        using Ints = int_lanes<N>;
        constexpr std::size_t block_words = block_size / 32;
        std::int32_t bit[std::size_t(N)];
        for (int i = 0; i < N; ++i) bit[i] = std::int32_t(1u << i);
        const Ints lane_bit = Ints::load(bit);
        for (std::size_t b = 0; b < r->blocks(); ++b) {
            std::uint32_t legal[block_words] = {};
            std::uint32_t all = ~0u, any_bit = 0;
            for (std::size_t w = 0; w < block_words; ++w) {
                if (b * block_words + w < words.size()) legal[w] = words[b * block_words + w];
                all &= legal[w];
                any_bit |= legal[w];
            }
            if (all == ~0u) continue;
            if (any_bit == 0) {
                r->hide(b);
                continue;
            }
            float* x = r->own(b);
            for (std::size_t i = 0; i < block_size; i += N) {
                const Ints bits(std::int32_t(legal[i / 32] >> (i % 32)));
                blend((bits & lane_bit) != 0, V::load(x + i), V(illegal_logit)).store(x + i);
            }
        }
    }
};

template <class Row>
void hide_illegal(Row& r, std::span<const std::uint32_t> words) noexcept {
    run_baseline<hide_pass>(&r, words);
}

}  // namespace riffle::wide
