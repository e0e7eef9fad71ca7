#pragma once
#include <array>
#include <cstdint>

#include <riffle/gpu/host/row_layout.hpp>
#include <riffle/gpu/kernels/logit_words.hpp>
#include <riffle/gpu/kernels/work_group.hpp>
#include <riffle/gpu/spirv/vectors.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

using spirv::u32x4;

/// Where a kernel's logits come from.
struct row_source {
    logit_format logits = logit_format::float32;
    /// Edits are made where the logits lie, by whatever invocation has them, for all.
    bool is_edited = false;
    bool is_copied = false;  ///< to the scratch, as floats
    bool is_shared = false;  ///< by several work groups, perhaps
};

/// Where the logits of the work group's row lie, and how they are read: vectors of 16 bytes at multiples of that, four
/// logits or eight, and those ahead of the first and behind the last of these one by one.
///
/// Sixteen invocations share a tile of 256 tokens: four vectors each, or two, sixteen apart, so that one load of theirs
/// reads 256 bytes on end. They are an invocation's strip of 16 tokens, and are read together.
class row_vectors {
public:
    /// The group has all of the row until it takes a part. `scratch`: where rows are copied to.
    constexpr row_vectors(work_group& of, const row_source& source, const spirv::buffer<u32>& scratch) noexcept
        : words(of.code, source.is_copied ? logit_format::float32 : source.logits),
          vocabulary(of.code, spirv::push_constant<u32>(of.code)), group_(of), code_(of.code),
          is_by_words_(source.is_copied && code_.options().portable),
          is_by_vectors_(!source.is_copied && code_.options().portable),
          logits_(source.is_copied ? scratch : words_of(source)), vectors_(vectors_of(source)), row_(code_),
          first_logit_(code_), first_vector_(code_), ahead_(code_), vectors_in_row_(code_), behind_(code_),
          strips_an_entry_(code_), tiles_a_stretch_(code_), entries_(code_), stretches_(code_) {
        if (source.is_shared) {
            part_.declare(code_);
            parts_.declare(code_);
            take_part(0u, 1u);
        }
        const u32 row_stride = spirv::push_constant<u32>(code_);
        const u32 first_row = spirv::push_constant<u32>(code_);
        const u32 first_logit = spirv::push_constant<u32>(code_);
        const u32 index = spirv::group(code_);
        row_ = index + first_row;
        const u32 first = first_logit + index * row_stride;
        if (source.is_copied) {
            given_at_.declare(code_);
            given_at_ = first;
            find_vectors(row_ * copied_words(vocabulary));
        } else {
            find_vectors(first);
        }
        find_parts();
    }
    /// The floats of a row in the scratch, and what is left behind them so that the next row begins at a vector.
    static constexpr u32 copied_words(const u32& vocabulary) noexcept { return (vocabulary + 3u) & ~3u; }

    /// What is loaded for a logit.
    const logit_words words;

