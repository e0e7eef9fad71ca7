#pragma once
#include <cstdint>

#include <riffle/gpu/kernels/keys.hpp>
#include <riffle/gpu/kernels/row_vectors.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// Keys of logits as they came, in the order of floats with the NaN at both ends: what a bound is compared with before
/// anything is computed of a token.
namespace raw_key {
inline constexpr std::uint32_t infinity = 0xff800000u, none = 0x007fffffu;  ///< of +inf, and of -inf
constexpr u32 of(const u32& bits) noexcept { return blend((bits & sign_bit) != 0u, ~bits, bits | sign_bit); }
constexpr u32 bits_of(const u32& key) noexcept { return blend((key & sign_bit) != 0u, key ^ sign_bit, ~key); }
}  // namespace raw_key

/// The greatest raw key of each part of a row: parts in which none reaches a bound are not read again. What is not
/// among them: the logits at the edges of the row.
class tile_maxima {
public:
    constexpr tile_maxima(work_group& of, const row_vectors& vectors, bool are_wanted) noexcept
        : group_(of), code_(of.code), vectors_(vectors) {
        if (are_wanted) maxima_ = spirv::shared<u32>(code_, row_vectors::most_entries);
    }
    /// Ahead of the first use, and of a barrier.
    constexpr void clear() const noexcept {
        spirv::for_(code_, group_.invocation, u32(row_vectors::most_entries), group_.size,
                    [&](const u32& i) { maxima_[i] = 0u; });
    }
    constexpr void raise(const u32& strip, const u32& key) const noexcept {
        maxima_[vectors_.entry_of(strip)].raise(key);
    }
    /// Of one that nobody raises.
    constexpr void set(const u32& entry, const u32& key) const noexcept { maxima_[entry] = key; }
    constexpr u32 operator[](const u32& entry) const noexcept { return maxima_[entry]; }
    constexpr u32 of_strip(const u32& strip) const noexcept { return maxima_[vectors_.entry_of(strip)]; }

private:
    work_group& group_;
    assembler& code_;
    const row_vectors& vectors_;
    spirv::shared<u32> maxima_;
};

}  // namespace riffle::gpu
