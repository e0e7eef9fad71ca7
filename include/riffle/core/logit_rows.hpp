#pragma once
#include <concepts>
#include <cstddef>
#include <span>

#include <riffle/core/size_arithmetic.hpp>

namespace riffle::inline RIFFLE_ABI {

namespace detail {

/// A matrix as Eigen has it: a Matrix, Array, Map, Ref or block of float whose coefficients lie in memory.
template <class M>
concept eigen_like = requires(const M& m) {
    { m.data() } -> std::convertible_to<const float*>;
    m.rows();
    m.cols();
    m.innerStride();
    m.outerStride();
    bool(M::IsRowMajor);
};

}  // namespace detail

/// Rows of logits in memory of the caller's, one behind the other at a distance: a pointer, or a row-major matrix of
/// Eigen's (riffle needs no Eigen for it). A view; it owns nothing.
class logit_rows {
public:
    /// `rows` rows of `columns` logits, `stride` floats from the beginning of one to that of the next.
    constexpr logit_rows(const float* data, std::size_t rows, std::size_t columns, std::size_t stride) noexcept
        : data_(data), rows_(rows), columns_(columns), stride_(stride) {}
    /// `rows` rows of `columns` logits without gaps between them.
    constexpr logit_rows(const float* data, std::size_t rows, std::size_t columns) noexcept
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
    constexpr std::size_t columns() const noexcept { return columns_; }
    /// Floats from the beginning of a row to that of the next.
    constexpr std::size_t stride() const noexcept { return stride_; }
    /// From one logit to the next: 1, but for a matrix of every second column.
    constexpr std::ptrdiff_t inner_stride() const noexcept { return inner_stride_; }
    /// Whether there is memory behind it.
    constexpr bool has_data() const noexcept { return data_ != nullptr; }
    /// Floats from the first logit of all to the last; `uncountable` where they are more than that.
    constexpr std::size_t extent() const noexcept {
        return rows_ == 0 ? 0 : saturating::sum(saturating::product(rows_ - 1, stride_), columns_);
    }
    /// A row below rows(), which is not checked; its logits lie side by side where inner_stride() is 1.
    constexpr std::span<const float> operator[](std::size_t row) const noexcept {
        return {data_ + row * stride_, columns_};
    }

private:
    const float* data_;
    std::size_t rows_, columns_, stride_;
    std::ptrdiff_t inner_stride_ = 1;
};

}  // namespace riffle
