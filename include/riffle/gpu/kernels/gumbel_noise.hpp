#pragma once
#include <array>
#include <cstdint>

#include <riffle/gpu/kernels/row_tokens.hpp>
#include <riffle/math/config.hpp>
#include <riffle/wide/pick.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// The Gumbel noise of a step: for each token a random word keyed by its id (math/philox.hpp, of which this is the
/// first word), and what noise it stands for. The keys of the ten rounds are the same for all tokens, and made once.
class gumbel_noise {
public:
    constexpr explicit gumbel_noise(assembler& code) noexcept : code_(code) {}

    /// Reads the counter and the seed of the present stage.
    constexpr void prepare(const row_tokens& row) noexcept {
        for (std::uint32_t i = 0; i < counter_.size(); ++i) {
            counter_[i].declare(code_);
            counter_[i] = row.stage_request(stage_word::parameters + i);
        }
        const u32 first = row.stage_request(stage_word::parameters + 3),
                  second = row.stage_request(stage_word::parameters + 4);
        for (std::uint32_t round = 0; round < rounds; ++round) {
            for (auto* keys : {&first_keys_, &second_keys_}) (*keys)[round].declare(code_);
            first_keys_[round] = first + 0x9E3779B9u * round;
            second_keys_[round] = second + 0xBB67AE85u * round;
        }
    }
    constexpr u32 random_word(const u32& id) const noexcept {
        u32 a = id, b = counter_[0], c = counter_[1], d = counter_[2];
        for (std::uint32_t round = 0; round + 1 < rounds; ++round) {
            const word_pair from_a = spirv::multiply_wide(a, 0xD2511F53u),
                            from_c = spirv::multiply_wide(c, 0xCD9E8D57u);
            // The last round asks for two of them.
            if (round + 2 < rounds) a = from_c.high ^ b ^ first_keys_[round].load();
            b = from_c.low;
            c = from_a.high ^ d ^ second_keys_[round].load();
            if (round + 2 < rounds) d = from_a.low;
        }
        return spirv::multiply_wide(c, 0xCD9E8D57u).high ^ b ^ first_keys_[rounds - 1].load();
    }
    /// No noise is greater.
    static constexpr float greatest = greatest_gumbel_noise;
    /// A number that the noise of a word does not exceed, at a tenth of the cost: -log(-log(1 - v)) <= -log v, and the
    /// bits of a float are its logarithm to the base of 2 but for what a straight line lacks between two powers.
    static constexpr f32 bound_of(const u32& random) noexcept {
        using spirv::i32;
        const f32 scaled = f32::from_int(i32(random >> 1u)) + f32(0.5f);                       // 2^31 v
        return f32::from_int(as_bits(scaled)) * f32(-8.2629586e-8f) + f32(109.518f + 0.001f);  // -ln 2 / 2^23, 158 ln 2
    }
    static constexpr f32 of(const u32& random) noexcept { return gumbel_noise_of<f32>(spirv::i32(random)); }

private:
    static constexpr std::uint32_t rounds = 10;

    assembler& code_;
    std::array<private_variable<u32>, noise_parameters - 2> counter_;
    std::array<private_variable<u32>, rounds> first_keys_, second_keys_;
};

}  // namespace riffle::gpu
