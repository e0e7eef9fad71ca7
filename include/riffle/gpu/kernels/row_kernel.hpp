#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/gpu/host/device_plan.hpp>
#include <riffle/gpu/host/row_layout.hpp>
#include <riffle/gpu/kernels/choosing.hpp>
#include <riffle/gpu/kernels/narrowing_stage.hpp>
#include <riffle/gpu/kernels/row_edits.hpp>
#include <riffle/gpu/kernels/row_result.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// The shader that runs the leading stages of a chain on rows of logits, one work group a row: stage after stage, as
/// the chain means it. A loop over the stages, in which each pass over the row is written once, whoever asks for it;
/// only what stages do to a token, and their cuts, are written for each of them.
class row_kernel {
public:
    constexpr row_kernel(assembler& code, std::span<const device_stage> stages, const device_plan& plan,
                         std::uint32_t tokens_at_once = 4) noexcept
        : code_(code), plan_(plan), group_(code), row_(group_, stages.first(plan.stages), tokens_at_once),
          few_(group_, row_, plan.narrows), all_(group_, row_, few_), narrowing_(group_, row_, few_, all_),
          choosing_(group_, row_, few_, all_), best_of_invocation_(code, u32(0u)),
          best_id_of_invocation_(code, u32(0u)), is_fresh_(code, u32(0u)), narrowed_(code, u32(0u)),
          is_known_(code, u32(0u)), has_any_(code, u32(1u)), goes_on_(code, u32(1u)) {}

    constexpr void write() noexcept {
        if (!plan_.edits) return run();
        row_edits edits(group_, row_);
        edits.apply();
        run();
        edits.take_back();
    }

private:
    constexpr void run() noexcept {
        const u32 end(std::uint32_t(row_.stages()));
        spirv::while_(
            code_, [&] { return (goes_on_ != 0u) & (row_.stage <= end); },
            [&] {
                find_greatest_if_asked();
                spirv::if_(
                    code_, (is_known_ != 0u) & (row_.greatest == 0u), [&] { stop(); }, [&] { run_stage(); });
            },
            [&] { row_.stage = row_.stage + goes_on_; });
        row_result result(group_, row_, few_, all_, plan_);
        result.write(row_.seen, has_any_ != 0u, plan_.narrows ? narrowed_ != 0u : boolean(false), choosing_.token,
                     choosing_.key);
    }

    // Sets of stages.
    constexpr stage_set of_form(device_form form) const noexcept {
        return row_.set_of([=](const device_stage& s) { return s.form == form; });
    }
    constexpr stage_set of_narrowing(narrowing how) const noexcept {
        return row_.set_of(
            [=](const device_stage& s) { return s.form == device_form::narrow && s.fact.narrows == how; });
    }
    constexpr stage_set of_selecting(selecting how) const noexcept {
        return row_.set_of(
            [=](const device_stage& s) { return s.form == device_form::select && s.fact.selects == how; });
    }
    /// Whether any stage has a cut. (A temperature of 0 knows the one token that it keeps.)
    constexpr bool cuts() const noexcept { return of_form(device_form::narrow) != 0; }
    /// Behind the last stage come the results, where p is wanted of tokens.
    constexpr stage_set results() const noexcept {
        return plan_.chooses_token() ? stage_set{1} << row_.stages() : stage_set{0};
    }
    /// A temperature of 0 keeps the first in rank instead of mapping.
    constexpr stage_set maps_or_first() const noexcept {
        return row_.set_of(
            [](const device_stage& s) { return s.form == device_form::map && s.fact.narrows != narrowing::no; });
    }

    /// Nothing is legal; a stage may have chosen a token ahead of the one that has left none.
    constexpr void stop() noexcept {
        goes_on_ = 0u;
        has_any_ = 0u;
        choosing_.token = u32(choosing::no_token);
    }

    // ---- the greatest key

