#pragma once
#include <algorithm>
#include <cstddef>
#include <limits>

#include <riffle/chain/chain_state.hpp>
#include <riffle/chain/plan.hpp>
#include <riffle/chain/stage_table.hpp>
#include <riffle/core/candidates.hpp>
#include <riffle/core/llama_form.hpp>
#include <riffle/llama/context.hpp>
#include <riffle/llama/token_array.hpp>
#include <riffle/math/fixed_mass.hpp>
#include <riffle/wide/fold.hpp>
#include <riffle/wide/llama_row.hpp>
#include <riffle/wide/mass.hpp>
#include <riffle/wide/max.hpp>
#include <riffle/wide/preimage.hpp>
#include <riffle/wide/rewrite.hpp>

// A chain's stages applied to an array of candidates, by the passes over a row where the array is one. What is left in
// the array is what applying the stages to it one after the other leaves.

namespace riffle::llama::detail {

using machine = cpu_machine<stage_table>;

inline bool has_selector(const stage_table& stages) noexcept {
    return stages.size() > 0 && stages.fact(stages.size() - 1).selects != selecting::no;
}

/// The narrow verbs of the stages from `first` on; the failure names its stage.
inline status narrow_from(const stage_table& stages, std::size_t first, candidates& c, const context& x) noexcept {
    for (std::size_t i = first; i < stages.size(); ++i)
        if (const auto code = stages.narrow(i, i + 1, c, x); code != status_code::ok)
            return status::failed(code, stages.name(i));
    const bool selected = c.selected >= 0 && std::size_t(c.selected) < c.size;
    return has_selector(stages) && !selected ? status(status_code::no_legal_token) : status();
}

/// Candidates that were found, in the place of all; what they had in p where `keeps_p`. There are not more of them.
inline void take_found(candidates found, bool keeps_p, candidates& c) noexcept {
    if (keeps_p)
        for (auto& token : found) token.p = c[std::size_t(token.id)].p;
    std::copy(found.begin(), found.end(), c.begin());
    c.size = found.size;
    c.sorted = found.sorted;
    if (found.selected >= 0) c.selected = found.selected;
}

/// llama.cpp's way: stage by stage, on the row as long as every token is there and its order does not matter. Leaves
/// what llama.cpp leaves, with p of a whole row to seven digits.
class as_llama {
public:
    as_llama(const stage_table& stages, candidates& c, const scratch& memory, const context& x) noexcept
        : stages_(stages), c_(c), memory_(memory), context_(x) {}

    status run() noexcept {
        if (c_.size >= least_row && !c_.sorted) found_ = copy_logits(c_, memory_.copies, memory_.peaks);
        if (!found_.is_row && names_no_token()) return status_code::bad_candidates;
        for (std::size_t i = found_.is_row ? on_row() : 0; i < stages_.size(); ++i) {
            auto code = stages_.narrow(i, i + 1, c_, context_);
            // It would sort NaN, which llama.cpp's source leaves undefined; elsewhere NaN is what it is there.
            if (code == status_code::no_legal_token && forget_nan()) code = stages_.narrow(i, i + 1, c_, context_);
            if (code != status_code::ok) return status::failed(code, stages_.name(i));
        }
        return {};
    }

private:
    /// As many stages as can be run on the row; answers how many those were.
    std::size_t on_row() noexcept {
        row logits;
        logits.assign({memory_.copies, c_.size}, memory_.blocks, memory_.copies);
        wide::llama_row r(logits, memory_.peaks, memory_.groups, memory_.bins, memory_.masses, &found_.maximum);
        if (!r.ordinary()) return 0;
        candidates found{memory_.tokens, 0, -1, false};
        for (std::size_t i = 0; i < stages_.size(); ++i) {
            const exact::row_answer answer = stages_.apply_to_row(i, r, found, context_);
            if (answer == exact::row_answer::stays) continue;
            if (answer == exact::row_answer::undecided) return write_back(r), i;
            if (stages_.fact(i).selects != selecting::no) select_of_all(i, r, found);
            else take_found(found, stages_.fact(i).narrows != narrowing::mass, c_);
            return i + 1;
        }
        write_back(r);
        return stages_.size();
    }
    void write_back(const wide::llama_row& r) noexcept {
        if (r.touched()) wide::run<write_back_pass<weight_in_floats>>(r.logits(), r.peaks(), written(), c_.data);
    }
    /// A token of all: the others stay, and so does the index of each. dist leaves p of all.
    void select_of_all(std::size_t i, wide::llama_row& r, const candidates& found) noexcept {
        c_.selected = found[0].id;
        if (stages_.fact(i).selects != selecting::by_mass) return write_back(r);
        double whole = 0.0;  // of what it drew from
        for (std::size_t b = 0; b < r.logits().blocks(); ++b) whole += r.sums()[b];
        const written w = with_p(r.maximum(), whole, 1.0);
        wide::run<write_back_pass<weight_in_floats>>(r.logits(), r.peaks(), w, c_.data);
    }
    bool names_no_token() const noexcept {
        return std::any_of(c_.begin(), c_.end(), [](const token_data& token) { return token.id < 0; });
    }
    /// NaN becomes -inf; false where there was none.
    bool forget_nan() noexcept {
        bool seen = false;
        for (auto& token : c_)
            if (token.logit != token.logit) token.logit = illegal_logit, seen = true;
        return seen;
    }

