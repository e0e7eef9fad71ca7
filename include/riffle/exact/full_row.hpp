#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>

#include <riffle/core/candidates.hpp>
#include <riffle/core/row.hpp>
#include <riffle/wide/above.hpp>
#include <riffle/wide/max.hpp>
#include <riffle/wide/select.hpp>

namespace riffle::inline RIFFLE_ABI::exact {

/// Whether every logit of a row is a number below +inf, and some above -inf.
inline bool is_ordinary(const wide::row_maximum& found) noexcept {
    return !found.saw_nan && found.logit > illegal_logit && found.logit <= greatest_logit;
}

/// A row that stands for llama.cpp's candidates of all tokens, in the order of their ids and not flagged sorted,
/// without 12 bytes for each: what a sampler's form may work on as long as every token is there. Its logits are changed
/// exactly as llama.cpp would change them, never made canonical.
class full_row {
public:
    /// `block_maxima`, `groups`, `bins` and `sums` (a number a block) are a chain's scratch, as chain/scratch.hpp sizes
    /// it. `known` is what find_max found, where it has been asked already.
    full_row(detail::row& r, float* block_maxima, float* groups, std::uint64_t* bins, std::uint64_t* sums,
             const wide::row_maximum* known = nullptr) noexcept
        : row_(r), block_maxima_(block_maxima), groups_(groups), bins_(bins), sums_(reinterpret_cast<double*>(sums)) {
        if (known) set_known(*known);
    }

    std::size_t size() const noexcept { return row_.size(); }
    const detail::row& logits() const noexcept { return row_; }
    /// Block maxima, valid after maximum().
    const float* block_maxima() const noexcept { return block_maxima_; }
    /// Room for a number a block.
    double* sums() noexcept { return sums_; }
    /// The share of the whole mass that sums() lack at most, as whoever filled them says.
    void lacks(double share) noexcept { lacking_ = share; }
    double lacking() const noexcept { return lacking_; }

    /// is_ordinary: other rows are left to llama.cpp's own arithmetic.
    bool ordinary() noexcept {
        const float m = maximum();
        return is_ordinary({m, saw_nan_});
    }
    /// The greatest logit. Reads what has changed: blocks of edited logits, or the row.
    float maximum() noexcept {
        if (!known_) set_known(wide::find_max(row_, block_maxima_));
        else if (has_unseen_edits_) see_edits_since_known();
        return maximum_;
    }
    /// The logit of a token, to be changed; nullptr for an id outside.
    float* at(token_id id) noexcept {
        if (id < 0 || std::size_t(id) >= row_.size()) return nullptr;
        touched_ = true;
        has_unseen_edits_ = true;
        known_ &= !saw_edits_;  // a maximum may be an edited logit, which can fall again
        float& logit = row_.at(std::size_t(id));
        if (const std::size_t b = std::size_t(id) / block_size; row_.owns(b)) block_maxima_[b] = unknown_maximum;
        return &logit;
    }
    /// The whole row, to be changed by a pass.
    detail::row& changed() noexcept {
        known_ = false;
        touched_ = true;
        return row_;
    }
    /// The whole row, to be changed by a pass that changes every logit as `monotone` does, which keeps their order:
    /// what is known of the maxima stays known.
    template <class Monotone>
    detail::row& changed(Monotone monotone) noexcept {
        touched_ = true;
        if (known_) {
            maximum_ = monotone(maximum());
            for (std::size_t b = 0; b < row_.blocks(); ++b) block_maxima_[b] = monotone(block_maxima_[b]);
        }
        return row_;
    }
    /// Whether anything was given out to be changed.
    bool touched() const noexcept { return touched_; }
    /// A logit that at least k reach, of an ordinary row with that many legal.
    float bound_of_rank(std::size_t k) noexcept {
        return wide::bound_of_rank(row_, block_maxima_, k, maximum(), groups_, false, bins_);
    }
    /// Every token of at least that logit, in the order of ids; some of them where they are more than `most`.
    std::size_t find_above(float cut, token_data* out, std::size_t most = std::size_t(-1)) noexcept {
        maximum();
        return wide::find_above(row_, block_maxima_, 0, row_.blocks(), cut, out, most);
    }
    std::size_t find_above(std::size_t block, float cut, token_data* out) const noexcept {
        return wide::find_above(row_, block_maxima_, block, block + 1, cut, out);
    }

private:
    static constexpr float unknown_maximum = std::numeric_limits<float>::infinity();  // no logit is above it

    void set_known(const wide::row_maximum& found) noexcept {
        maximum_ = found.logit;
        saw_nan_ = found.saw_nan;
        known_ = true;
        saw_edits_ = row_.edit_count() > 0;
        has_unseen_edits_ = false;
    }
    RIFFLE_NOINLINE void see_edits_since_known() noexcept {
        wide::row_maximum found{maximum_, saw_nan_};
        wide::see_edits(row_, block_maxima_, static_cast<float*>(nullptr), found);
        bool found_anew = false;
        for (std::size_t b = 0; b < row_.blocks(); ++b) {
            if (block_maxima_[b] < unknown_maximum) continue;
            found.saw_nan |= wide::find_max_of_block(row_, b, block_maxima_, nullptr);
            found_anew = true;
        }
        if (found_anew) found.logit = wide::greatest_of(block_maxima_, row_.blocks());
        set_known(found);
    }

    detail::row& row_;
    float* block_maxima_;
    float* groups_;
    std::uint64_t* bins_;
    double* sums_;
    double lacking_ = 0.0;
    float maximum_ = illegal_logit;
    bool known_ = false;  ///< the maxima are those of the row but for edits that were not seen
    bool has_unseen_edits_ = false, saw_edits_ = false;
    bool saw_nan_ = false, touched_ = false;
};

}  // namespace riffle::exact
