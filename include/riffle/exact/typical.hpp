#pragma once
#include <algorithm>
#include <cstdint>

#include <riffle/core/llama_form.hpp>
#include <riffle/exact/softmax.hpp>
#include <riffle/samplers/typical.hpp>
#include <riffle/wide/llama_row.hpp>

namespace riffle::exact {

/// llama_sampler_init_typical: tokens whose surprise is nearest to the entropy, until their p sum to more than p, in
/// that order and no longer sorted.
///
/// A candidate whose p is 0 makes the entropy NaN and with it the order meaningless: it is then what std::sort makes of
/// a comparison that is always false, and may leave illegal tokens. That is kept.
template <>
struct form<typical> {
    static status_code apply(const typical& spec, candidates& c, surroundings& x) noexcept {
        if (spec.p >= 1.0f) return status_code::ok;
        if (const auto failure = sorted_softmax(c, x.memory); failure != status_code::ok) return failure;
        // One piece of memory holds the tokens in their new order, their distances from the entropy, and the order.
        auto* const ordered = reinterpret_cast<token_data*>(x.memory.room<char>(c.size * bytes_each));
        if (!ordered) return status_code::out_of_memory;
        auto* const distances = reinterpret_cast<float*>(ordered + c.size);
        auto* const order = reinterpret_cast<std::uint32_t*>(distances + c.size);

        const float entropy = entropy_of(c);
        for (std::size_t i = 0; i < c.size; ++i) {
            distances[i] = absolute(-libm::log(c[i].p) - entropy);
            order[i] = std::uint32_t(i);
        }
        std::sort(order, order + c.size, [&](std::uint32_t a, std::uint32_t b) { return distances[a] < distances[b]; });

        std::size_t kept = 0;
        float mass = 0.0f;
        for (bool complete = false; !complete && kept < c.size; ++kept) {
            ordered[kept] = c[order[kept]];
            mass += ordered[kept].p;
            complete = mass > spec.p && (spec.min_keep == 0 || kept >= spec.min_keep - 1);
        }
        std::copy(ordered, ordered + kept, c.data);
        c.size = kept;
        c.sorted = false;
        return status_code::ok;
    }

    static row_answer apply_to_row(const typical& spec, wide::llama_row&, candidates&, const context&) noexcept {
        return spec.p >= 1.0f ? row_answer::stays : row_answer::undecided;
    }

private:
    static constexpr std::size_t bytes_each = sizeof(token_data) + sizeof(float) + sizeof(std::uint32_t);

    static float entropy_of(const candidates& c) noexcept {
        float entropy = 0.0f;
        for (const auto& token : c) entropy += times(-token.p, libm::log(token.p));
        return entropy;
    }
};

}  // namespace riffle::exact