    /// Logits of the row.
    const private_variable<u32> vocabulary;
    /// Whose request and result the work group has.
    constexpr u32 row() const noexcept { return row_; }
    /// The bits of a token's logit, as a float.
    constexpr u32 logit_bits(const u32& id) const noexcept { return words.float_bits(word_of(id)); }
    /// Where they lie, in a row of floats.
    constexpr auto place_of(const u32& id) const noexcept { return word_at(first_logit_.load() + id); }
    /// Where a row that is copied came from: the place of its first logit.
    constexpr u32 given_at() const noexcept { return given_at_; }

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
        const u32 first = (tile << (8u - shift())) + (group_.invocation & 15u);
        const u32 size = group_.size << (4u - shift());
        const u32 step = is_shared_ ? size * parts_ : size;
        spirv::for_(code_, first, vectors_in_row_, step, visit);
    }
    /// The words of a strip, four beside each other at a time. In place of a vector beyond the end of the row the
    /// first once more.
    constexpr std::array<u32x4, 4> load(const u32& strip) const noexcept {
        const std::array<u32, 4> numbers = vectors_of(strip);
        const u32x4 a = vector(numbers[0]), b = vector(numbers[1]);
        if (words.are_halves()) {
            const u32x4 counts(code_, u32(16u)), upper(code_, u32(0xffff0000u));
            const u32x4 a_even = a << counts, a_odd = a & upper, b_even = b << counts, b_odd = b & upper;
            const u32x4 first = first_by_turns(a_even, a_odd), second = last_by_turns(a_even, a_odd),
                        third = first_by_turns(b_even, b_odd), fourth = last_by_turns(b_even, b_odd);
            return {first, second, third, fourth};
        }
        const u32x4 c = vector(numbers[2]), d = vector(numbers[3]);
        return {a, b, c, d};
    }
    /// The ids of the first token of each four.
    constexpr std::array<u32, 4> ids_of(const u32& strip) const noexcept {
        const std::array<u32, 4> numbers = vectors_of(strip);
        const u32 a = first_id(numbers[0]), b = first_id(numbers[1]);
        if (words.are_halves()) {
            const u32 second = a + 4u, fourth = b + 4u;
            return {a, second, b, fourth};
        }
        const u32 c = first_id(numbers[2]), d = first_id(numbers[3]);
        return {a, b, c, d};
    }
    /// visit(four words, id of the first) for those of a strip that are in the row, one after the other; they have been
    /// loaded.
    template <class Visit>
    constexpr void for_each_four(const u32& strip, const std::array<u32x4, 4>& loaded, Visit visit) const noexcept {
        variable<u32x4> first(code_, loaded[0]), second(code_, loaded[1]), third(code_, loaded[2]),
            fourth(code_, loaded[3]);
        const auto take = [&](const u32& id) {
            visit(first.load(), id);
            first = second;
            second = third;
            third = fourth;
        };
        if (!words.are_halves())
            return spirv::for_(code_, strip, lesser_of(strip + 64u, vectors_in_row_), u32(16u),
                               [&](const u32& v) { take(first_id(v)); });
        const u32 count = blend(strip + 16u < vectors_in_row_, u32(4u), u32(2u));
        spirv::for_(code_, u32(0u), count, u32(1u),
                    [&](const u32& i) { take(first_id(strip + ((i >> 1u) << 4u)) + ((i & 1u) << 2u)); });
    }

    /// visit(word, id) for the logits ahead of the first vector and behind the last, one an invocation.
    template <class Visit>
    constexpr void for_each_at_edges(Visit visit) const noexcept {
        const u32 lane = group_.invocation;
        const boolean is_ahead = lane < ahead_;
        const u32 from_end = lane - logits_a_vector();  // wraps below
        const u32 id = blend(is_ahead, lane, vocabulary - behind_ + from_end);
        const boolean is_edge = is_ahead | (from_end < behind_);
        spirv::if_(code_, is_shared_ ? is_edge & (part_ == 0u) : is_edge, [&] { visit(word_of(id), id); });
    }

    // ---- entries: what is known of parts of a row. There are at most so many, each of a power of two of strips.

    static constexpr std::uint32_t most_entries = 512;  // 2^9
    constexpr u32 entries() const noexcept { return entries_; }
    constexpr u32 entry_of(const u32& strip) const noexcept {
        const u32 tile = strip >> (8u - shift());
        return ((tile << 4u) | (strip & 15u)) >> strips_an_entry_;
    }

    /// Parts for which the ids of their tokens follow each other: at least a tile. The logits at the edges are in the
    /// first and in the last.
    constexpr u32 stretches() const noexcept { return stretches_; }
    constexpr u32 stretch_of(const u32& strip) const noexcept { return (strip >> (8u - shift())) >> tiles_a_stretch_; }
    /// The id of the first token of a stretch, and of the one behind its last.
    constexpr u32 begin_of(const u32& stretch) const noexcept {
        return blend(stretch == 0u, u32(0u), ahead_ + (stretch << (tiles_a_stretch_ + 8u)));
    }
    constexpr u32 end_of(const u32& stretch) const noexcept {
        return blend(stretch + 1u == stretches(), vocabulary, begin_of(stretch + 1u));
    }
    /// For an invocation that visits a logit at an edge.
    constexpr u32 stretch_at_edge() const noexcept {
        return blend(group_.invocation < logits_a_vector(), u32(0u), stretches() - 1u);
    }

