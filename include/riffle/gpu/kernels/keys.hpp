#pragma once
#include <riffle/gpu/spirv/values.hpp>
#include <riffle/gpu/spirv/wide_integers.hpp>
#include <riffle/math/config.hpp>

// Logits travel through a kernel as keys: words that order as the logits do, 0 for a token that may not be chosen.

namespace riffle::inline RIFFLE_ABI::gpu {

using spirv::assembler;
using spirv::f32;
using spirv::u32;

inline constexpr std::uint32_t sign_bit = 0x80000000u;

/// The bits of a token that may not be chosen, -inf; those of others are finite, and no denormals.
inline constexpr std::uint32_t dead_logit = 0xff800000u;

/// The key of a token that may be chosen, by its bits, and of any.
constexpr u32 key_of_legal(const u32& bits) noexcept { return blend((bits & sign_bit) != 0u, ~bits, bits | sign_bit); }
constexpr u32 key_of_bits(const u32& bits) noexcept { return blend(bits == dead_logit, u32(0u), key_of_legal(bits)); }
/// The key of a logit as it came from memory, or from a map.
constexpr u32 key_of(const f32& logit) noexcept { return key_of_bits(u32(as_bits(canonical(logit)))); }
/// The logit of a token that may be chosen.
constexpr f32 logit_of(const u32& key) noexcept {
    return f32::from_bits(blend((key & sign_bit) != 0u, key ^ sign_bit, ~key));
}
/// a ranks before b: the greater logit, and the lower id among equals.
constexpr spirv::boolean ranks_before(const u32& a_key, const u32& a_id, const u32& b_key, const u32& b_id) noexcept {
    const spirv::boolean greater = a_key > b_key;
    const spirv::boolean equal = a_key == b_key;
    return greater | (equal & (a_id < b_id));
}

}  // namespace riffle::gpu
