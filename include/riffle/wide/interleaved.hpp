#pragma once
#include <cstdint>
#include <utility>

#include <riffle/core/token.hpp>
#include <riffle/math/lanes.hpp>

namespace riffle::inline RIFFLE_ABI::wide {

/// N candidates as three vectors: each field stands in every third lane, and no two candidates' values of it in the
/// same lane of different vectors (3 does not divide N). So a field is put together by blends, and then only out of
/// order. (g++ makes a gather of the plain loop, which takes five times as long.)
template <int N>
struct interleaved {
    using ints = int_lanes<N>;
    ints parts[3];

    static RIFFLE_INLINE interleaved load(const token_data* from) noexcept {
        interleaved r;
        for (int part = 0; part < 3; ++part)
            r.parts[part] = as_bits(lanes<N>::load(reinterpret_cast<const float*>(from) + part * N));
        return r;
    }
    /// Of ids and logits in the order of candidates; p is 0.
    static RIFFLE_INLINE interleaved of(const ints& ids, const ints& logits) noexcept {
        return {{woven<0>(ids, logits, lane_numbers()), woven<1>(ids, logits, lane_numbers()),
                 woven<2>(ids, logits, lane_numbers())}};
    }
    RIFFLE_INLINE void store(token_data* to) const noexcept {
        for (int part = 0; part < 3; ++part)
            lanes<N>::from_bits(parts[part]).store(reinterpret_cast<float*>(to) + part * N);
    }
    /// The field (id, logit, p) of all, those of lane i from the part that has it there.
    template <int Field>
    RIFFLE_INLINE ints field() const noexcept {
        return gathered<Field>(lane_numbers());
    }
    template <int Field>
    RIFFLE_INLINE void set_field(const ints& values) noexcept {
        parts[0] = blended<Field, 0>(parts[0], values, lane_numbers());
        parts[1] = blended<Field, 1>(parts[1], values, lane_numbers());
        parts[2] = blended<Field, 2>(parts[2], values, lane_numbers());
    }
    /// The ids that candidates 0 ... N - 1 would have there.
    static RIFFLE_INLINE ints expected_ids() noexcept {
        std::int32_t ids[std::size_t(N)];
        for (int part = 0; part < 3; ++part)
            for (int lane = 0; lane < N; ++lane)
                if ((part * N + lane) % 3 == 0) ids[lane] = (part * N + lane) / 3;
        return ints::load(ids);
    }
    /// The values of a field in the order of candidates, and back.
    template <int Field, int... Lane>
    static RIFFLE_INLINE ints in_order(const ints& values, std::integer_sequence<int, Lane...>) noexcept {
        return detail::permuted<((3 * Lane + Field) % N)...>(values, values);
    }
    template <int Field, int... Lane>
    static RIFFLE_INLINE ints out_of_order(const ints& values, std::integer_sequence<int, Lane...>) noexcept {
        return detail::permuted<place_of(Field, Lane)...>(values, values);
    }

private:
    using lane_numbers = std::make_integer_sequence<int, N>;

    template <int Field, int... Lane>
    RIFFLE_INLINE ints gathered(std::integer_sequence<int, Lane...>) const noexcept {
        const ints two = detail::permuted<(Lane + ((N + Lane) % 3 == Field ? N : 0))...>(parts[0], parts[1]);
        return detail::permuted<(Lane + ((2 * N + Lane) % 3 == Field ? N : 0))...>(two, parts[2]);
    }
    /// `a` with the lanes of b in which that part has the field.
    template <int Field, int Part, int... Lane>
    static RIFFLE_INLINE ints blended(const ints& a, const ints& b, std::integer_sequence<int, Lane...>) noexcept {
        return detail::permuted<(Lane + ((Part * N + Lane) % 3 == Field ? N : 0))...>(a, b);
    }
    template <int Part, int... Lane>
    static RIFFLE_INLINE ints woven(const ints& ids, const ints& logits, std::integer_sequence<int, Lane...>) noexcept {
        constexpr std::int32_t keep[std::size_t(N)] = {((Part * N + Lane) % 3 == 2 ? 0 : -1)...};
        return detail::permuted<((Part * N + Lane) / 3 + ((Part * N + Lane) % 3 == 1 ? N : 0))...>(ids, logits) &
               ints::load(keep);
    }
    /// The candidate whose field stands in that lane.
    static constexpr int place_of(int field, int lane) noexcept {
        int candidate = 0;
        while ((3 * candidate + field) % N != lane) ++candidate;
        return candidate;
    }
};

}  // namespace riffle::wide