private:
    // A buffer is seen as words and as vectors. Portable modules have it once, since naga takes no binding twice: the
    // row's as vectors, whose components are its words, and the scratch as words, four of which make a vector.
    constexpr spirv::buffer<u32> words_of(const row_source& source) const noexcept {
        return is_by_vectors_ ? spirv::buffer<u32>() : spirv::buffer<u32>(code_, binding::logits, use_of(source));
    }
    constexpr spirv::buffer<u32x4, spirv::access::read> vectors_of(const row_source& source) const noexcept {
        if (is_by_words_) return {};
        return {code_, source.is_copied ? binding::saved : binding::logits, use_of(source)};
    }
    constexpr spirv::element<u32, spirv::storage::StorageBuffer> word_at(const u32& at) const noexcept {
        return is_by_vectors_ ? vectors_.component(at) : logits_[at];
    }
    static constexpr spirv::buffer_use use_of(const row_source& source) noexcept {
        return source.is_edited ? spirv::buffer_use::exchange : spirv::buffer_use::read;
    }
    /// Of the logits in a vector, as a power of two.
    constexpr std::uint32_t shift() const noexcept { return words.are_halves() ? 3 : 2; }
    constexpr std::uint32_t logits_a_vector() const noexcept { return 1u << shift(); }

    constexpr void find_vectors(const u32& first) noexcept {
        first_logit_ = first;
        const std::uint32_t last = logits_a_vector() - 1;
        const u32 first_vector = (first + last) >> shift();
        const u32 ahead = lesser_of((first_vector << shift()) - first, vocabulary);
        const u32 rest = vocabulary - ahead;
        first_vector_ = first_vector;
        ahead_ = ahead;
        vectors_in_row_ = rest >> shift();
        behind_ = rest & last;
    }
    constexpr void find_parts() noexcept {
        const u32 last(256u / logits_a_vector() - 1u);
        const u32 tiles = (vectors_in_row_ + last) >> (8u - shift()), strips = tiles << 4u;
        // So that there are no more entries: the exponent of a float counts the digits that are too many.
        const spirv::i32 too_many((strips - 1u) >> 9u);
        const u32 strips_an_entry = greater_of(u32(as_bits(spirv::f32::from_int(too_many))) >> 23u, u32(126u)) - 126u;
        const u32 tiles_a_stretch = greater_of(strips_an_entry, u32(4u)) - 4u;
        strips_an_entry_ = strips_an_entry;
        tiles_a_stretch_ = tiles_a_stretch;
        entries_ = (strips + ((u32(1u) << strips_an_entry) - 1u)) >> strips_an_entry;
        stretches_ = greater_of((tiles + ((u32(1u) << tiles_a_stretch) - 1u)) >> tiles_a_stretch, u32(1u));
    }
    /// A logit by itself.
    constexpr u32 word_of(const u32& id) const noexcept {
        if (!words.are_halves()) return word_at(first_logit_.load() + id);
        const u32 at = first_logit_.load() + id;
        return logit_words::half_of(word_at(at >> 1u).load(), at);
    }
    /// The vectors of a strip, by their numbers; two where they have eight logits.
    constexpr std::array<u32, 4> vectors_of(const u32& strip) const noexcept {
        const u32 second = within(strip, 16);
        if (words.are_halves()) return {strip, second, second, second};
        const u32 third = within(strip, 32), fourth = within(strip, 48);
        return {strip, second, third, fourth};
    }
    /// The id of a vector's first token.
    constexpr u32 first_id(const u32& vector) const noexcept { return ahead_ + (vector << shift()); }
    constexpr u32 within(const u32& strip, std::uint32_t farther) const noexcept {
        const u32 v = strip + farther;
        return blend(v < vectors_in_row_, v, strip);
    }
    constexpr u32x4 vector(const u32& v) const noexcept {
        if (!is_by_words_) return vectors_[first_vector_ + v];
        const u32 at = (first_vector_ + v) << 2u;
        const u32 a = logits_[at], b = logits_[at + 1u], c = logits_[at + 2u], d = logits_[at + 3u];
        return {code_, a, b, c, d};
    }

    work_group& group_;
    assembler& code_;
    bool is_by_words_, is_by_vectors_;  ///< alone
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
    private_variable<u32> given_at_;
};

}  // namespace riffle::gpu
