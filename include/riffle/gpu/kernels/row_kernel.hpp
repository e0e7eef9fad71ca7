#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/gpu/host/device_plan.hpp>
#include <riffle/gpu/host/row_layout.hpp>
#include <riffle/gpu/kernels/choosing.hpp>
#include <riffle/gpu/kernels/greatest_search.hpp>
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
    constexpr row_kernel(assembler& code, std::span<const device_stage> stages, const device_plan& plan) noexcept
        : code_(code), plan_(plan), group_(code), row_(group_, stages.first(plan.stages)),
          room_(spirv::push_constant<u32>(code)), wants_(spirv::push_constant<u32>(code)),
          few_(group_, row_, plan.narrows), all_(group_, row_, few_), greatest_(group_, row_, few_, all_),
          bins_(group_, cuts() || draws_by_mass()), bounds_(group_, row_, greatest_, bins_),
          masses_(group_, row_, greatest_, bins_, cuts()), narrowing_(group_, row_, few_, all_, bounds_, bins_),
          choosing_(group_, row_, few_, all_, bounds_, masses_, bins_), narrowed_(code, u32(0u)),
          is_known_(code, u32(0u)), has_any_(code, u32(1u)), goes_on_(code, u32(1u)) {}

    constexpr void write() noexcept {
        if (row_.is_bounded()) row_.maxima.clear();
        if (counts() || draws_by_mass()) bins_.clear();
        group_.sync();
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
                    code_, (is_known_ != 0u) & (row_.greatest() == 0u), [&] { stop(); }, [&] { run_stage(); });
            },
            [&] { row_.stage = row_.stage + goes_on_; });
        row_result result(group_, row_, few_, all_, plan_, room_, wants_);
        const boolean has_any = has_any_ != 0u;
        const boolean narrowed = plan_.narrows ? narrowed_ != 0u : boolean(false);
        result.write(has_any, narrowed, choosing_.token, choosing_.key);
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
    /// Whether any stage keeps a number of tokens.
    constexpr bool counts() const noexcept { return of_narrowing(narrowing::rank) != 0 || zero_narrows(); }
    /// A temperature of 0 keeps the first in rank: as a stage that narrows does, where there are such.
    constexpr bool zero_narrows() const noexcept { return cuts() && maps_or_first() != 0; }
    constexpr bool weighs() const noexcept { return (of_narrowing(narrowing::mass) | row_.scored()) != 0; }
    constexpr bool draws_by_mass() const noexcept { return of_selecting(selecting::by_mass) != 0; }
    /// Behind the last stage come the results, where p may be wanted of tokens.
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
                               of_form(device_form::narrow) | of_selecting(selecting::by_mass);
        const boolean is_asked = row_.is_one_of(asks) | asks_for_first() | asks_for_p(results());
        spirv::if_(code_, is_asked & (is_known_ == 0u), [&] {
            greatest_.find();
            is_known_ = 1u;
        });
    }
    constexpr boolean wants_tokens() const noexcept { return wants_ != u32(std::uint32_t(wanted::token)); }
    /// Whether the present stage is one of a set, and p is wanted.
    constexpr boolean asks_for_p(stage_set set) const noexcept {
        if (set == 0) return false;
        const boolean is_wanted = wants_ == u32(std::uint32_t(wanted::tokens_and_p));
        return is_wanted & row_.is_one_of(set);
    }
    /// Stages that keep or choose the first in rank.
    constexpr boolean asks_for_first() const noexcept {
        const boolean is_zero = is_temperature_of_zero();
        return is_zero | row_.is_one_of(of_selecting(selecting::greatest));
    }

    // ---- one stage

    constexpr void run_stage() noexcept {
        measure();
        const boolean is_active = row_.stage_request(stage_word::active) != 0u;
        if (plan_.narrows) {
            const boolean by_stage = row_.is_one_of(of_form(device_form::narrow)) & is_active;
            const boolean narrows = zero_narrows() ? by_stage | is_temperature_of_zero() : by_stage;
            const boolean wants_few = plan_.chooses_token() ? (narrowed_ != 0u) & wants_tokens() : boolean(true);
            if (cuts() || !plan_.chooses_token())
                spirv::if_(code_, narrows | (is_at_end() & wants_few & !few_.are_listed()), [&] { narrow(); });
        }
        if (const stage_set removes = of_form(device_form::remove))
            spirv::if_(code_, row_.is_one_of(removes) & is_active, [&] { remove(); });
        row_.for_each_of(of_form(device_form::adjust), [&](std::size_t i) { row_.set_measured(i); });
        choose_first();
        if (const stage_set draws = of_selecting(selecting::by_mass))
            spirv::if_(code_, row_.is_one_of(draws), [&] { choosing_.by_mass(); });
        if (const stage_set draws = of_selecting(selecting::by_noise))
            spirv::if_(code_, row_.is_one_of(draws), [&] {
                const bool is_first_pass =
                    !(of_form(device_form::adjust) | of_form(device_form::remove) | of_form(device_form::narrow));
                choosing_.by_noise(is_first_pass);
                spirv::if_(code_, choosing_.key == 0u, [&] { stop(); });
            });
        change_tokens();
    }

    /// What the stage asks of all tokens.
    constexpr void measure() noexcept {
        // Who draws by mass knows it already when it comes to the results.
        const stage_set at_end = of_selecting(selecting::by_mass) ? 0 : results();
        const stage_set by_softmax = of_narrowing(narrowing::likelihood) | row_.scored();
        const stage_set asks_for_softmax = by_softmax | of_form(device_form::remove);
        std::uint8_t parts = 0;
        for (std::size_t i = 0; i < row_.stages(); ++i)
            if (by_softmax >> i & 1) parts |= row_.description(i).fact.softmax_parts;
        if (asks_for_softmax | at_end)
            spirv::if_(code_, row_.is_one_of(asks_for_softmax) | asks_for_p(at_end),
                       [&] { all_.measure_softmax(parts); });
        if (const stage_set asks_for_deviation = of_narrowing(narrowing::deviation))
            spirv::if_(code_, row_.is_one_of(asks_for_deviation), [&] { all_.measure_deviation(); });
        row_.for_each_of(row_.scored(), [&](std::size_t i) { row_.set_measured(i, all_.mean_distance()); });
    }

    constexpr void narrow() noexcept {
        narrowed_ = 1u;
        const u32 least = row_.stage_request(stage_word::least);
        narrowing_.goal.least = zero_narrows() ? blend(is_temperature_of_zero(), u32(1u), least) : least;
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
        narrowing_.run({.cuts = cuts(), .counts = counts(), .weighs = weighs()});
    }
    constexpr boolean is_at_end() const noexcept { return row_.stage == u32(std::uint32_t(row_.stages())); }
    constexpr void remove() noexcept {
        set_cut(device_form::remove);
        const u32 last = narrowing_.remove_top(row_.stage_request(stage_word::least));
        row_.set_greatest(blend(last == 0u, row_.greatest(), last));
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
        const boolean is_wanted = zero_narrows() ? row_.is_one_of(of_selecting(selecting::greatest)) : asks_for_first();
        spirv::if_(code_, is_wanted, [&] {
            choosing_.first();
            if (zero_narrows() || !maps_or_first()) return;
            spirv::if_(code_, row_.is_one_of(maps_or_first()), [&] {
                few_.take_one(choosing_.key, choosing_.token);
                narrowed_ = 1u;
            });
        });
    }
    constexpr boolean is_temperature_of_zero() const noexcept {
        if (!maps_or_first()) return false;
        return row_.is_one_of(maps_or_first()) & (row_.stage_request(stage_word::active) == 2u);
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
            spirv::if_(code_, row_.is_one_of(monotone),
                       [&] { row_.set_greatest(row_.behind_stage(row_.greatest(), u32(0u))); });
        if (loses) is_known_ = blend(row_.is_one_of(loses), u32(0u), is_known_.load());
    }

    assembler& code_;
    const device_plan& plan_;
    work_group group_;
    row_tokens row_;
    u32 room_, wants_;
    survivors few_;
    measuring all_;
    greatest_search greatest_;
    mass_bins bins_;
    raw_bounds bounds_;
    stretch_masses masses_;
    narrowing_stage narrowing_;
    choosing choosing_;
    private_variable<u32> narrowed_;  ///< 1 as soon as a stage has
    private_variable<u32> is_known_;  ///< 1: row_.greatest is the greatest key ahead of the stage
    private_variable<u32> has_any_;   ///< 0: there was no legal token
    private_variable<u32> goes_on_;
};

}  // namespace riffle::gpu
