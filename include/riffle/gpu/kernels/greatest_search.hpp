#pragma once
#include <array>
#include <cstdint>

#include <riffle/gpu/kernels/measuring.hpp>
#include <riffle/gpu/kernels/row_parts.hpp>
#include <riffle/gpu/kernels/row_tokens.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// Finds the greatest logit of all tokens that are left.
class greatest_search {
public:
    constexpr greatest_search(work_group& of, row_tokens& row, survivors& few, measuring& all,
                              const row_parts& parts) noexcept
        : raw(of.code, u32(0u)), least_of_strips(of.code, u32(0u)), is_odd(of.code, u32(0u)), group_(of),
          code_(of.code), row_(row), few_(few), all_(all), parts_(parts), best_(of.code, u32(0u)) {
        if (parts.are_several()) {
            is_known_.declare(code_);
            is_known_ = 0u;
        }
    }

    /// The greatest raw key of the row, and the least one that is the greatest of a strip, as far as it is in the range
    /// of logits; 0 until it was looked for.
    private_variable<u32> raw, least_of_strips;
    /// 1: the row has +inf, or NaN without a sign, and raw keys do not tell what is the greatest.
    private_variable<u32> is_odd;

    /// Tells the row which key is the greatest.
    constexpr void find() noexcept {
        const boolean is_raw = row_.is_in_front() & !few_.are_listed();
        spirv::if_(code_, is_raw, [&] {
            if (parts_.are_several()) spirv::if_(code_, is_known_ == 0u, [&] { look_at_words(); });
            else look_at_words();
            tell_row();
        });
        spirv::if_(code_, (is_odd != 0u) | !is_raw, [&] { look_at_tokens(); });
    }

    // ---- where several work groups share the row

    /// Of this one's part, told to the others.
    constexpr void tell_part() noexcept {
        look_at_words();
        const u32 seen_here = group_.any_bits(row_.seen);
        group_.once([&] {
            const u32 highest = raw, range = ~least_of_strips, odd = is_odd;
            parts_.told(u32(part_word::raw)).raise(highest);
            parts_.told(u32(part_word::range)).raise(range);
            parts_.told(u32(part_word::is_odd)).raise(odd);
            parts_.told(u32(part_word::seen)).set_bits(seen_here);
        });
        if (!row_.is_bounded()) return;
        spirv::for_(code_, group_.invocation, row_.vectors.entries(), group_.size, [&](const u32& entry) {
            const u32 key = row_.maxima[entry];
            spirv::if_(code_, key != 0u, [&] { parts_.told(u32(part_word::maxima) + entry).raise(key); });
        });
    }
    /// What all have told. `ends`: nobody else will want it.
    constexpr void take_parts(bool ends) noexcept {
        const auto get = [&](const u32& place) { return ends ? parts_.take(place) : parts_.read(place); };
        const u32 at = group_.begin_exchange();
        group_.once([&] {
            const u32 highest = get(u32(part_word::raw)), range = get(u32(part_word::range)),
                      odd = get(u32(part_word::is_odd)), seen_there = get(u32(part_word::seen));
            group_.shared_word(at).raise(highest);
            group_.shared_word(at + 1u).raise(range);
            group_.shared_word(at + 2u).raise(odd);
            row_.seen = row_.seen | seen_there;
        });
        if (ends && row_.is_bounded())
            spirv::for_(code_, group_.invocation, row_.vectors.entries(), group_.size,
                        [&](const u32& entry) { row_.maxima.set(entry, parts_.take(u32(part_word::maxima) + entry)); });
        group_.sync();
        receive(at);
        is_known_ = 1u;
    }
    /// Tells the row which key is the greatest, as far as raw keys do.
    constexpr void tell_row() noexcept { row_.set_greatest(row_.behind_front(raw)); }

