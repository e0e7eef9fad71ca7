#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <riffle/chain/large_nucleus.hpp>
#include <riffle/chain/law_of_step.hpp>
#include <riffle/chain/plan.hpp>
#include <riffle/chain/row_step.hpp>
#include <riffle/chain/scratch.hpp>
#include <riffle/chain/stage_list.hpp>
#include <riffle/chain/verbs_of_step.hpp>
#include <riffle/chain/weighed.hpp>
#include <riffle/core/logit_row.hpp>
#include <riffle/core/softmax_statistics.hpp>
#include <riffle/core/tuning.hpp>
#include <riffle/wide/candidate_row.hpp>
#include <riffle/wide/gather.hpp>
#include <riffle/wide/max.hpp>
#include <riffle/wide/select.hpp>

namespace riffle::inline RIFFLE_ABI {
namespace detail {

/// Runs stages as llama.cpp runs them (exact/run.hpp).
template <class Stages>
class exact_run;

}  // namespace detail

/// Executes a plan on the processor, pass by pass. It holds the state of one step and knows no sampler: what it needs
/// of the stages it asks their tables (chain/stage_ops.hpp). As long as there are passes: each has some lines here, and
/// one that needs more a file of its own (row_step, large_nucleus, law_of_step, verbs_of_step).
template <class Stages>
class basic_cpu_machine {
    using row_step = detail::row_step<Stages>;
    using route = typename row_step::route;

public:
    using nucleus_way = detail::nucleus_way;
    using weighed_law = weighed;

    basic_cpu_machine() noexcept = default;
    basic_cpu_machine(const basic_cpu_machine&) = delete;  // its parts refer to it
    basic_cpu_machine& operator=(const basic_cpu_machine&) = delete;
    /// As if it had never run, but for these counts.
    void forget(const replay_counts& counts) noexcept {
        s_ = {};
        law_.forget();
        counts_ = counts;
    }

    /// The token for a row, or null_token; `found()` then holds what was materialised. `memory` is as large as the row
    /// and the stages ask (scratch::bytes), and memory.legal is what they leave legal (stage_list::look_at_legal). What
    /// is passed in must live until run returns; after that only `memory` must, as long as found() and edited_row() are
    /// asked for. `known` is what find_max finds in the row, where memory.block_maxima has its block maxima already;
    /// steps of the plan before `first` were done elsewhere.
    token_id run(const Stages& stages, const plan& p, const detail::scratch& memory, const context& x,
                 const logit_row& logits, run_to end, const wide::row_maximum* known = nullptr,
                 std::size_t first = 0) noexcept {
        s_.begin(stages, p, memory, x, logits, end, known, first);
        nucleus_.begin();
        draws_from_row_ = false;
        moments_ = {};
        softmax_ = {};
        law_.forget();
        while (s_.next < s_.now->size) {
            const plan_step& step = s_.now->steps[s_.next++];
            if (!stages.handlers().of[std::size_t(step.op)](*this, step)) return null_token;
        }
        if (end == run_to::selector) return null_token;
        if (end == run_to::law) {
            if (!law_.is_of_row()) law_.find_among_candidates();
            return null_token;
        }
        const candidates& found = s_.found;
        if (!found.has_selected()) return s_.fail(), null_token;
        const token_data& chosen = found[std::size_t(found.selected)];
        if (!(chosen.logit > illegal_logit)) return s_.fail(), null_token;  // llama.cpp's samplers may choose such
        return chosen.id;
    }

    candidates& found() noexcept { return s_.found; }

    /// After run_to::law, where a token can come.
    detail::law_of_step<Stages>& law() noexcept { return law_; }
    /// Makes candidates of the law (law_of_step::become_candidates).
    void rank_law(const Stages& stages, std::size_t n) noexcept {
        if (law_.is_of_row()) nucleus_.hide_others();
        law_.become_candidates(stages, n);
    }
    /// Whether a bridge left so many tokens that they stayed in the row: found() is what came of them.
    bool stayed_in_row() const noexcept { return s_.stays_in_row; }
    /// How the last run found the end of a nucleus.
    nucleus_way way_of_nucleus() const noexcept { return nucleus_.way(); }
    /// The row as edits, masks and rewrites of the last run left it.
    detail::row& edited_row() noexcept { return s_.row; }
    const status& state() const noexcept { return s_.state; }
    /// Of the last mass pass: the mass of the row and those of its blocks; 0 and none when the plan took no mass of the
    /// row.
    std::uint64_t total_mass() const noexcept { return s_.total_mass; }
    std::span<const std::uint64_t> block_masses() const noexcept {
        return {s_.memory.masses, s_.total_mass ? s_.row.blocks() : 0};
    }
    /// Under numerics::llama: see chain_interface::replays.
    const replay_counts& replays() const noexcept { return counts_; }