    constexpr void find_greatest_if_asked() noexcept {
        const stage_set asks = of_form(device_form::adjust) | of_form(device_form::remove) |
                               of_form(device_form::narrow) | of_form(device_form::select) | maps_or_first() |
                               results();
        const boolean is_stale = (is_known_ == 0u) | (asks_for_first() & (is_fresh_ == 0u));
        spirv::if_(code_, row_.is_one_of(asks) & is_stale, [&] {
            best_of_invocation_ = 0u;
            all_.for_each([&](const u32& key, const u32& id) {
                const boolean better = best_of_invocation_ < key;
                best_of_invocation_ = blend(better, key, best_of_invocation_.load());
                best_id_of_invocation_ = blend(better, id, best_id_of_invocation_.load());
            });
            row_.greatest = group_.greatest(best_of_invocation_);
            is_known_ = 1u;
            is_fresh_ = 1u;
        });
    }
    /// Stages that keep or choose the first in rank.
    constexpr boolean asks_for_first() const noexcept {
        const boolean is_zero = row_.is_one_of(maps_or_first()) & (row_.stage_request(stage_word::active) == 2u);
        return is_zero | row_.is_one_of(of_selecting(selecting::greatest));
    }

    // ---- one stage

    constexpr void run_stage() noexcept {
        measure();
        const boolean is_active = row_.stage_request(stage_word::active) != 0u;
        if (plan_.narrows) {
            const boolean narrows = row_.is_one_of(of_form(device_form::narrow)) & is_active;
            const boolean wants_few = plan_.chooses_token() ? narrowed_ != 0u : boolean(true);
            if (cuts() || !plan_.chooses_token())
                spirv::if_(code_, narrows | (is_at_end() & wants_few & !few_.are_listed()), [&] { narrow(); });
        }
        if (const stage_set removes = of_form(device_form::remove))
            spirv::if_(code_, row_.is_one_of(removes) & is_active, [&] { remove(); });
        row_.for_each_of(of_form(device_form::adjust), [&](std::size_t i) { row_.set_measured(i); });
        if (maps_or_first() | of_selecting(selecting::greatest)) choose_first();
        if (const stage_set draws = of_selecting(selecting::by_mass))
            spirv::if_(code_, row_.is_one_of(draws), [&] { choosing_.by_mass(); });
        if (const stage_set draws = of_selecting(selecting::by_noise))
            spirv::if_(code_, row_.is_one_of(draws), [&] { choosing_.by_noise(); });
        change_tokens();
    }

    /// What the stage asks of all tokens.
    constexpr void measure() noexcept {
        // Who draws by mass knows it already when it comes to the results.
        const stage_set asks_for_p = of_selecting(selecting::by_mass) ? 0 : results();
        const stage_set by_softmax = of_narrowing(narrowing::likelihood) | row_.scored();
        const stage_set asks_for_softmax = by_softmax | of_form(device_form::remove) | asks_for_p;
        std::uint8_t parts = 0;
        for (std::size_t i = 0; i < row_.stages(); ++i)
            if (by_softmax >> i & 1) parts |= row_.description(i).fact.softmax_parts;
        if (asks_for_softmax) spirv::if_(code_, row_.is_one_of(asks_for_softmax), [&] { all_.measure_softmax(parts); });
        if (const stage_set asks_for_deviation = of_narrowing(narrowing::deviation))
            spirv::if_(code_, row_.is_one_of(asks_for_deviation), [&] { all_.measure_deviation(); });
        row_.for_each_of(row_.scored(), [&](std::size_t i) { row_.set_measured(i, all_.mean_distance()); });
    }