    /// Whether neither the row nor what stages make of it has NaN without a sign or +inf.
    constexpr boolean is_plain() const noexcept {
        const boolean is_known = raw != 0u;
        const boolean is_even = is_odd == 0u;
        const boolean is_finite = row_.greatest() < u32(0xff7fffffu);
        return row_.is_in_front() & is_known & is_even & is_finite;
    }

private:
    /// What is noted of words: their greatest as signed integers, and their least and greatest as unsigned ones. Floats
    /// of at least 0 are in the order of signed integers, negative ones turned around in that of unsigned ones, and NaN
    /// are at the ends.
    struct extremes {
        u32 signed_greatest, least, greatest;
    };
    /// The greatest raw key.
    constexpr u32 key_of_extremes(const extremes& all) const noexcept {
        const boolean is_negative = (all.signed_greatest & sign_bit) != 0u;
        if (row_.vectors.words.are_floats()) return blend(is_negative, ~all.least, all.signed_greatest | sign_bit);
        return raw_key::of(row_.vectors.words.float_bits(blend(is_negative, all.least, all.signed_greatest)));
    }
    static constexpr extremes extremes_of(const std::array<u32x4, 4>& all) noexcept {
        const u32x4 first_signed = greater_of_signed(all[0], all[1]), second_signed = greater_of_signed(all[2], all[3]);
        const u32x4 first_least = lesser_of(all[0], all[1]), second_least = lesser_of(all[2], all[3]);
        const u32x4 first_greatest = greater_of(all[0], all[1]), second_greatest = greater_of(all[2], all[3]);
        const u32 signed_greatest = greatest_signed_in(greater_of_signed(first_signed, second_signed));
        const u32 least = least_in(lesser_of(first_least, second_least));
        const u32 greatest = greatest_in(greater_of(first_greatest, second_greatest));
        return {signed_greatest, least, greatest};
    }
    /// -inf in place of logits that a mask bans.
    constexpr std::array<u32x4, 4> legal_words(const u32& strip, const std::array<u32x4, 4>& all) const noexcept {
        const std::array<u32, 4> ids = row_.vectors.ids_of(strip);
        const u32x4 a = legal_words(ids[0], all[0]), b = legal_words(ids[1], all[1]), c = legal_words(ids[2], all[2]),
                    d = legal_words(ids[3], all[3]);
        return {a, b, c, d};
    }
    constexpr u32x4 legal_words(const u32& first_id, const u32x4& all) const noexcept {
        const u32 legal = row_.legal_four(first_id);
        const u32 a = legal_word(legal & 1u, all[0]), b = legal_word(legal & 2u, all[1]),
                  c = legal_word(legal & 4u, all[2]), d = legal_word(legal & 8u, all[3]);
        return {code_, a, b, c, d};
    }
    constexpr u32 legal_word(const u32& is_legal, const u32& loaded) const noexcept {
        return blend(is_legal != 0u, loaded, u32(sign_bit | row_.vectors.words.infinity()));
    }

    /// The greatest of words, where only maps that never fall and masks stand ahead: what these make of the greatest is
    /// the greatest of what they make. NaN with a sign are below all and do no harm; where there are others, or +inf,
    /// it is found out that there are.
    constexpr void look_at_words() noexcept {
        const bool has_masks = row_.has_masks_in_front();
        const std::uint32_t infinity = row_.vectors.words.infinity();
        variable<u32> best(code_, u32(0u)), range(code_, u32(0u)), signed_greatest(code_, u32(sign_bit)),
            greatest(code_, u32(0u));
        const auto note = [&](const u32& as_signed, const u32& as_unsigned) {
            signed_greatest = greater_of_signed(signed_greatest.load(), as_signed);
            greatest = greater_of(greatest.load(), as_unsigned);
        };
        row_.vectors.for_each_strip([&](const u32& strip) {
            const std::array<u32x4, 4> all = row_.vectors.load(strip);
            const extremes of_all = extremes_of(all);
            note(of_all.signed_greatest, of_all.greatest);
            const u32 key = has_masks ? legal_key(strip, all) : key_of_extremes(of_all);
            best = greater_of(best.load(), key);
            if (!row_.is_bounded()) return;
            row_.maxima.raise(strip, key);
            range = greater_of(range.load(), blend(key < lowest_logit, u32(0u), ~key));
        });
        row_.vectors.for_each_at_edges([&](const u32& loaded, const u32& id) {
            note(loaded, loaded);
            const u32 key = raw_key::of(row_.vectors.words.float_bits(loaded));
            best = greater_of(best.load(), has_masks ? blend((row_.legal_four(id) & 1u) != 0u, key, u32(0u)) : key);
        });
        row_.seen = row_.seen | blend(greatest > (sign_bit | infinity), u32(row_state::saw_nan), u32(0u));
        share(best, range, signed_greatest);
    }
    /// What the invocations have met, told to all.
    constexpr void share(const u32& best, const u32& range, const u32& signed_greatest) noexcept {
        const u32 at = group_.begin_exchange();
        group_.shared_word(at).raise(best);
        if (row_.is_bounded()) group_.shared_word(at + 1u).raise(range);
        const boolean is_odd_here =
            ((signed_greatest & sign_bit) == 0u) & (signed_greatest >= row_.vectors.words.infinity());
        spirv::if_(code_, is_odd_here, [&] { group_.shared_word(at + 2u).raise(1u); });
        group_.sync();
        receive(at);
    }
    constexpr void receive(const u32& at) noexcept {
        raw = group_.shared_word(at).load();
        if (row_.is_bounded()) least_of_strips = ~group_.shared_word(at + 1u).load();
        is_odd = group_.shared_word(at + 2u).load();
    }
    constexpr u32 legal_key(const u32& strip, const std::array<u32x4, 4>& all) const noexcept {
        return key_of_extremes(extremes_of(legal_words(strip, all)));
    }
    constexpr void look_at_tokens() noexcept {
        best_ = 0u;
        all_.for_each([&](const u32& key, const u32&) { best_ = greater_of(best_.load(), key); }, {.notes = true});
        row_.set_greatest(group_.greatest(best_));
    }

    /// The raw key of -1e29: what is below stands for a token that may not be chosen, and is not in the range of
    /// logits.
    static constexpr std::uint32_t lowest_logit = ~0xefa18f08u;

    work_group& group_;
    assembler& code_;
    row_tokens& row_;
    survivors& few_;
    measuring& all_;
    const row_parts& parts_;
    private_variable<u32> best_, is_known_;
};

}  // namespace riffle::gpu