    /// One pass; false when there is no token to be had. (For detail::handlers_of.)
    template <pass Op, bool HasNuclei>
    static bool execute(basic_cpu_machine& m, const plan_step& p) noexcept {
        row_step& s = m.s_;
        if constexpr (Op == pass::edit || Op == pass::edit_all) {
            s.template ask<&stage_ops::edit>(p.first, s.row, *s.past);
            s.note(s.row);
        } else if constexpr (Op == pass::hide) {
            m.hide_illegal(p.first);
        } else if constexpr (Op == pass::rewrite) {
            s.note(wide::find_max(s.row, s.memory.block_maxima));
            s.template ask<&stage_ops::rewrite>(p.first, s.row);
        } else if constexpr (Op == pass::adjust) {
            m.adjust(p.first);
        } else if constexpr (Op == pass::max) {
            return m.find_maximum();
        } else if constexpr (Op == pass::moments) {
            m.moments_ = s.template run<&folded_passes::find_moments>(s.row, s.memory.block_maxima, s.mapped_maximum);
        } else if constexpr (Op == pass::mass) {
            if constexpr (HasNuclei)
                if (m.is_nucleus(p.first)) return m.nucleus_.find_mass(p.first), true;
            m.find_mass();
        } else if constexpr (Op == pass::softmax) {
            m.softmax_ = s.template run<&folded_passes::find_softmax>(s.row, s.memory.block_maxima, s.mass_cut(),
                                                                      s.raw_cut(std::numeric_limits<float>::lowest()),
                                                                      s.mapped_maximum);
        } else if constexpr (Op == pass::select) {
            s.select_greatest(s.rank(p.first));
        } else if constexpr (Op == pass::nucleus_end) {
            m.nucleus_.find_end(p.first);
        } else if constexpr (Op == pass::above) {
            if constexpr (HasNuclei)
                if (m.is_nucleus(p.first)) return m.gather_nucleus(p.first), true;
            m.gather_above(p.first);
        } else if constexpr (Op == pass::search) {
            m.search(p.first);
        } else if constexpr (Op == pass::head) {
            m.select_by_head(p.first);
        } else if constexpr (Op == pass::gather) {
            m.gather_legal(p.first);
        } else if constexpr (Op == pass::pick) {
            m.pick(p.first);
        } else if constexpr (Op == pass::choose) {
            m.choose_among_found(p.first);
        } else if constexpr (Op == pass::draw) {
            m.draw(p.first);
        } else if constexpr (Op == pass::rows) {
            m.make_rows();
        } else if constexpr (Op == pass::back_to_row) {
            return m.go_back_to_row() || m.narrow_to_the_end(p);
        } else if constexpr (Op == pass::exact) {
            return detail::exact_run<Stages>(s).run(p.last, m.counts_);
        } else {
            static_assert(Op == pass::narrow);
            return m.verbs_.narrow(p.first, p.last);
        }
        return true;
    }

private:
    bool is_nucleus(std::size_t bridge) const noexcept { return s_.stages->fact(bridge).narrows == narrowing::mass; }

    void hide_illegal(std::size_t mask) noexcept {
        const legal_tokens& legal = s_.memory.legal[mask];
        if (legal.are_all) return;
        const auto words =
            legal.ids.empty() ? legal.words : wide::words_of(legal.ids, s_.memory.legal_words, s_.row.size());
        if (!is_next_maximum_plain()) {
            wide::hide_illegal(s_.row, words);
            return;
        }
        s_.left = wide::hide_illegal(s_.row, words, s_.memory.block_maxima);
        s_.offer_maximum();
    }
    /// Whether the maxima of blocks are what the next pass finds, and all that it finds.
    bool is_next_maximum_plain() const noexcept {
        if (s_.now->steps[s_.next].op != pass::max) return false;
        const plan_step& behind = s_.now->steps[s_.next + 1];
        return behind.op != pass::select || !wide::needs_groups(s_.row, s_.rank(s_.now->bridge));
    }
    void adjust(std::size_t i) noexcept {
        if (!s_.template ask<&stage_ops::adjusts_now>(i, s_.past->at())) return;
        const float maximum = s_.find_raw_maximum();
        if (maximum > illegal_logit) s_.template ask<&stage_ops::adjust>(i, s_.row, s_.memory.block_maxima, maximum);
    }
    bool find_maximum() noexcept {
        const plan_step& next = s_.now->steps[s_.next];
        s_.maximum =
            s_.find_raw_maximum(next.op == pass::select && wide::needs_groups(s_.row, s_.rank(s_.now->bridge)));
        s_.mapped_maximum = s_.maximum > illegal_logit ? s_.map(s_.maximum) : illegal_logit;
        return s_.mapped_maximum > illegal_logit || s_.fail();
    }
    void find_mass() noexcept {
        s_.total_mass = s_.template run<&folded_passes::mass>(s_.row, s_.memory.block_maxima, s_.mass_cut(),
                                                              s_.mapped_maximum, s_.memory.masses);
        softmax_ = {};
        softmax_.maximum = s_.mapped_maximum;
        softmax_.mass = s_.total_mass;
    }

