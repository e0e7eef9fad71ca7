#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <riffle/math/config.hpp>
#include <riffle/speculative/pacing/line_fit.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// What an evaluation of the model costs, by the rows of its batch. Times are averaged by size: each size to 8, then
/// four kinds to an octave, of which one begins behind each power of two, since there real costs have their steps
/// (other kernels, another tile). Between sizes that were measured costs are interpolated; beyond them they go on as
/// the line c0 + c1 · rows through all of them does. Averages forget, so they follow what changes.
class batch_costs {
public:
    /// An evaluation of so many rows took so long; what was measured before it counts `kept` of what it did. Nothing is
    /// learnt from one of no rows or of more than 4096.
    void measure(std::size_t rows, double seconds, double kept) noexcept {
        if (rows == 0 || rows > most_rows) return;
        line_ = {};
        const std::size_t kind = kind_of(rows);
        for (std::size_t i = 0; i < kinds; ++i) {
            sizes_[i].fade(kept);
            if (i == kind) sizes_[i].learn(double(rows), seconds);
            if (sizes_[i].weight > 0.0) line_.add(sizes_[i].rows, sizes_[i].seconds, sizes_[i].weight);
        }
    }
    /// Whether nothing is known: nothing was measured, or no time at all.
    bool empty() const noexcept { return line_.empty() || !(line_.mean_y() > 0.0); }
    /// Whether sizes like this were measured.
    bool has(std::size_t rows) const noexcept { return sizes_[kind_of(rows)].weight > 0.0; }

    /// What an evaluation of so many rows costs, above 0. Where only one size was measured, a row more costs
    /// `cost_of_a_row` of an evaluation of one row. Where nothing is known that evaluation is the unit.
    double seconds(std::size_t rows, double cost_of_a_row) const noexcept {
        if (empty()) return 1.0 + cost_of_a_row * (double(rows) - 1.0);
        const double if_open = line_.mean_y() * cost_of_a_row / (1.0 + cost_of_a_row * (line_.mean_x() - 1.0));
        return (std::max)(from_measured(rows, line_.slope(if_open)), least_seconds);
    }

private:
    static constexpr std::size_t most_rows = 4096, kinds = 44;
    static constexpr double least_seconds = 1e-12;

    struct average {
        double weight = 0.0;  ///< evaluations that it stands for: 0, or at least 1
        double rows = 0.0, seconds = 0.0;

        void fade(double kept) noexcept {
            if (weight > 0.0) weight = (std::max)(weight * kept, 1.0);
        }
        void learn(double r, double s) noexcept {
            // The first evaluation of a size often has to set something up, and what is old may hold no more: a lower
            // time replaces it. What took much longer was interrupted, or so it seems the first few times.
            if (weight <= 1.0 && s < seconds) weight = 0.0;
            if (weight > 0.0 && seconds > 0.0) s = (std::min)(s, 4.0 * seconds);
            weight += 1.0;
            rows += (r - rows) / weight;
            seconds += (s - seconds) / weight;
        }
        /// In proportion at least, since rows are not free where others are not.
        double at(double r, double slope) const noexcept {
            const double line = seconds + slope * (r - rows);
            return r < rows ? (std::max)(line, seconds * r / rows) : line;
        }
    };

    static std::size_t kind_of(std::size_t rows) noexcept {
        const std::size_t i = (std::min)((std::max)(rows, std::size_t{1}), std::size_t{most_rows}) - 1;
        if (i < 8) return i;
        const auto octave = std::size_t(32 - std::countl_zero(std::uint32_t(i)));  // 4 for 9 to 16 rows
        return 8 + (octave - 4) * 4 + (i >> (octave - 3)) - 4;
    }
    double from_measured(std::size_t rows, double slope) const noexcept {
        const std::size_t kind = kind_of(rows);
        const auto r = double(rows);
        if (sizes_[kind].weight > 0.0) return sizes_[kind].at(r, slope);
        std::size_t below = kind, above = kind + 1;
        while (below > 0 && sizes_[below - 1].weight == 0.0) --below;
        while (above < kinds && sizes_[above].weight == 0.0) ++above;
        if (below == 0) return sizes_[above].at(r, slope);
        const average& low = sizes_[below - 1];
        if (above == kinds) return low.at(r, slope);
        const average& high = sizes_[above];
        return low.seconds + (high.seconds - low.seconds) * (r - low.rows) / (high.rows - low.rows);
    }

    std::array<average, kinds> sizes_{};
    line_fit line_;
};

}  // namespace riffle::detail
