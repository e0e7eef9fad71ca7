#pragma once
#include <array>
#include <cstdint>

#include <riffle/gpu/host/row_layout.hpp>
#include <riffle/gpu/kernels/work_group.hpp>
#include <riffle/gpu/spirv/vectors.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

using spirv::u32x4;

/// Where the logits of the work group's row lie, and how they are read: vectors of four words at multiples of 16 bytes,
/// and up to three logits ahead of the first and behind the last of these one by one.
///
/// Sixteen invocations share a tile of 256 tokens: four vectors each, sixteen apart, so that one load of theirs reads
/// 256 bytes on end. The four are an invocation's strip, and are read together.
class row_vectors {
public:
    /// `is_shared`: whether several work groups may have the row; the group has all of it until it takes a part.
    constexpr row_vectors(work_group& of, spirv::buffer_use use, bool is_shared) noexcept
        : vocabulary(of.code, spirv::push_constant<u32>(of.code)), group_(of), code_(of.code),
          logits_(code_, binding::logits, use), vectors_(code_, binding::logits, use), row_(code_), first_logit_(code_),
          first_vector_(code_), ahead_(code_), vectors_in_row_(code_), behind_(code_), strips_an_entry_(code_),
          tiles_a_stretch_(code_), entries_(code_), stretches_(code_) {
        if (is_shared) {
            part_.declare(code_);
            parts_.declare(code_);
            take_part(0u, 1u);
        }
        const u32 row_stride = spirv::push_constant<u32>(code_);
        const u32 first_row = spirv::push_constant<u32>(code_);
        const u32 first_logit = spirv::push_constant<u32>(code_);
        const u32 index = spirv::group(code_);
        row_ = index + first_row;
        find_vectors(first_logit + index * row_stride);
        find_parts();
    }

    /// Logits of the row.
    const private_variable<u32> vocabulary;
    /// Whose request and result the work group has.
    constexpr u32 row() const noexcept { return row_; }
    constexpr auto logit_bits(const u32& id) const noexcept { return logits_[first_logit_.load() + id]; }

    /// Passes look at that part of the row alone, of so many: tiles that lie between those of the others.
    constexpr void take_part(const u32& part, const u32& parts) noexcept {
        is_shared_ = true;
        part_ = part;
        parts_ = parts;
    }

    // ---- strips

    /// visit(strip), by the number of its first vector, for all strips of the invocation.
    template <class Visit>
    constexpr void for_each_strip(Visit visit) const noexcept {
        const u32 within = group_.invocation >> 4u;
        const u32 tile = is_shared_ ? part_ * (group_.size >> 4u) + within : within;
        const u32 first = (tile << 6u) + (group_.invocation & 15u);
        const u32 step = is_shared_ ? (group_.size << 2u) * parts_ : group_.size << 2u;
        spirv::for_(code_, first, vectors_in_row_, step, visit);
    }
    /// The vectors of a strip, by their numbers. In place of one beyond the end of the row the first once more.
    constexpr std::array<u32, 4> vectors_of(const u32& strip) const noexcept {
        const u32 second = within(strip, 16), third = within(strip, 32), fourth = within(strip, 48);
        return {strip, second, third, fourth};
    }
    constexpr std::array<u32x4, 4> load(const u32& strip) const noexcept {
        const std::array<u32, 4> numbers = vectors_of(strip);
        const u32x4 a = vector(numbers[0]), b = vector(numbers[1]), c = vector(numbers[2]), d = vector(numbers[3]);
        return {a, b, c, d};
    }
    /// visit(vector, id of its first token) for those of a strip that are in the row, one after the other; they have
    /// been loaded.
    template <class Visit>
    constexpr void for_each_vector(const u32& strip, const std::array<u32x4, 4>& loaded, Visit visit) const noexcept {
        variable<u32x4> first(code_, loaded[0]), second(code_, loaded[1]), third(code_, loaded[2]),
            fourth(code_, loaded[3]);
        spirv::for_(code_, strip, lesser_of(strip + 64u, vectors_in_row_), u32(16u), [&](const u32& v) {
            visit(first.load(), first_id(v));
            first = second;
            second = third;
            third = fourth;
        });
    }
    /// The id of a vector's first token.
    constexpr u32 first_id(const u32& vector) const noexcept { return ahead_ + (vector << 2u); }