    // ---- from the row to candidates

    /// All that a searching stage needs to see lies a few nats under the maximum on most rows, among few tokens; on
    /// others among more of the greatest. Otherwise it sees everything that weighs, or is legal.
    void search(std::size_t bridge) noexcept {
        const facts& f = s_.stages->fact(bridge);
        const float least = f.sees_weightless ? s_.raw_cut(std::numeric_limits<float>::lowest()) : s_.mass_cut();
        if (!f.needs_all && search_from_above(bridge, least)) return;
        s_.gather_above_raw(least);
        keeps(bridge, illegal_logit);
    }
    bool keeps(std::size_t bridge, float floor) noexcept {
        return s_.template ask<&stage_ops::keep>(bridge, s_.found, softmax_, floor);
    }
    bool search_from_above(std::size_t bridge, float least) noexcept {
        constexpr std::size_t many = tuning::many_of_search;
        for (const float depth : tuning::first_depths) {
            const float floor = s_.finite(s_.mapped_maximum - depth);
            if (s_.reached_by(s_.raw_cut(floor), many) >= many) break;
            s_.gather_above_raw(s_.raw_cut(floor));
            if (keeps(bridge, floor)) return true;
        }
        for (std::size_t k = many; 2 * k < s_.row.size(); k *= 8) {
            const std::size_t most = 2 * k;
            float cut = s_.raw_cut_of_rank(k);
            if (s_.reached_by(cut, most + 1) > most)  // as in a row that rises
                cut = s_.raw_cut(s_.map(canonical(wide::closer_bound(s_.row, s_.memory.block_maxima, k, cut, most))));
            if (!(cut > least) || !s_.gather_above_raw(cut, most)) return false;
            if (keeps(bridge, s_.map(canonical(cut)))) return true;
        }
        return false;
    }

    void select_by_head(std::size_t bridge) noexcept {
        const std::size_t first = s_.rank(bridge);
        s_.select_greatest(first);
        const std::size_t asked = s_.template ask<&stage_ops::rank_of_head>(bridge, softmax_, s_.found);
        const std::size_t k = (std::min)(asked, s_.row.size());
        if (k > first) s_.select_greatest(k);
        else s_.found.keep_greatest(k);
    }

    void gather_nucleus(std::size_t bridge) noexcept {
        const std::size_t least = s_.keeps_at_least(bridge);
        s_.gather_above_raw(s_.raw_cut_with_at_least(s_.raw_cut(nucleus_.cut()), least));
        const std::uint64_t target = s_.template ask<&stage_ops::target>(bridge, s_.total_mass, *s_.past);
        s_.found.keep_nucleus(s_.mapped_maximum, target, least);
    }
    void gather_above(std::size_t bridge) noexcept {
        const float mapped_cut = s_.stages->fact(bridge).narrows == narrowing::likelihood
                                     ? s_.template ask<&stage_ops::cut_by_softmax>(bridge, softmax_)
                                     : s_.template ask<&stage_ops::cut>(bridge, s_.mapped_maximum, moments_);
        const std::size_t least = s_.keeps_at_least(bridge);
        if (mapped_cut > s_.mapped_maximum) return s_.select_greatest(least);  // nobody reaches it
        const float exact = s_.raw_cut(mapped_cut);
        const float cut = s_.raw_cut_with_at_least(exact, least);
        const bool is_all = mapped_cut <= s_.mapped_maximum && cut == exact;  // what reaches the cut is kept
        const route onward = is_all ? s_.route_behind(bridge) : route();
        if (!s_.gather_above_raw(cut, onward.exists() ? tuning::many_survivors : std::size_t(-1)))
            return stay_in_row(onward, cut);
        s_.found.keep_above(mapped_cut, least);
    }
    /// Of the row nothing is left but what reaches the cut.
    void stay_in_row(const route& onward, float cut) noexcept {
        draws_from_row_ = onward.at_draw;
        hides_weights_ = !onward.at_draw || cut > s_.mass_cut();
        if (hides_weights_) wide::hide_below(s_.row, s_.memory.block_maxima, cut);
        s_.go_on(onward);
        s_.left = {s_.maximum, false};
        s_.offer_maximum();
    }

