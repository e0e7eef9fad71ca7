#pragma once
#include <concepts>
#include <cstddef>
#include <span>

#include <riffle/core/logit_rows.hpp>
#include <riffle/core/status.hpp>

namespace riffle::inline RIFFLE_ABI {

namespace detail {

/// row(i): a row of logits that stays as it is during a round. With a size(), where it is known how many there are.
template <class Rows>
concept gives_rows = requires(const Rows& rows) {
    { rows(std::size_t{}) } -> std::convertible_to<logit_row>;
};

/// The rows of a round, from memory or from a function.
template <class Rows>
class logit_source {
public:
    explicit logit_source(const Rows& rows) noexcept : rows_(rows) {}
    /// Why there are no `count` rows; ok where there are, or only asking for them can tell.
    status can_give(std::size_t count) const noexcept {
        if constexpr (std::convertible_to<const Rows&, logit_rows>) {
            const logit_rows rows(rows_);
            if (rows.rows() < count) return too_few(rows.rows());
            if (!rows.has_data() || rows.columns() == 0) return status::failed(status_code::empty_row, "speculator");
            if (rows.inner_stride() != 1)
                return status::invalid("speculator", "inner stride", double(rows.inner_stride()),
                                       "is not 1: the logits of a row must lie side by side");
        } else if constexpr (requires { { rows_.size() } -> std::convertible_to<std::size_t>; }) {
            if (std::size_t(rows_.size()) < count) return too_few(rows_.size());
        }
        return {};
    }
    logit_row operator[](std::size_t i) const noexcept {
        if constexpr (std::convertible_to<const Rows&, logit_rows>) return logit_rows(rows_)[i];
        else return rows_(i);
    }

private:
    static status too_few(std::size_t rows) noexcept {
        return status::invalid("speculator", "rows", double(rows), "are fewer than the drafted tokens and one more");
    }

    const Rows& rows_;
};

}  // namespace detail
}  // namespace riffle
