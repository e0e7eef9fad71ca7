#pragma once
#include <cstddef>

#include <riffle/chain/row_step.hpp>
#include <riffle/chain/stage_ops.hpp>
#include <riffle/chain/verbs_of_step.hpp>
#include <riffle/core/candidates.hpp>
#include <riffle/exact/form.hpp>
#include <riffle/exact/full_row.hpp>
#include <riffle/wide/candidate_row.hpp>
#include <riffle/wide/max.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Runs stages as llama.cpp runs them: as far as their forms can, on the row. Where one cannot it is given a candidate
/// for every token, as it is (but for NaN); what it leaves whole is a row again.
template <class Stages>
class exact_run {
public:
    explicit exact_run(row_step<Stages>& of) noexcept : s_(of), verbs_{of} {}

    bool run(std::size_t last, replay_counts& counts) noexcept {
        const bool counted = !s_.stops_at_selector();
        counts.rows += counted;
        s_.left = wide::find_max(s_.row, s_.memory.block_maxima);
        const bool is_ordinary = exact::is_ordinary(s_.left);
        if (!is_ordinary) {
            s_.note(s_.left);
            hide_nan();
        }
        std::size_t i = 0;
        if (is_ordinary && run_on_row(i, last)) return verbs_.narrow(i, last);
        counts.replays += counted;
        for (;;) {
            s_.found.size = s_.row.size();
            wide::fill_candidates(s_.row, false, s_.found.data);
            if (i + 1 >= last || verbs_.stops_before_distribution_of(i)) return verbs_.narrow(i, last);
            if (!verbs_.narrow_all(i, i + 1)) return false;
            ++i;
            const wide::row_found left = verbs_.row_of_candidates();
            // p is what the stage left, and a user's stage may read it.
            if (!left.is_row || left.has_p || !exact::is_ordinary(left.maximum)) return verbs_.narrow(i, last);
            verbs_.take_row(left);
            if (run_on_row(i, last)) return verbs_.narrow(i, last);
        }
    }

private:
    /// Of the row as it came: NaN that a stage makes stays.
    void hide_nan() noexcept {
        for (std::size_t id = 0; id < s_.row.size(); ++id)
            if (const float logit = s_.row.logit(id); logit != logit)
                s_.row.own(id / block_size)[id % block_size] = illegal_logit;
    }
    /// The stages from i on, as long as they decide; true when one of them has narrowed. i is then the next one, else
    /// the first that was not run.
    bool run_on_row(std::size_t& i, std::size_t last) noexcept {
        exact::full_row r(s_.row, s_.memory.block_maxima, s_.memory.groups, s_.memory.bins, s_.memory.masses, &s_.left);
        for (; i < last && !verbs_.stops_before_distribution_of(i) && (*s_.stages)[i].ops->apply_to_row; ++i) {
            const exact::row_answer answer = s_.template ask<&stage_ops::apply_to_row>(i, r, s_.found, *s_.past);
            if (answer == exact::row_answer::narrowed) {
                ++i;
                return true;
            }
            if (answer == exact::row_answer::undecided) return false;
        }
        return false;
    }

    row_step<Stages>& s_;
    verbs_on<Stages> verbs_;
};

}  // namespace riffle::detail