    const stage_table& stages_;
    candidates& c_;
    const scratch& memory_;
    const context& context_;
    row_found found_;
};

/// riffle's own way, for an array that is a row: the plan that a row has.
class by_plan {
public:
    by_plan(const stage_table& stages, const plan& p, candidates& c, const scratch& memory, const context& x) noexcept
        : stages_(stages), plan_(p), c_(c), memory_(memory), context_(x) {}

    /// The logits of c are in memory.copies.
    status run(machine& on) noexcept {
        const auto end = has_selector(stages_) ? machine::until::token : machine::until::selector;
        on.run(stages_, plan_, memory_, context_, {memory_.copies, c_.size}, end);
        if (!on.state().ok()) return on.state();
        if (plan_.has(pass::pick)) select_of_all(on);
        else take_found(on.found(), false, c_);
        return on.state();
    }

private:
    /// A token of all: the others stay, with their logits behind all maps.
    void select_of_all(machine& on) noexcept {
        row& r = on.edited_row();
        const token_data chosen = on.found()[0];
        if (plan_.pending < plan_.bridge) map(r);
        c_.sorted = false;
        c_.selected = chosen.id;
        if (stages_.fact(plan_.bridge).selects == selecting::by_shape) {
            wide::run<write_back_pass<weight_in_integers>>(r, memory_.peaks, written(), c_.data);
            stages_.prepare(plan_.bridge, c_);  // the logits that it drew by
            c_[std::size_t(c_.selected)].p = chosen.p;
            return;
        }
        const float maximum = canonical(wide::find_max(r, memory_.peaks).logit);
        const written w = with_p(maximum, double(mass_of(on, maximum)), double(unit_mass));
        wide::run<write_back_pass<weight_in_integers>>(r, memory_.peaks, w, c_.data);
    }
    /// The maps that the passes had folded in, block by block as candidates.
    void map(row& r) noexcept {
        token_data* const block = memory_.tokens;
        for (std::size_t b = 0; b < r.blocks(); ++b) {
            float* const logits = r.own(b);
            for (std::size_t i = 0; i < block_size; ++i) block[i] = {token_id(i), canonical(logits[i]), 0.0f};
            stages_.map(plan_.bridge, {block, block_size});
            for (std::size_t i = 0; i < block_size; ++i) logits[i] = block[i].logit;
        }
    }
    /// The mass of all tokens, which a plan that draws by noise, or not at all, has not asked for.
    std::uint64_t mass_of(machine& on, float maximum) const noexcept {
        if (on.total_mass() > 0) return on.total_mass();
        const float cut = wide::raw_cut((std::max)(maximum - mass_range, std::numeric_limits<float>::lowest()));
        return wide::find_mass<false>(on.edited_row(), memory_.peaks, cut, fold<>{}, maximum, memory_.masses);
    }

