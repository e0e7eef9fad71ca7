#pragma once
#include <cstddef>
#include <type_traits>

#include <riffle/core/float16.hpp>
#include <riffle/core/logit_row.hpp>
#include <riffle/core/size_arithmetic.hpp>

namespace riffle::inline RIFFLE_ABI {

namespace detail {

template <class T>
concept logit_type = std::is_same_v<std::remove_cv_t<T>, float> || half_type<T>;

/// A matrix as Eigen has it: a Matrix, Array, Map, Ref or block whose coefficients lie in memory.
template <class M>
concept eigen_like = requires(const M& m) {
    *m.data();
    m.rows();
    m.cols();
    m.innerStride();
    m.outerStride();
    bool(M::IsRowMajor);
};

}  // namespace detail

/// Rows of logits in memory of the caller's, one behind the other at a distance: a pointer, or a row-major matrix of
/// Eigen's (riffle needs no Eigen for it). Logits are floats, or 16 bits each (logit_row says which types). A view; it
/// owns nothing.
class logit_rows {
public:
    /// `rows` rows of `columns` logits, `stride` logits from the beginning of one to that of the next. Where rows are
    /// padded, `columns` is the size of the vocabulary and `stride` that of a row: padding is never read.
    constexpr logit_rows(const float* data, std::size_t rows, std::size_t columns, std::size_t stride) noexcept
        : first_(data, columns), rows_(rows), stride_(stride) {}
    /// Such rows of 16-bit logits.
    template <class T>
    constexpr logit_rows(const T* data, std::size_t rows, std::size_t columns, std::size_t stride) noexcept
        : rows_(rows), stride_(stride) {
        require_logits<T>();
        if constexpr (detail::logit_type<T>) first_ = logit_row(data, columns);
    }
    /// `rows` rows of `columns` logits without gaps between them.
    constexpr logit_rows(const float* data, std::size_t rows, std::size_t columns) noexcept
        : logit_rows(data, rows, columns, columns) {}
    /// Such rows of 16-bit logits.
    template <class T>
    constexpr logit_rows(const T* data, std::size_t rows, std::size_t columns) noexcept
        : logit_rows(data, rows, columns, columns) {}
    /// A row-major matrix, or a block of one: a row of it for each sequence.
    template <detail::eigen_like M>
    constexpr logit_rows(const M& m) noexcept
        : logit_rows(m.data(), std::size_t(m.rows()), std::size_t(m.cols()), std::size_t(m.outerStride())) {
        static_assert(bool(M::IsRowMajor),
                      "riffle: the matrix of a batch must be row-major (Eigen::RowMajor), a row for each sequence");
        inner_stride_ = std::ptrdiff_t(m.innerStride());
    }

    /// How many rows there are.
    constexpr std::size_t rows() const noexcept { return rows_; }
    /// Logits of a row.
    constexpr std::size_t columns() const noexcept { return first_.size(); }
    /// Logits from the beginning of a row to that of the next.
    constexpr std::size_t stride() const noexcept { return stride_; }
    /// From one logit to the next: 1, but for a matrix of every second column.
    constexpr std::ptrdiff_t inner_stride() const noexcept { return inner_stride_; }
    /// Whether there is memory behind it.
    constexpr bool has_data() const noexcept { return first_.data_ != nullptr; }
    /// What logits are.
    constexpr logit_format format() const noexcept { return first_.format(); }
    /// Logits from the first of all to the last; `uncountable` where they are more than that.
    constexpr std::size_t extent() const noexcept {
        return rows_ == 0 ? 0 : saturating::sum(saturating::product(rows_ - 1, stride_), columns());
    }
    /// A row below rows(), which is not checked; its logits lie side by side where inner_stride() is 1.
    logit_row operator[](std::size_t row) const noexcept { return first_.part(row * stride_, first_.size()); }

private:
    template <class T>
    static constexpr void require_logits() noexcept {
        static_assert(
            detail::logit_type<T>,
            "riffle: logits of rows are float, riffle::float16 or riffle::bfloat16 (or have the layout of one "
            "of these, as _Float16, __bf16 and Eigen's types); convert double and whole numbers first, and "
            "look at 16-bit words as one of the two");
    }

    logit_row first_;
    std::size_t rows_, stride_;
    std::ptrdiff_t inner_stride_ = 1;
};

}  // namespace riffle
