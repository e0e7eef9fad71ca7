#pragma once
#include <cstdint>

#include <riffle/gpu/host/kernel_options.hpp>
#include <riffle/gpu/kernels/keys.hpp>
#include <riffle/gpu/spirv/control.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// A logit as it is loaded, a word: the bits of a float, or those of a 16-bit float in the upper half. Of bfloat16 that
/// is the float. Words of float16 are not, but they have the order of floats, so that extremes and bounds need no
/// float of every token; what is computed with becomes one.
class logit_words {
public:
    constexpr logit_words(assembler& code, logit_format of) noexcept : of_(of) {
        if (are_floats()) return;
        float_bits_ = spirv::integer_function<1>(code, [](const u32& loaded) {
            const u32 sign = loaded & sign_bit, magnitude = (loaded & 0x7fff0000u) >> 3u;
            // Where the exponent is 0 the number is the fraction alone: the difference of two floats, an exact one.
            const f32 fraction = f32::from_bits(magnitude + 0x38800000u) - f32(0x1p-14f);
            const u32 alone(as_bits(fraction));
            const u32 bias = blend(magnitude < 0x0f800000u, u32((127u - 15u) << 23u), u32((255u - 31u) << 23u));
            return sign | blend(magnitude < 0x00800000u, alone, magnitude + bias);
        });
    }
    /// Whether two of them lie in 32 bits.
    constexpr bool are_halves() const noexcept { return of_ != logit_format::float32; }
    /// Whether words are the bits of floats.
    constexpr bool are_floats() const noexcept { return of_ != logit_format::float16; }
    /// The bits of the float that a word stands for. In the order of words, NaN among them.
    constexpr u32 float_bits(const u32& loaded) const noexcept { return are_floats() ? loaded : float_bits_(loaded); }
    /// The word of a 16-bit logit, in the 32 bits that hold it and another: the upper one where `at` is odd.
    static constexpr u32 half_of(const u32& pair, const u32& at) noexcept { return (pair >> ((at & 1u) << 4u)) << 16u; }
    /// The word of +inf.
    constexpr std::uint32_t infinity() const noexcept { return are_floats() ? 0x7f800000u : 0x7c000000u; }

private:
    logit_format of_;
    spirv::integer_function<1> float_bits_;
};

}  // namespace riffle::gpu