    constexpr void narrow() noexcept {
        narrowed_ = 1u;
        narrowing_.goal.least = row_.stage_request(stage_word::least);
        const boolean by_mass = row_.is_one_of(of_narrowing(narrowing::mass) | row_.scored());
        narrowing_.goal.by_mass = blend(by_mass, u32(1u), u32(0u));
        const u32 low = row_.stage_request(stage_word::low);
        narrowing_.goal.share = {low, row_.stage_request(stage_word::high)};
        set_cut(device_form::narrow);
        // Behind the last stage all that are left are wanted: a mask may have left few of the many that a cut had.
        spirv::if_(code_, is_at_end(), [&] {
            narrowing_.goal.least = 0u;
            narrowing_.cut = 1u;
        });
        narrowing_.run(best_of_invocation_, cuts());
    }
    constexpr boolean is_at_end() const noexcept { return row_.stage == u32(std::uint32_t(row_.stages())); }
    constexpr void remove() noexcept {
        set_cut(device_form::remove);
        const u32 last = narrowing_.remove_top(row_.stage_request(stage_word::least));
        row_.greatest = blend(last == 0u, row_.greatest.load(), last);
        best_of_invocation_ = blend(last == 0u, best_of_invocation_.load(), u32(0u));
    }
    /// The key that tokens must reach.
    constexpr void set_cut(device_form form) noexcept {
        narrowing_.cut = narrowing_stage::no_cut;
        const stage_set with_cut =
            row_.set_of([=](const device_stage& s) { return s.form == form && s.cut != nullptr; });
        row_.for_each_of(with_cut, [&](std::size_t i) {
            const device_stage& s = row_.description(i);
            row_measures m{row_.maximum(), 0.0f, 0.0f, 0.0f};
            if (s.fact.narrows == narrowing::deviation) m.deviation = all_.deviation;
            if (s.fact.narrows == narrowing::likelihood || form == device_form::remove) m.log_mass = all_.log_mass();
            if (s.fact.narrows == narrowing::likelihood && (s.fact.softmax_parts & softmax_part::distances))
                m.entropy = all_.entropy();
            narrowing_.cut = row_.with_parameters(i, [&](const f32* p) { return key_of(s.cut(m, p)); });
        });
    }
    constexpr void choose_first() noexcept {
        spirv::if_(code_, asks_for_first(), [&] {
            choosing_.first(best_of_invocation_, best_id_of_invocation_);
            if (!maps_or_first()) return;
            spirv::if_(code_, row_.is_one_of(maps_or_first()), [&] {
                few_.take_one(choosing_.key, choosing_.token);
                narrowed_ = 1u;
            });
        });
    }

    /// Those that were taken out of the row, and what is known of them all. (In the row they are computed anew.)
    constexpr void change_tokens() noexcept {
        // Behind a map that never falls the greatest is what it makes of the greatest; a stage that narrows keeps it,
        // unless it has an order of its own.
        const stage_set monotone =
            row_.set_of([](const device_stage& s) { return s.form == device_form::map && s.fact.monotone; });
        const stage_set loses = row_.set_of([](const device_stage& s) {
            return s.form == device_form::mask || s.form == device_form::adjust || s.score != nullptr ||
                   (s.form == device_form::map && !s.fact.monotone);
        });
        if (plan_.narrows) few_.key = row_.behind_stage(few_.key, few_.id);
        if (monotone)
            spirv::if_(code_, row_.is_one_of(monotone), [&] {
                row_.greatest = row_.behind_stage(row_.greatest, u32(0u));
                best_of_invocation_ = row_.behind_stage(best_of_invocation_, u32(0u));
            });
        if (const stage_set narrows = of_form(device_form::narrow))
            spirv::if_(code_, row_.is_one_of(narrows), [&] {  // one that shares the bound's key may be gone
                best_of_invocation_ = row_.behind_stage(best_of_invocation_, 0xffffffffu);
            });
        const stage_set maps_or_drops = monotone | of_form(device_form::remove) | of_form(device_form::narrow);
        if (maps_or_drops) is_fresh_ = blend(row_.is_one_of(maps_or_drops), u32(0u), is_fresh_.load());
        if (loses) is_known_ = blend(row_.is_one_of(loses), u32(0u), is_known_.load());
    }

    assembler& code_;
    const device_plan& plan_;
    work_group group_;
    row_tokens row_;
    survivors few_;
    measuring all_;
    narrowing_stage narrowing_;
    choosing choosing_;
    private_variable<u32> best_of_invocation_;     ///< the greatest key it has met, or 0 where that may be gone
    private_variable<u32> best_id_of_invocation_;  ///< its lowest id
    private_variable<u32> is_fresh_;               ///< 1: no map has made other keys the greatest as well
    private_variable<u32> narrowed_;               ///< 1 as soon as a stage has
    private_variable<u32> is_known_;               ///< 1: row_.greatest is the greatest key ahead of the stage
    private_variable<u32> has_any_;                ///< 0: there was no legal token
    private_variable<u32> goes_on_;
};

}  // namespace riffle::gpu
