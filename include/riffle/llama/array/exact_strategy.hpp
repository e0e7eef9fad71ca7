#pragma once
#include <algorithm>
#include <cstddef>
#include <utility>

#include <riffle/chain/scratch.hpp>
#include <riffle/chain/stage_list.hpp>
#include <riffle/core/candidates.hpp>
#include <riffle/core/context.hpp>
#include <riffle/core/row.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/tuning.hpp>
#include <riffle/exact/form.hpp>
#include <riffle/exact/full_row.hpp>
#include <riffle/exact/quick_sums.hpp>
#include <riffle/llama/array/write_back.hpp>
#include <riffle/wide/candidate_row.hpp>
#include <riffle/wide/dispatch.hpp>

namespace riffle::inline RIFFLE_ABI::llama::detail {

/// For chains under numerics::llama: llama.cpp's way, stage by stage, on the row as long as every token is there and
/// its order does not matter. Leaves what llama.cpp leaves, with p of a whole row to seven digits.
class exact_strategy {
public:
    exact_strategy(const stage_list& stages, candidates& c, const riffle::detail::scratch& memory,
                   const context& x) noexcept
        : stages_(stages), c_(c), memory_(memory), context_(x) {}

    status run() noexcept {
        for (std::size_t i = 0; i < stages_.size();) {
            if (is_row_for(i)) {
                i = on_row(i);
                continue;
            }
            if (i == 0 && !found_.is_row && !look_at_all()) return failed(status_code::bad_candidates);
            auto code = stages_.narrow(i, i + 1, c_, context_);
            // It would sort NaN, which llama.cpp's source leaves undefined; elsewhere NaN is what it is there.
            if (code == status_code::no_legal_token && forget_nan()) code = stages_.narrow(i, i + 1, c_, context_);
            if (code != status_code::ok) return failed(status::failed(code, stages_.name(i)));
            ++i;
        }
        return seen_;
    }

private:
    /// Whether the candidates are a row and stage i has a form for it. To look costs as much as a cheap stage: it is
    /// done once, and again only behind a stage without a form, which may have left them a row.
    bool is_row_for(std::size_t i) noexcept {
        if (!stages_[i].ops->apply_to_row) looks_again_ = true;
        else if (std::exchange(looks_again_, false) && c_.size >= tuning::least_row_of_candidates && !c_.sorted) {
            found_ = wide::copy_logits(c_, memory_.copies, memory_.block_maxima);
            if (i == 0 && found_.is_row) note(found_.maximum.logit, found_.maximum.saw_nan);
            return found_.is_row;
        }
        return false;
    }
    /// As many stages from `first` on as can be run on the row; answers which one comes next.
    std::size_t on_row(std::size_t first) noexcept {
        riffle::detail::row logits;
        logits.assign({memory_.copies, c_.size}, memory_.blocks, memory_.copies);
        exact::full_row r(logits, memory_.block_maxima, memory_.groups, memory_.bins, memory_.masses, &found_.maximum);
        if (!r.ordinary()) return first;
        candidates found{memory_.tokens, 0, -1, false};
        for (std::size_t i = first; i < stages_.size(); ++i) {
            const stage_ref& s = stages_[i];
            const exact::row_answer answer =
                s.ops->apply_to_row ? s.ops->apply_to_row(s, r, found, context_) : exact::row_answer::undecided;
            if (answer == exact::row_answer::stays) continue;
            if (answer == exact::row_answer::undecided) {
                write_back(r);
                return i;
            }
            take(i, r, found);
            return i + 1;
        }
        write_back(r);
        return stages_.size();
    }
    void write_back(const exact::full_row& r) noexcept {
        if (r.touched()) wide::run<write_back_pass<false>>(r.logits(), r.block_maxima(), written(), c_.data);
    }
    /// What stage i left of the row, into the array.
    void take(std::size_t i, exact::full_row& r, const candidates& found) noexcept {
        const facts& f = stages_.fact(i);
        const bool selects = f.selects != selecting::no;
        if (selects && f.narrows == narrowing::no) return select_of_all(i, r, found);
        const bool writes_p = selects || f.narrows == narrowing::mass;  // the mirostats and top_p
        take_found(found, !writes_p, c_);
    }
    /// A token of all: the others stay, and so does the index of each. dist leaves p of all.
    void select_of_all(std::size_t i, exact::full_row& r, const candidates& found) noexcept {
        c_.selected = found[0].id;
        if (stages_.fact(i).selects != selecting::by_mass) return write_back(r);
        const written w = with_p(r.maximum(), 1.0 / exact::sum_to_a_millionth(r));
        wide::run<write_back_pass<false>>(r.logits(), r.block_maxima(), w, c_.data);
    }
    /// Notes NaN and +inf among candidates that are no row; false where one of them has an id below 0.
    bool look_at_all() noexcept {
        const std::size_t whole = c_.size / 16 * 16;
        const auto seen = wide::run<wide::read_candidates_pass>(static_cast<const token_data*>(c_.data), whole);
        bool are_tokens = true;
        for (std::size_t i = seen.in_order && seen.canonical ? whole : 0; i < c_.size; ++i) {
            note(c_[i].logit, c_[i].logit != c_[i].logit);
            are_tokens = are_tokens && c_[i].id >= 0;
        }
        return are_tokens;
    }
    void note(float greatest, bool is_nan) noexcept {
        if (is_nan) seen_.note_nan();
        if (greatest > greatest_logit) seen_.note_infinity();
    }
    status failed(const status& reason) noexcept {
        seen_.fail(reason);
        return seen_;
    }
    /// NaN becomes -inf; false where there was none.
    bool forget_nan() noexcept {
        bool seen = false;
        for (auto& token : c_) {
            if (token.logit == token.logit) continue;
            token.logit = illegal_logit;
            seen = true;
        }
        return seen;
    }

    const stage_list& stages_;
    candidates& c_;
    const riffle::detail::scratch& memory_;
    const context& context_;
    wide::row_found found_;
    status seen_;
    bool looks_again_ = true;
};

}  // namespace riffle::llama::detail
