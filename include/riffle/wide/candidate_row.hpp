#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <riffle/core/candidates.hpp>
#include <riffle/core/row.hpp>
#include <riffle/math/elementwise.hpp>
#include <riffle/math/ordered.hpp>
#include <riffle/wide/dispatch.hpp>
#include <riffle/wide/interleaved.hpp>
#include <riffle/wide/max.hpp>

// Candidates that are a row: one for every token, in the order of ids. A stage that has nothing but a narrow verb is
// given such; where it leaves them whole, the passes go on with a row of their logits.

namespace riffle::inline RIFFLE_ABI::wide {

/// Makes a candidate of every token, p = 0; memory behind them, up to a multiple of 16, is written too. The logits
/// become canonical, if that is asked for; then it answers whether one was not.
struct fill_candidates_pass {
    template <int N>
    static RIFFLE_INLINE bool run(const detail::row& r, bool makes_canonical, token_data* const& to) noexcept {
        using V = lanes<N>;
        int_lanes<N> changed(0), ids = int_lanes<N>::iota();
        token_data* out = to;
        for (std::size_t b = 0; b < r.blocks(); ++b) {
            const float* x = r.block(b);
            const std::size_t here = (std::min)(block_size, r.size() - b * block_size);
            for (std::size_t i = 0; i < here; i += N, out += N) {
                const V given = V::load(x + i), logits = makes_canonical ? canonical(given) : given;
                changed = changed | (as_bits(logits) ^ as_bits(given));
                interleaved<N>::of(ids, as_bits(logits)).store(out);
                ids = ids + N;
            }
        }
        return any(changed);
    }
};
template <class Row>
bool fill_candidates(const Row& r, bool makes_canonical, token_data* to) noexcept {
    return run<fill_candidates_pass>(r, makes_canonical, to);
}

/// What can be seen of c[0, whole) by reading them; N divides `whole`.
struct read_candidates {
    bool in_order = true;   ///< every candidate stands at the index of its id
    bool canonical = true;  ///< so are the logits
};
struct read_candidates_pass {
    template <int N>
    static RIFFLE_INLINE read_candidates run(const token_data* const& c, std::size_t whole) noexcept {
        int_lanes<N> changed(0), displaced(0), ids = interleaved<N>::expected_ids();
        for (std::size_t i = 0; i < whole; i += N) {
            const auto group = interleaved<N>::load(c + i);
            const auto bits = group.template field<1>();
            changed = changed | (as_bits(canonical(lanes<N>::from_bits(bits))) ^ bits);
            displaced = displaced | (group.template field<0>() ^ ids);
            ids = ids + int_lanes<N>(N);
        }
        return {!any(displaced), !any(changed)};
    }
};
/// Makes them canonical.
struct canonical_candidates_pass {
    template <int N>
    static RIFFLE_INLINE void run(token_data* const& c, std::size_t whole) noexcept {
        for (std::size_t i = 0; i < whole; i += N) {
            auto group = interleaved<N>::load(c + i);
            const auto logits = lanes<N>::from_bits(group.template field<1>());
            group.template set_field<1>(as_bits(canonical(logits)));
            group.store(c + i);
        }
    }
};
/// Makes the logits of all canonical, and answers whether they stand in the order of their ids, one for every token.
/// O(n), and the memory is only read where there is nothing to do.
template <class Candidates>
bool make_candidates_canonical(Candidates& c) noexcept {
    const std::size_t whole = c.size / 16 * 16;
    const read_candidates seen = run<read_candidates_pass>(static_cast<const token_data*>(c.data), whole);
    if (!seen.canonical) run<canonical_candidates_pass>(c.data, whole);
    bool in_order = seen.in_order;
    for (std::size_t i = whole; i < c.size; ++i) {
        c[i].logit = canonical(c[i].logit);
        in_order = in_order && c[i].id == token_id(i);
    }
    return in_order;
}

/// What there is to know of candidates that are a row.
struct row_found {
    bool is_row = false;  ///< every candidate stands at the index of its id
    bool has_p = false;   ///< p of some is not +0
    row_maximum maximum{};
};

/// Copies the logits of c to `to`, padded to whole blocks with -inf, and takes the block maxima on the way.
struct copy_logits_pass {
    template <int N>
    static RIFFLE_INLINE row_found run(const candidates& c, float* const& to, float* const& block_maxima) noexcept {
        using V = lanes<N>;
        constexpr auto all = std::make_integer_sequence<int, N>();
        int_lanes<N> displaced(0), p(0), ids = interleaved<N>::expected_ids();
        nan_search<N> nans;
        float greatest = illegal_logit;
        const std::size_t full = c.size / block_size;
        for (std::size_t b = 0; b < full; ++b) {
            V block_maximum[2] = {V(illegal_logit), V(illegal_logit)};
            for (std::size_t i = b * block_size; i < (b + 1) * block_size; i += 2 * N) {
                V pair[2];
                for (std::size_t half = 0; half < 2; ++half) {
                    const auto group = interleaved<N>::load(c.data + i + half * N);
                    const V logits = V::from_bits(interleaved<N>::template in_order<1>(group.template field<1>(), all));
                    logits.store(to + i + half * N);
                    pair[half] = logits;
                    displaced = displaced | (group.template field<0>() ^ ids);
                    p = p | group.template field<2>();
                    ids = ids + int_lanes<N>(N);
                    block_maximum[half] = greater_of(logits, block_maximum[half]);  // a NaN is passed over
                }
                nans.look_at(pair[0], pair[1]);
            }
            block_maxima[b] = reduce_max(greater_of(block_maximum[0], block_maximum[1]));
            if (block_maxima[b] > greatest) greatest = block_maxima[b];
        }
        row_found found;
        found.maximum.saw_nan = nans.found();
        std::int32_t displaced_in_tail = 0;
        if (full * block_size < c.size) {
            float* const tail = to + full * block_size;
            float block_maximum = illegal_logit;
            for (std::size_t i = 0; i < block_size; ++i) {
                const std::size_t id = full * block_size + i;
                tail[i] = id < c.size ? c.data[id].logit : illegal_logit;
                if (id >= c.size) continue;
                displaced_in_tail |= c.data[id].id ^ token_id(id);
                found.has_p |= std::bit_cast<std::uint32_t>(c.data[id].p) != 0;
                found.maximum.saw_nan |= tail[i] != tail[i];
                if (tail[i] > block_maximum) block_maximum = tail[i];
            }
            block_maxima[full] = block_maximum;
            if (block_maximum > greatest) greatest = block_maximum;
        }
        found.is_row = !any(displaced) && displaced_in_tail == 0;
        found.has_p |= any(p);
        found.maximum.logit = greatest;
        return found;
    }
};
/// `row` and `block_maxima` have room for all blocks. O(n).
template <class Candidates>
row_found copy_logits(const Candidates& c, float* row, float* block_maxima) noexcept {
    return run<copy_logits_pass>(c, row, block_maxima);
}

}  // namespace riffle::wide
