#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include <riffle/core/float16.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI {

namespace wide {
struct row_maximum;
}

namespace detail {

class row;

/// How a row of 16-bit logits is read. (As pointers, so that only programs that have such rows compile what is behind
/// them.)
struct half_reader {
    /// Makes floats of a block of logits.
    using widen_block = void (*)(const std::byte* from, float* to) noexcept;
    /// By lanes as wide as passes run at now.
    widen_block (*widener)() noexcept;
    /// The float of one.
    float (*widened)(std::uint16_t bits) noexcept;
    /// What wide::find_max finds in the row as it lies.
    wide::row_maximum (*find_max)(const row& r, float* block_maxima, float* groups) noexcept;
    logit_format format;
};
/// That of float16 and of bfloat16 (wide/half_rows.hpp).
template <class Half>
struct half_reader_of;

}  // namespace detail

/// A row of logits in memory of the caller's, side by side, index = token id: floats, or 16 bits each. A view of that
/// memory, which it does not own. What holds one turns into it: a std::vector, an array, a std::span of float,
/// riffle::float16 or riffle::bfloat16, and of types that have the layout of these two (`_Float16`, `__bf16`,
/// std::float16_t, Eigen::half, and other classes that say so by std::numeric_limits). From another program's 16-bit
/// words: logit_row(reinterpret_cast<const riffle::float16*>(words), size).
///
/// A row with padding behind the vocabulary is given with the size of the vocabulary: what lies behind is not read.
class logit_row {
public:
    /// No logits.
    constexpr logit_row() noexcept = default;
    /// `size` logits from `data` on.
    constexpr logit_row(const float* data, std::size_t size) noexcept : data_(data), size_(size) {}
    /// `size` logits of 16 bits from `data` on.
    template <detail::half_type T>
    constexpr logit_row(const T* data, std::size_t size) noexcept
        : data_(data), size_(size), reader_(&detail::half_reader_of<detail::logit_layout<std::remove_cv_t<T>>>::value) {
    }
    /// The logits of anything that has them side by side.
    template <class Row>
        requires requires(const Row& row) {
            logit_row(row.data(), std::size_t(row.size()));
        }
    constexpr logit_row(const Row& row) noexcept : logit_row(row.data(), std::size_t(row.size())) {}
    /// All logits of an array.
    template <class T, std::size_t Size>
        requires requires(const T* data) { logit_row(data, Size); }
    constexpr logit_row(const T (&row)[Size]) noexcept : logit_row(row, Size) {}
    /// What turns into a span of floats.
    template <class Row>
        requires(!requires(const Row& row) { row.data(); } && std::is_convertible_v<const Row&, std::span<const float>>)
    constexpr logit_row(const Row& row) noexcept : logit_row(static_cast<std::span<const float>>(row)) {}

    /// How many logits there are.
    constexpr std::size_t size() const noexcept { return size_; }
    /// Whether there are none.
    constexpr bool empty() const noexcept { return size_ == 0; }
    /// The logit of a token below size(), which is not checked, as a float.
    float operator[](std::size_t token) const noexcept {
        if (!reader_) return static_cast<const float*>(data_)[token];
        std::uint16_t bits;
        std::memcpy(&bits, bytes() + token * sizeof bits, sizeof bits);
        return reader_->widened(bits);
    }
    /// What they are.
    constexpr logit_format format() const noexcept { return reader_ ? reader_->format : logit_format::float32; }
    /// Those of tokens from `first` on, `size` of them, none behind size(); not checked.
    logit_row part(std::size_t first, std::size_t size) const noexcept {
        return {static_cast<const void*>(bytes() + first * bytes_of(format())), size, reader_};
    }
    /// The floats, or nullptr where the logits have 16 bits.
    const float* floats() const noexcept { return reader_ ? nullptr : static_cast<const float*>(data_); }
    /// Where they lie.
    const std::byte* bytes() const noexcept { return static_cast<const std::byte*>(data_); }
    /// For the passes: how logits of 16 bits are read; nullptr for floats.
    constexpr const detail::half_reader* reader() const noexcept { return reader_; }

private:
    friend class logit_rows;
    constexpr logit_row(const void* data, std::size_t size, const detail::half_reader* reader) noexcept
        : data_(data), size_(size), reader_(reader) {}

    const void* data_ = nullptr;
    std::size_t size_ = 0;
    const detail::half_reader* reader_ = nullptr;
};

}  // namespace riffle
