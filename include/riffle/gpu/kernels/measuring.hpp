#pragma once
#include <cstddef>
#include <cstdint>

#include <riffle/gpu/kernels/exact_numbers.hpp>
#include <riffle/gpu/kernels/survivors.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// Sums over all tokens that are left, whether they are still in the row or have been taken out of it.
class measuring {
public:
    constexpr measuring(work_group& of, row_tokens& row, survivors& few) noexcept
        : numbers(of.code), mass(of.code, {0u, 0u}), legal(of.code, u32(0u)), distances(of.code, {0u, 0u}),
          deviation(of.code, f32(0.0f)), group_(of), code_(of.code), row_(row), few_(few) {}

    /// visit(key, id) of all tokens (see row_tokens::visitor).
    template <class Visit>
    constexpr void for_each(Visit visit, row_pass how = {}) noexcept {
        const auto visitor = row_.visitor(visit);
        spirv::if_(
            code_, few_.are_listed(),
            [&] {
                const u32 key = few_.key;
                spirv::if_(code_, key != 0u, [&] { visitor(key, few_.id); });
            },
            [&] { row_.for_each(visitor, how); });
    }

    exact_numbers numbers;
    private_pair mass;                ///< Σ w beside the maximum
    private_variable<u32> legal;      ///< how many tokens there are
    private_pair distances;           ///< Σ w·d, where asked for
    private_variable<f32> deviation;  ///< of their logits

    /// Mass and number; `parts` as in facts::softmax_parts.
    constexpr void measure_softmax(std::uint8_t parts) noexcept {
        const bool with_distances = (parts & softmax_part::distances) != 0;
        mass = {0u, 0u};
        legal = 0u;
        distances = {0u, 0u};
        for_each([&](const u32& key, const u32&) {
            const u32 weight = row_.weight(key);
            mass.add(spirv::wide(weight));
            legal = legal + blend(key == 0u, u32(0u), u32(1u));
            if (with_distances) distances.add(spirv::multiply_wide(weight, distance_of(key)));
        });
        mass = group_.sum(mass.load());
        legal = group_.sum(legal.load());
        if (with_distances) distances = group_.sum(distances.load());
    }
    /// log Σ exp(l - maximum) (softmax_statistics::log_mass).
    constexpr f32 log_mass() const noexcept {
        const f32 mass_as_float = numbers.to_float(mass) * f32(9.31322575e-10f);  // 2^-30
        return code_.options().precise ? log(mass_as_float) : native_log(mass_as_float);
    }
    /// -Σ p log p = log Σ exp + Σ p·d, of which the latter in units of 2^-24 (softmax_statistics::entropy).
    constexpr f32 entropy() const noexcept {
        const word_pair d = distances;
        const spirv::word_quad times_256{{d.low << 8u, (d.high << 8u) | (d.low >> 24u), d.high >> 24u, 0u}};
        return log_mass() + numbers.to_float(numbers.divide(times_256, mass)) * f32(5.96046448e-8f);
    }

    /// Σ p·d in units of 2^-16 nats, rounded down (softmax_statistics::mean_distance).
    constexpr u32 mean_distance() const noexcept {
        const word_pair d = distances;
        return numbers.divide(spirv::word_quad{{d.low, d.high, 0u, 0u}}, mass).low;
    }

    /// The population deviation of the logits (moments::deviation).
    constexpr void measure_deviation() noexcept {
        private_variable<u32> my_count(code_, u32(0u));
        private_pair my_sum(code_, {0u, 0u}), my_squares(code_, {0u, 0u});
        for_each([&](const u32& key, const u32&) {
            const u32 distance = distance_of(key);
            my_count = my_count + blend(key == 0u, u32(0u), u32(1u));
            my_sum.add(spirv::wide(distance));
            my_squares.add(spirv::multiply_wide(distance, distance));
        });
        const u32 n = group_.sum(my_count.load());
        const word_pair sum = group_.sum(my_sum.load());
        // In two halves of 32 bits each, as the sum of all squares may need more than 64.
        const word_pair squares = my_squares;
        const word_pair low_squares = group_.sum(spirv::wide(squares.low));
        const word_pair high_squares = group_.sum(spirv::wide(squares.high));

        // sqrt((N Σd² - (Σd)²) / N²) in units of 2^-24
        const word_quad low_part = spirv::multiply_wide(low_squares, spirv::wide(n));
        const word_quad high_part = spirv::multiply_wide(high_squares, spirv::wide(n));
        const word_quad shifted{{0u, high_part.words[0], high_part.words[1], high_part.words[2]}};
        const word_quad difference = (low_part + shifted) - spirv::multiply_wide(sum, sum);
        const word_pair variance = numbers.divide(difference, spirv::multiply_wide(n, n));
        const word_pair scaled{variance.low << 16u, (variance.high << 16u) | (variance.low >> 16u)};
        deviation = numbers.to_float(spirv::wide(numbers.square_root(scaled))) * f32(5.96046448e-8f);
    }

private:
    /// In units of 2^-16 nats under the maximum; 0 for a key of 0.
    constexpr u32 distance_of(const u32& key) const noexcept {
        const u32 distance(fixed_distance(logit_of(key), row_.maximum()));
        return blend(key == 0u, u32(0u), distance);
    }

    work_group& group_;
    assembler& code_;
    row_tokens& row_;
    survivors& few_;
};

}  // namespace riffle::gpu
