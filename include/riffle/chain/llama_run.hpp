#pragma once
#include <cstddef>
#include <cstdint>

#include <riffle/chain/plan.hpp>
#include <riffle/chain/row_step.hpp>
#include <riffle/chain/stage_ops.hpp>
#include <riffle/core/candidates.hpp>
#include <riffle/core/llama_form.hpp>
#include <riffle/wide/candidate_row.hpp>
#include <riffle/wide/llama_row.hpp>
#include <riffle/wide/max.hpp>

namespace riffle::inline RIFFLE_ABI {

/// How a chain under numerics::llama fared: of so many rows so many had to be gone through as llama.cpp does, with a
/// candidate for every token, because the quicker way could not decide.
struct replay_counts {
    std::uint64_t rows = 0, replays = 0;
};

namespace detail {

/// The narrow verbs of a chain's stages on what a step has found, and the way from candidates back to a row.
template <class Stages>
struct verbs_on {
    row_step<Stages>& s;

    /// Whether the run is to stop ahead of this stage.
    bool stops_before_law_of(std::size_t i) const noexcept {
        const facts& f = s.stages->fact(i);
        if (s.end != run_to::selector || f.selects == selecting::no || f.selects == selecting::greatest) return false;
        return !(s.stages->as_llama() && f.makes_its_law());  // llama.cpp's forms make the law and draw at once
    }
    /// Whether it is to among candidates. There llama.cpp's dist is let draw: where all its weights are NaN, its choice
    /// is all the law that it has.
    bool stops_ahead_of(std::size_t i) const noexcept {
        return stops_before_law_of(i) && !(s.stages->as_llama() && s.stages->fact(i).selects == selecting::by_mass);
    }
    /// Stages [first, last), up to where the run is to stop.
    bool narrow(std::size_t first, std::size_t last) noexcept {
        const bool stop = last > first && stops_ahead_of(last - 1);
        if (!narrow_all(first, stop ? last - 1 : last)) return false;
        if (s.stages->as_llama()) {  // llama.cpp leaves inf, NaN made of it, and its flag over logits that were changed
            for (auto& token : s.found) token.logit = canonical(token.logit);
            s.found.sorted = false;
        }
        if (stop) s.stages->prepare(last - 1, s.found);
        return true;
    }
    bool narrow_all(std::size_t first, std::size_t last) noexcept {
        const legal_tokens* const legal = s.stages->as_llama() ? nullptr : s.memory.legal;
        const status_code code = s.stages->narrow(first, last, s.found, *s.past, legal);
        if (code != status_code::ok) s.state.fail(code);
        return code == status_code::ok;
    }

    /// The candidates as a row, if no stage has dropped, moved or chosen one.
    wide::row_found row_of_candidates() noexcept {
        if (s.found.size != s.row.size() || s.found.sorted || s.found.selected >= 0) return {};
        return wide::copy_logits(s.found, s.memory.copies, s.memory.peaks);
    }
    void take_row(const wide::row_found& of_candidates) noexcept {
        s.row.assign(s.memory.copies, s.found.size, s.memory.blocks, s.memory.copies);
        s.found.size = 0;
        s.left = of_candidates.maximum;
    }
};

/// Runs stages as llama.cpp runs them: as far as their forms can, on the row. Where one cannot it is given a candidate
/// for every token, as it is (but for NaN); what it leaves whole is a row again.
template <class Stages>
class llama_run {
public:
    explicit llama_run(row_step<Stages>& of) noexcept : s_(of), verbs_{of} {}

    bool run(std::size_t last, replay_counts& counts) noexcept {
        const bool counted = s_.end != run_to::selector;
        counts.rows += counted;
        s_.left = wide::find_max(s_.row, s_.memory.peaks);
        const bool is_ordinary = wide::is_ordinary(s_.left);
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
            if (i + 1 >= last || verbs_.stops_before_law_of(i)) return verbs_.narrow(i, last);
            if (!verbs_.narrow_all(i, i + 1)) return false;
            ++i;
            const wide::row_found left = verbs_.row_of_candidates();
            // p is what the stage left, and a user's stage may read it.
            if (!left.is_row || left.has_p || !wide::is_ordinary(left.maximum)) return verbs_.narrow(i, last);
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
        wide::llama_row r(s_.row, s_.memory.peaks, s_.memory.groups, s_.memory.bins, s_.memory.masses, &s_.left);
        for (; i < last && !verbs_.stops_before_law_of(i) && (*s_.stages)[i].ops->apply_to_row; ++i) {
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

}  // namespace detail
}  // namespace riffle
