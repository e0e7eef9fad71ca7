#pragma once
#include <cstddef>

#include <riffle/core/row.hpp>
#include <riffle/core/tuning.hpp>
#include <riffle/math/lanes.hpp>
#include <riffle/wide/dispatch.hpp>
#include <riffle/wide/lane_operations.hpp>

namespace riffle::inline RIFFLE_ABI::wide {

/// What `max` found in a row.
struct row_maximum {
    float logit;   ///< the greatest; -inf when nothing is legal
    bool saw_nan;  ///< some logit is NaN; it was passed over
};

/// The maximum of every block, and of the row; and, where `groups` is not null, those of smaller groups: one a lane, so
/// N groups of block_size / N logits to a block. Reads a row of floats once, as it lies: see_edits does the rest.
struct max_pass {
    template <int N>
    static RIFFLE_INLINE row_maximum run(const detail::row& r, float* const& block_maxima,
                                         float* const& groups) noexcept {
        using V = lanes<N>;
        constexpr std::size_t distance = tuning::blocks_ahead;
        float greatest = illegal_logit;
        nan_search<N> nan0, nan1;
        for (std::size_t b = 0; b < r.blocks(); ++b) {
            const float* x = r.unedited(b);
            RIFFLE_PREFETCH(r.unedited(b + distance < r.blocks() ? b + distance : b));
            V m0(illegal_logit), m1 = m0, m2 = m0, m3 = m0;
            for (std::size_t i = 0; i < block_size; i += 4 * N) {
                const V x0 = V::load_once(x + i), x1 = V::load_once(x + i + N), x2 = V::load_once(x + i + 2 * N),
                        x3 = V::load_once(x + i + 3 * N);
                m0 = greater_of(x0, m0);  // a NaN compares false, so the maximum so far stays
                m1 = greater_of(x1, m1);
                m2 = greater_of(x2, m2);
                m3 = greater_of(x3, m3);
                nan0.look_at(x0, x1);
                nan1.look_at(x2, x3);
            }
            const V m = greater_of(greater_of(m0, m1), greater_of(m2, m3));
            if (groups) m.store(groups + b * N);
            const float block_maximum = reduce_max(m);
            block_maxima[b] = block_maximum;
            if (block_maximum > greatest) greatest = block_maximum;
        }
        return {greatest, nan0.found() || nan1.found()};
    }
};

/// The maximum of one block, and of its groups where those are wanted. Whether it has a NaN.
template <class Row>
bool find_max_of_block(const Row& r, std::size_t b, float* block_maxima, float* groups_of_block) noexcept {
    const float* logits = r.block(b);
    detail::row one;
    one.assign(&logits, 1);
    return run<max_pass>(one, block_maxima + b, groups_of_block).saw_nan;
}

/// The greatest of the maxima of all blocks.
inline float greatest_of(const float* block_maxima, std::size_t blocks) noexcept {
    float greatest = illegal_logit;
    for (std::size_t b = 0; b < blocks; ++b)
        if (block_maxima[b] > greatest) greatest = block_maxima[b];
    return greatest;
}

/// Makes the maxima of a row as it lies those of the row with its edits. A block is read again only where the logit
/// that was edited may have been its maximum, or its group's.
template <class Row>
RIFFLE_NOINLINE void see_edits(const Row& r, float* block_maxima, float* groups, row_maximum& found) noexcept {
    const std::size_t lanes_now = std::size_t(width());
    bool found_anew = false;
    for (std::size_t i = 1; i <= r.edit_count(); ++i) {
        const detail::kept_edits::edit& edit = r.kept_edit(i);
        const std::size_t id = std::size_t(edit.token), b = id / block_size;
        if (r.is_copied(b)) continue;
        float* const of_block = groups ? groups + b * lanes_now : nullptr;
        float& known = groups ? of_block[id % lanes_now] : block_maxima[b];
        found.saw_nan |= edit.logit != edit.logit;
        if (r.unedited_logit(id) < known) {
            if (edit.logit > known) known = edit.logit;
            if (edit.logit > block_maxima[b]) block_maxima[b] = edit.logit;
        } else {
            found_anew |= !(block_maxima[b] < found.logit);
            find_max_of_block(r, b, block_maxima, of_block);
        }
        if (block_maxima[b] > found.logit) found.logit = block_maxima[b];
    }
    if (found_anew) found.logit = greatest_of(block_maxima, r.blocks());
}

/// Block maxima of `r` into block_maxima[0, blocks), those of group_count(r) groups into `groups` where that is not
/// null, and the greatest logit.
template <class Row>
row_maximum find_max(const Row& r, float* block_maxima, float* groups = nullptr) noexcept {
    row_maximum found =
        r.reader() ? r.reader()->find_max(r, block_maxima, groups) : run<max_pass>(r, block_maxima, groups);
    if (r.edit_count() > 0) see_edits(r, block_maxima, groups, found);
    return found;
}

/// One a lane, at the present width.
inline std::size_t group_count(const detail::row& r) noexcept { return r.blocks() * std::size_t(width()); }

/// The lowest id whose logit is at least `cut`, skipping blocks by their maxima; size() when there is none.
template <class Row>
std::size_t first_at_least(const Row& r, const float* block_maxima, float cut) noexcept {
    for (std::size_t b = 0; b < r.blocks(); ++b) {
        if (!(block_maxima[b] >= cut)) continue;
        const float* x = r.block(b);
        for (std::size_t i = 0; i < block_size; ++i)
            if (x[i] >= cut) return b * block_size + i;
    }
    return r.size();
}

}  // namespace riffle::wide