    const stage_table& stages_;
    const plan& plan_;
    candidates& c_;
    const scratch& memory_;
    const context& context_;
};

/// The stages of a chain on candidates that may be a row. A selection that was there stays, as an index under
/// numerics::llama and as a token otherwise, where it survives.
template <class Chain>
status apply(Chain& chain, candidates& c) noexcept {
    decltype(auto) stages = chain.table();
    if (stages.as_llama())
        return chain.state().apply_by(stages, c, [&](machine&, const scratch& memory, const context& x) noexcept {
            return as_llama(stages, c, memory, x).run();
        });
    const token_id chosen = c.selected >= 0 && std::size_t(c.selected) < c.size ? c[std::size_t(c.selected)].id : -1;
    c.selected = -1;
    bool is_row = false, has_p = false;
    status s;
    if (const plan& p = stages.plan_for(stages.bridge(c.size)); c.size >= least_row && !p.has(pass::rows))
        s = chain.state().apply_by(stages, c, [&](machine& on, const scratch& memory, const context& x) noexcept {
            is_row = copy_logits(c, memory.copies, memory.peaks).is_row;
            has_p = is_row && p.has(pass::pick) && stages.fact(p.bridge).selects != selecting::by_shape;
            return is_row ? by_plan(stages, p, c, memory, x).run(on) : status();
        });
    if (s.ok() && !is_row) s = chain.apply(c);
    if (!s.ok()) return s;
    if (has_selector(stages)) {
        if (!has_p) c.normalise();
        return s;
    }
    for (std::size_t i = 0; chosen >= 0 && i < c.size && c.selected < 0; ++i)
        if (c[i].id == chosen) c.selected = std::int64_t(i);
    return s;
}

/// The stages from `first` on, for candidates that those before were run on elsewhere.
template <class Chain>
status apply_from(Chain& chain, std::size_t first, candidates& c) noexcept {
    decltype(auto) stages = chain.table();
    const status s = chain.state().apply_by(stages, c, [&](machine&, const scratch&, const context& x) noexcept {
        for (auto& token : c) token.logit = canonical(token.logit);
        c.sorted = false;
        return narrow_from(stages, first, c, x);
    });
    if (s.ok() && has_selector(stages)) c.normalise();
    return s;
}

/// peek, for an output of which not all tokens are left.
template <class Chain>
token_id choose_among(Chain& chain, const output& left) noexcept {
    bool is_row = true;
    for (std::size_t i = 0; is_row && i < left.size; ++i) is_row = left.ids[i] == token_id(i);
    if (is_row) return chain.peek({left.logits, left.size});
    candidates c{nullptr, left.size, -1, false};
    decltype(auto) stages = chain.table();
    const status s = chain.state().apply_by(stages, c, [&](machine&, const scratch& memory, const context&) noexcept {
        c.data = memory.tokens;  // which candidates that are no row leave alone
        for (std::size_t i = 0; i < c.size; ++i) c[i] = {left.ids[i], left.logits[i], left.p ? left.p[i] : 0.0f};
        return status();
    });
    if (!s.ok() || !apply(chain, c).ok()) return null_token;
    if (c.selected >= 0 && c[std::size_t(c.selected)].logit > illegal_logit) return c[std::size_t(c.selected)].id;
    chain.state().set_status(has_selector(stages) ? status_code::no_legal_token : status_code::no_selector);
    return null_token;
}

/// peek for what a context has, where no token was chosen there.
template <class Chain>
token_id peek_output(Chain& chain, const output& from) noexcept {
    return from.ids ? choose_among(chain, from) : chain.peek({from.logits, from.size});
}

}  // namespace riffle::llama::detail