    void gather_legal(std::size_t mask) noexcept {
        s_.found.size = wide::find_legal(s_.row, s_.memory.legal[mask], s_.found.data);
        for (auto& token : s_.found) {
            s_.note(token.logit);
            token.logit = canonical(token.logit);
        }
    }

    // ---- selectors

    void choose_among_found(std::size_t selector) noexcept {
        if (!s_.stops_at_selector()) s_.template ask<&stage_ops::choose>(selector, s_.found, *s_.past);
    }
    /// Of what a selector that narrowed has left: from the row, where that is much.
    void draw(std::size_t selector) noexcept {
        if (!draws_from_row_) return choose_among_found(selector);
        if (hides_weights_) find_mass();
        pick(selector);
    }
    void pick(std::size_t selector) noexcept {
        const selecting how = s_.stages->fact(selector).selects;
        if (how == selecting::greatest) return s_.choose({first_in_rank(), s_.mapped_maximum, 1.0f});
        if (s_.end == run_to::selector) {
            s_.gather_above_raw(how == selecting::by_own_distribution ? std::numeric_limits<float>::lowest()
                                                                      : s_.mass_cut());
            return s_.stages->prepare(selector, s_.found);
        }
        if (s_.end == run_to::law) {
            if (how == selecting::by_noise) find_mass();
            return law_.find_in_row((*s_.stages)[selector]);
        }
        const draws random = s_.template ask<&stage_ops::random>(selector, s_.past->at());
        if (how == selecting::by_noise) {
            const token_id id =
                s_.template run<&folded_passes::pick_by_noise>(s_.row, s_.memory.block_maxima, s_.maximum, random);
            if (id >= 0) s_.choose({id, s_.mapped_logit(id), 0.0f});
            return;
        }
        law_.find_in_row((*s_.stages)[selector]);
        const wide::picked p = law_.of_row(*s_.stages).pick(multiply_high(random.bits(), law_.total()));
        law_.forget();  // it was asked for a token, and that is chosen
        if (how == selecting::by_own_distribution) {
            if (p.id >= 0)
                s_.choose(s_.template ask<&stage_ops::shaped>(selector, softmax_, p.id, s_.mapped_logit(p.id)));
        } else if (p.id < 0) {
            s_.choose({first_in_rank(), s_.mapped_maximum, 0.0f});
        } else {
            s_.choose({p.id, s_.mapped_logit(p.id), float(double(p.weight) / double(law_.total()))});
        }
    }
    token_id first_in_rank() const noexcept {
        return token_id(wide::first_at_least(s_.row, s_.memory.block_maxima, s_.raw_cut(s_.mapped_maximum)));
    }

    // ---- a candidate for every token, and back

    void make_rows() noexcept {
        s_.found.size = s_.row.size();  // in memory for whole blocks
        if (wide::fill_candidates(s_.row, true, s_.found.data)) s_.note(wide::find_max(s_.row, s_.memory.block_maxima));
    }
    bool go_back_to_row() noexcept {
        const wide::row_found of_candidates = verbs_.row_of_candidates();
        if (!of_candidates.is_row) return false;
        verbs_.take_row(of_candidates);
        s_.offer_maximum();
        return true;
    }
    bool narrow_to_the_end(const plan_step& p) noexcept {
        s_.next = s_.now->size;
        return verbs_.narrow(p.first, p.last);
    }

    row_step s_;
    detail::large_nucleus<Stages> nucleus_{s_};
    detail::verbs_on<Stages> verbs_{s_};
    bool draws_from_row_ = false;  ///< what a bridge that selects has left is in the row
    bool hides_weights_ = false;   ///< and tokens that weighed something are not any more
    moments moments_;
    softmax_statistics softmax_;
    detail::law_of_step<Stages> law_{s_, softmax_};
    replay_counts counts_;
};

namespace detail {

template <class Machine, std::uint64_t Passes, std::size_t Op>
constexpr pass_handlers::handler handler_of() noexcept {
    if constexpr ((Passes >> Op & 1) != 0)
        return Machine::template execute<pass(Op), (Passes >> unsigned(pass::nucleus_end) & 1) != 0>;
    else return nullptr;
}
/// How each pass of a set, a bit each, is executed. The others are not compiled.
template <class Machine, std::uint64_t Passes>
RIFFLE_LOCAL inline constexpr pass_handlers handlers_of{[]<std::size_t... Op>(std::index_sequence<Op...>) {
    return std::array<pass_handlers::handler, pass_count>{handler_of<Machine, Passes, Op>()...};
}(std::make_index_sequence<pass_count>())};

}  // namespace detail
}  // namespace riffle
