#pragma once
#include <cstdint>

#include <riffle/gpu/kernels/greatest_search.hpp>
#include <riffle/gpu/kernels/mass_bins.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// Bounds of raw keys, while none but the stages at the front stand ahead: a token below such a bound is known to be
/// dropped by one comparison, without a look at what stages make of it.
class raw_bounds {
    // Ahead of those who call them: see row_edits. A bin has the number of its parts, and of their keys the least,
    // turned around.
    constexpr auto count(const u32& bin) const noexcept { return bins_.low(bin); }
    constexpr auto worst(const u32& bin) const noexcept { return bins_.high(bin); }

public:
    /// `bins`: cleared ahead of of_rank, which may be asked once.
    constexpr raw_bounds(work_group& of, row_tokens& row, const greatest_search& greatest,
                         const mass_bins& bins) noexcept
        : group_(of), code_(of.code), row_(row), greatest_(greatest), bins_(bins) {}

    /// The least raw key of which the maps in front make this key, or a greater one.
    constexpr u32 of_key(const u32& key) noexcept {
        if (!row_.has_maps_in_front()) return of_logit(key);
        variable<u32> low(code_, u32(0u));  // of which they make less
        variable<u32> step(code_, u32(0x80000000u) / (group_.size >> 1u)), goes_on(code_, u32(1u));
        // A search in which every invocation tries one of as many keys as there are invocations.
        spirv::while_(
            code_, [&] { return goes_on != 0u; },
            [&] {
                const u32 tried = low + group_.invocation * step;
                const boolean is_less =
                    (tried < lowest_finite) | ((tried <= greatest_finite) & (row_.behind_front(within(tried)) < key));
                const u32 less = group_.greatest(blend(is_less, group_.invocation + 1u, u32(0u)));
                low = low + (greater_of(less, u32(1u)) - 1u) * step;
                goes_on = blend(step == 1u, u32(0u), u32(1u));
                step = greater_of(step / group_.size, u32(1u));
            },
            [] {});
        return low + 1u;
    }

    /// A raw key that at least k tokens reach, and few more, as a rule: the k-th of the greatest of parts of the row
    /// (delegates, as in Dr. Top-k, arXiv 2109.08219). 0 where they do not tell.
    constexpr u32 of_rank(const u32& k) noexcept {
        const f32 top = half_logit(greatest_.raw), range = top - half_logit(greatest_.least_of_strips);
        // A power of two that brings the range to 128 to 256.
        const u32 exponent = greater_of(u32(as_bits(range)) >> 23u, u32(16u));
        const f32 scale = f32::from_bits((u32(127u + 127u + 7u) - exponent) << 23u);
        spirv::for_(code_, group_.invocation, row_.vectors.entries(), group_.size, [&](const u32& entry) {
            const u32 key = row_.maxima[entry];
            spirv::if_(code_, key >= greatest_.least_of_strips, [&] {
                const u32 under(truncate((top - half_logit(key)) * scale));
                const u32 bin = lesser_of(under, u32(rank_bins - 1));
                count(bin).add(1u);
                count(group_of(bin)).add(1u);
                worst(bin).raise(~key);
            });
        });
        const u32 at = group_.begin_exchange();
        group_.sync();
        spirv::for_(code_, group_.invocation, u32(rank_bins), group_.size, [&](const u32& bin) {
            const u32 here = count(bin);
            spirv::if_(code_, here != 0u, [&] {
                variable<u32> ahead(code_, u32(0u));
                const auto add = [&](const u32& first, const u32& end) {
                    spirv::for_(code_, first, end, u32(1u), [&](const u32& i) { ahead = ahead + count(i).load(); });
                };
                add(u32(mass_bins::most), group_of(bin));
                add((bin >> 4u) << 4u, bin);
                spirv::if_(code_, (ahead < k) & (k <= ahead + here),
                           [&] { group_.shared_word(at).raise(~worst(bin).load()); });
            });
        });
        group_.sync();
        return blend(greatest_.is_odd == 0u, group_.shared_word(at).load(), u32(0u));
    }

private:
    static constexpr std::uint32_t rank_bins = 256;
    /// Where sixteen of them are counted together.
    static constexpr u32 group_of(const u32& bin) noexcept { return (bin >> 4u) + mass_bins::most; }
    static constexpr std::uint32_t lowest_finite = 0x00800000u, greatest_finite = 0xff7fffffu;

    /// Without maps: what is below least_magnitude counts as 0.
    static constexpr u32 of_logit(const u32& key) noexcept {
        constexpr std::uint32_t zero = sign_bit, tiny = std::uint32_t(least_magnitude) - 1;
        constexpr std::uint32_t lowest_zero = ~(sign_bit | tiny);
        const boolean is_zero = (zero - key) <= tiny;
        return blend(is_zero, u32(lowest_zero), key);
    }
    static constexpr u32 within(const u32& key) noexcept {
        return lesser_of(greater_of(key, u32(lowest_finite)), u32(greatest_finite));
    }
    /// Half of it, so that no difference is infinite.
    static constexpr f32 half_logit(const u32& raw) noexcept {
        return f32::from_bits(raw_key::bits_of(within(raw))) * f32(0.5f);
    }

    work_group& group_;
    assembler& code_;
    row_tokens& row_;
    const greatest_search& greatest_;
    const mass_bins& bins_;
};

}  // namespace riffle::gpu
