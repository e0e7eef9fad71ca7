#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>

#include <riffle/exact/form.hpp>
#include <riffle/exact/full_row.hpp>
#include <riffle/exact/softmax.hpp>
#include <riffle/samplers/typical.hpp>

namespace riffle::inline RIFFLE_ABI::exact {

/// llama_sampler_init_typical: tokens whose surprise is nearest to the entropy, until their p sum to more than p, in
/// that order and no longer sorted.
///
/// A candidate whose p is 0 makes the entropy NaN and with it the order meaningless: it is then what std::sort makes of
/// a comparison that is always false, and may leave illegal tokens. That is kept.
template <>
struct form<typical> {
    static status_code apply(const typical& spec, candidates& c, form_context& x) noexcept {
        if (spec.p >= 1.0f) return status_code::ok;
        if (const auto failure = sorted_softmax(c, x.memory); failure != status_code::ok) return failure;
        const auto room = sorting_room::of(x.memory, c.size);
        if (!room.order) return status_code::out_of_memory;

        float entropy = 0.0f;
        for (std::size_t i = 0; i < c.size; ++i) {
            const bool is_0 = c[i].p == 0.0f;  // llama.cpp has 0 * log(0), at which a host may trap
            const float log = is_0 ? 0.0f : libm::log(c[i].p);
            entropy += is_0 ? std::numeric_limits<float>::quiet_NaN() : times(-c[i].p, log);
            room.order[i] = {log, std::uint32_t(i)};
        }
        pad(room.order + c.size);
        for (std::size_t i = 0; i < c.size; ++i) {
            auto& distance = room.order[i].key;  // negative: the nearest come first
            distance = entropy == entropy ? -absolute(-distance - entropy) : 0.0f;
        }
        introsort(room.order, c.size);

        std::size_t kept = 0;
        float mass = 0.0f;
        for (bool complete = false; !complete && kept < c.size; ++kept) {
            room.sorted[kept] = c[room.order[kept].place];
            mass += room.sorted[kept].p;
            complete = mass > spec.p && (spec.min_keep == 0 || kept >= spec.min_keep - 1);
        }
        std::copy(room.sorted, room.sorted + kept, c.data);
        c.size = kept;
        c.sorted = false;
        return status_code::ok;
    }

    static row_answer apply_to_row(const typical& spec, full_row&, candidates&, const context&) noexcept {
        return spec.p >= 1.0f ? row_answer::stays : row_answer::undecided;
    }
};

}  // namespace riffle::exact