    /// visit(bits, id) for the logits ahead of the first vector and behind the last, one an invocation.
    template <class Visit>
    constexpr void for_each_at_edges(Visit visit) const noexcept {
        const u32 lane = group_.invocation;
        const boolean is_ahead = lane < ahead_;
        const u32 from_end = lane - 4u;  // wraps below
        const u32 id = blend(is_ahead, lane, vocabulary - behind_ + from_end);
        const boolean is_edge = is_ahead | (from_end < behind_);
        spirv::if_(code_, is_shared_ ? is_edge & (part_ == 0u) : is_edge, [&] { visit(logit_bits(id).load(), id); });
    }

    // ---- entries: what is known of parts of a row. There are at most so many, each of a power of two of strips.

    static constexpr std::uint32_t most_entries = 512;  // 2^9
    constexpr u32 entries() const noexcept { return entries_; }
    constexpr u32 entry_of(const u32& strip) const noexcept {
        const u32 tile = strip >> 6u;
        return ((tile << 4u) | (strip & 15u)) >> strips_an_entry_;
    }

    /// Parts for which the ids of their tokens follow each other: at least a tile. The logits at the edges are in the
    /// first and in the last.
    constexpr u32 stretches() const noexcept { return stretches_; }
    constexpr u32 stretch_of(const u32& strip) const noexcept { return (strip >> 6u) >> tiles_a_stretch_; }
    /// The id of the first token of a stretch, and of the one behind its last.
    constexpr u32 begin_of(const u32& stretch) const noexcept {
        return blend(stretch == 0u, u32(0u), ahead_ + (stretch << (tiles_a_stretch_ + 8u)));
    }
    constexpr u32 end_of(const u32& stretch) const noexcept {
        return blend(stretch + 1u == stretches(), vocabulary, begin_of(stretch + 1u));
    }
    /// For an invocation that visits a logit at an edge.
    constexpr u32 stretch_at_edge() const noexcept { return blend(group_.invocation < 4u, u32(0u), stretches() - 1u); }

private:
    constexpr void find_vectors(const u32& first) noexcept {
        first_logit_ = first;
        const u32 first_vector = (first + 3u) >> 2u;
        const u32 ahead = lesser_of((first_vector << 2u) - first, vocabulary);
        const u32 rest = vocabulary - ahead;
        first_vector_ = first_vector;
        ahead_ = ahead;
        vectors_in_row_ = rest >> 2u;
        behind_ = rest & 3u;
    }
    constexpr void find_parts() noexcept {
        const u32 tiles = (vectors_in_row_ + 63u) >> 6u, strips = tiles << 4u;
        // So that there are no more entries: the exponent of a float counts the digits that are too many.
        const spirv::i32 too_many((strips - 1u) >> 9u);
        const u32 strips_an_entry = greater_of(u32(as_bits(spirv::f32::from_int(too_many))) >> 23u, u32(126u)) - 126u;
        const u32 tiles_a_stretch = greater_of(strips_an_entry, u32(4u)) - 4u;
        strips_an_entry_ = strips_an_entry;
        tiles_a_stretch_ = tiles_a_stretch;
        entries_ = (strips + ((u32(1u) << strips_an_entry) - 1u)) >> strips_an_entry;
        stretches_ = greater_of((tiles + ((u32(1u) << tiles_a_stretch) - 1u)) >> tiles_a_stretch, u32(1u));
    }
    constexpr u32 within(const u32& strip, std::uint32_t farther) const noexcept {
        const u32 v = strip + farther;
        return blend(v < vectors_in_row_, v, strip);
    }
    constexpr u32x4 vector(const u32& v) const noexcept { return vectors_[first_vector_ + v]; }

    work_group& group_;
    assembler& code_;
    spirv::buffer<u32> logits_;
    spirv::buffer<u32x4, spirv::access::read> vectors_;
    private_variable<u32> row_, first_logit_;
    private_variable<u32> first_vector_;  ///< of the buffer
    private_variable<u32> ahead_;         ///< logits ahead of it
    private_variable<u32> vectors_in_row_;
    private_variable<u32> behind_;           ///< logits behind them
    private_variable<u32> strips_an_entry_;  ///< as a power of two
    private_variable<u32> tiles_a_stretch_;  ///< as a power of two
    private_variable<u32> entries_, stretches_;
    bool is_shared_ = false;
    private_variable<u32> part_, parts_;
};

}  // namespace riffle::gpu
