#pragma once
#include <algorithm>

#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// How a cost grows with what it is paid for: a straight line through weighed points, by least squares. What is known
/// of costs holds for it: it neither falls nor rises faster than in proportion.
class line_fit {
public:
    /// A point: `y` was paid for `x`.
    void add(double x, double y, double weight = 1.0) noexcept {
        weight_ += weight;
        x_ += weight * x;
        y_ += weight * y;
        xx_ += weight * x * x;
        xy_ += weight * x * y;
    }
    /// What there is counts less from now on.
    void fade(double kept) noexcept {
        for (double* const sum : {&weight_, &x_, &y_, &xx_, &xy_}) *sum *= kept;
    }
    bool empty() const noexcept { return !(weight_ > 0.0); }
    double mean_x() const noexcept { return x_ / weight_; }
    double mean_y() const noexcept { return y_ / weight_; }

    /// What one more costs. All points at one x leave it open; it is then what is given. Of at least one point.
    double slope(double if_open) const noexcept {
        const double spread = xx_ / weight_ - mean_x() * mean_x();
        const bool is_open = !(spread > 1e-6 * (1.0 + mean_x() * mean_x()));
        const double given = is_open ? if_open : (xy_ / weight_ - mean_x() * mean_y()) / spread;
        return (std::min)((std::max)(given, 0.0), mean_x() > 0.0 ? mean_y() / mean_x() : 0.0);
    }
    /// What x costs. Of at least one point.
    double at(double x, double slope_if_open) const noexcept {
        return (std::max)(mean_y() + slope(slope_if_open) * (x - mean_x()), 0.0);
    }

private:
    double weight_ = 0.0, x_ = 0.0, y_ = 0.0, xx_ = 0.0, xy_ = 0.0;
};

}  // namespace riffle::detail
