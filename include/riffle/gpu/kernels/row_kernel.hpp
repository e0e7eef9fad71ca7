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
#include <riffle/gpu/kernels/row_parts.hpp>
#include <riffle/gpu/kernels/row_result.hpp>
#include <riffle/gpu/kernels/shared_row.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// The shader that runs the leading stages of a chain on rows of logits, one work group a row, or several that share it
/// up to the first answer: stage after stage, as the chain means it. A loop over the stages, in which each says what it
/// asks for, and each pass over the row and each search is written once, whoever asks; only what stages do to a token,
/// and their cuts, are written for each of them. (As functions, which stages call, passes would be one piece of code
/// only in the module: drivers write them out wherever they are called.)
class row_kernel {
public:
    constexpr row_kernel(assembler& code, std::span<const device_stage> stages, const device_plan& plan,
                         const kernel_options& options) noexcept
        : code_(code), plan_(plan), is_shared_(options.has_several_groups() && plan.sharing != row_sharing::none),
          source_(source_of(plan, options, is_shared_)), scratch_(scratch(code, plan.edits || is_shared_, source_)),
          group_(code), row_(group_, stages.first(plan.stages), source_, scratch_),
          room_(spirv::push_constant<u32>(code)), wants_(spirv::push_constant<u32>(code)),
          parts_(group_, scratch_, row_.vectors.row(), is_shared_),
          bins_(group_, cuts() || draws_by_mass() || lists_at_end(), is_shared_),
          few_(group_, row_, bins_, plan.narrows, cuts() || lists_at_end()), all_(group_, row_, few_),
          greatest_(group_, row_, few_, all_, parts_), bounds_(group_, row_, greatest_, bins_),
          masses_(group_, row_, greatest_, bins_, cuts(), is_shared_),
          narrowing_(group_, row_, few_, all_, bounds_, bins_, is_shared_),
          choosing_(group_, row_, few_, all_, bounds_, masses_, bins_, parts_, draws_by_noise()),
          narrowed_(code, u32(0u)), is_known_(code, u32(0u)), has_any_(code, u32(1u)), asks_(code) {}

    constexpr void write() noexcept {
        if (row_.is_bounded()) row_.maxima.clear();
        if (counts() || draws_by_mass()) bins_.clear();
        few_.clear();
        group_.sync();
        if (source_.is_copied) return run_on_copy();
        row_edits edits(group_, row_, scratch_);
        if (!is_shared_) {
            if (plan_.edits) edits.apply();
            run();
            if (plan_.edits) edits.take_back(false);
            return;
        }
        if (plan_.edits)
            spirv::if_(code_, parts_.is_alone() | parts_.is_in(dispatch_phase::edits), [&] { edits.apply(); });
        const private_variable<u32> goes_on(code_, u32(1u));
        share(goes_on);
        spirv::if_(code_, goes_on != 0u, [&] {
            run();
            if (plan_.edits) edits.take_back(true);
        });
    }

private:
    static constexpr row_source source_of(const device_plan& plan, const kernel_options& options,
                                          bool is_shared) noexcept {
        return {options.logits, plan.edits, is_copied(plan, options.logits), is_shared};
    }
    static constexpr spirv::buffer<u32> scratch(assembler& code, bool is_wanted, const row_source& source) noexcept {
        const auto use = source.is_copied ? spirv::buffer_use::exchange : spirv::buffer_use::write;
        return is_wanted ? spirv::buffer<u32>(code, binding::saved, use) : spirv::buffer<u32>();
    }

    /// Edits of 16-bit logits, which are made in a copy of the row. That lies where the words of parts of other rows
    /// may have been before, so these are cleared in the dispatch that makes it.
    constexpr void run_on_copy() noexcept {
        row_edits edits(group_, row_, scratch_);
        row_copy copy(group_, row_, parts_, source_.logits);
        const auto make = [&] {
            copy.make();
            edits.apply(copy);
        };
        if (!is_shared_) {
            make();
            edits.note(copy);
            return run();
        }
        spirv::if_(code_, parts_.is_alone() | parts_.is_in(dispatch_phase::edits), make);
        spirv::if_(code_, parts_.is_in(dispatch_phase::edits) & (parts_.part() == 0u), [&] { parts_.clear(); });
        const private_variable<u32> goes_on(code_, u32(1u));
        share(goes_on);
        spirv::if_(code_, goes_on != 0u, [&] {
            edits.note(copy);
            run();
        });
    }
    /// Where others share the row: goes_on in one of them alone.
    constexpr void share(const private_variable<u32>& goes_on) noexcept {
        spirv::if_(code_, !parts_.is_alone(), [&] {
            shared_row shared(group_, plan_, source_.is_copied, row_, parts_, greatest_, bins_, masses_, narrowing_,
                              choosing_);
            goes_on.store(shared.run());
        });
    }

    // ---- the stages

    constexpr void run() noexcept {
        const u32 end(std::uint32_t(row_.stages()));
        spirv::while_(
            code_, [&] { return (has_any_ != 0u) & (row_.stage <= end); }, [&] { run_stage(); },
            [&] { row_.stage = row_.stage + 1u; });
        row_result result(group_, row_, few_, all_, plan_, room_, wants_);
        const boolean narrowed = plan_.narrows ? narrowed_ != 0u : boolean(false);
        result.write(has_any_ != 0u, narrowed, choosing_.token, choosing_.key);
    }
    /// Nothing is legal; a stage may have chosen a token ahead of the one that has left none.
    constexpr void stop() noexcept {
        has_any_ = 0u;
        choosing_.token = u32(choosing::no_token);
    }
    constexpr void stop_if_none() noexcept {
        spirv::if_(code_, (is_known_ != 0u) & (row_.greatest() == 0u), [&] { stop(); });
    }

    // ---- sets of stages

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
    constexpr stage_set by_softmax() const noexcept { return of_narrowing(narrowing::likelihood) | row_.scored(); }
    /// A temperature of 0 keeps the first in rank instead of mapping.
    constexpr stage_set maps_or_first() const noexcept {
        return row_.set_of(
            [](const device_stage& s) { return s.form == device_form::map && s.fact.narrows != narrowing::no; });
    }
    /// Behind the last stage come the results, where p may be wanted of tokens.
    constexpr stage_set results() const noexcept {
        return plan_.chooses_token() ? stage_set{1} << row_.stages() : stage_set{0};
    }
    /// Whether any stage has a cut. (A temperature of 0 knows the one token that it keeps.)
    constexpr bool cuts() const noexcept { return of_form(device_form::narrow) != 0; }
    /// Whether any stage keeps a number of tokens.
    constexpr bool counts() const noexcept { return of_narrowing(narrowing::rank) != 0 || zero_narrows(); }
    /// A temperature of 0 keeps the first in rank: as a stage that narrows does, where there are such.
    constexpr bool zero_narrows() const noexcept { return cuts() && maps_or_first() != 0; }
    constexpr bool weighs() const noexcept { return (of_narrowing(narrowing::mass) | row_.scored()) != 0; }
    constexpr bool draws_by_mass() const noexcept { return of_selecting(selecting::by_mass) != 0; }
    constexpr bool draws_by_noise() const noexcept { return of_selecting(selecting::by_noise) != 0; }

    // ---- the present stage

    constexpr bool is_one_of(stage_set set) const noexcept { return (set >> row_.present() & 1) != 0; }
    constexpr bool is_at_end() const noexcept { return row_.present() == row_.stages(); }
    constexpr boolean is_temperature_of_zero() const noexcept {
        return is_one_of(maps_or_first()) ? row_.is_first_wanted() : boolean(false);
    }
    constexpr boolean wants_tokens() const noexcept { return wants_ != u32(std::uint32_t(wanted::token)); }
    constexpr boolean wants_p() const noexcept { return wants_ == u32(std::uint32_t(wanted::tokens_and_p)); }

    // ---- what stages ask for

    static constexpr std::uint32_t greatest = 1, softmax = 2, deviation = 4, a_prefix = 8, removal = 16, first = 32;
    constexpr boolean asks_for(std::uint32_t what) const noexcept { return (asks_ & what) != 0u; }
    constexpr void ask_for(std::uint32_t what) noexcept { asks_ = asks_ | what; }

    constexpr stage_set ask_for_greatest() const noexcept {
        return of_form(device_form::adjust) | of_form(device_form::remove) | of_form(device_form::narrow) |
               of_selecting(selecting::by_mass) | of_selecting(selecting::greatest);
    }
    constexpr stage_set ask_for_softmax() const noexcept { return by_softmax() | of_form(device_form::remove); }
    /// Who draws by mass knows it already when it comes to the results.
    constexpr stage_set may_ask_for_softmax() const noexcept {
        return draws_by_mass() ? ask_for_softmax() : ask_for_softmax() | results();
    }

    constexpr void run_stage() noexcept {
        asks_ = 0u;
        row_.for_present(ask_for_greatest() | results() | maps_or_first(), [&] { ask(); });
        spirv::if_(code_, asks_for(greatest) & (is_known_ == 0u), [&] {
            greatest_.find();
            is_known_ = 1u;
            stop_if_none();
        });
        spirv::if_(code_, has_any_ != 0u, [&] {
            measure();
            row_.for_present(prepared(), [&] { prepare(); });
            narrow();
            row_.for_present(finished(), [&] { finish(); });
        });
    }
    constexpr void ask() noexcept {
        std::uint32_t always = 0;
        if (is_one_of(ask_for_greatest())) always |= greatest;
        if (is_one_of(ask_for_softmax())) always |= softmax;
        if (is_one_of(of_narrowing(narrowing::deviation))) always |= deviation;
        const std::uint32_t for_p = draws_by_mass() ? greatest : greatest | softmax;
        if (is_one_of(results())) asks_ = blend(wants_p(), u32(for_p), u32(0u));
        else asks_ = is_one_of(maps_or_first()) ? blend(is_temperature_of_zero(), u32(greatest), u32(0u)) : u32(always);
    }
    /// What the stage asks of all tokens.
    constexpr void measure() noexcept {
        if (may_ask_for_softmax() != 0) {
            std::uint8_t parts = 0;
            for (std::size_t i = 0; i < row_.stages(); ++i)
                if (by_softmax() >> i & 1) parts |= row_.description(i).fact.softmax_parts;
            spirv::if_(code_, asks_for(softmax), [&] { all_.measure_softmax(parts); });
        }
        if (of_narrowing(narrowing::deviation) != 0)
            spirv::if_(code_, asks_for(deviation), [&] { all_.measure_deviation(); });
    }

    // ---- what they want of the tokens that are left

    constexpr stage_set prepared() const noexcept {
        const stage_set at_end = stage_set{1} << row_.stages();
        return of_form(device_form::narrow) | of_form(device_form::remove) | of_form(device_form::adjust) |
               of_selecting(selecting::greatest) | maps_or_first() | (lists_at_end() ? at_end : 0);
    }
    constexpr void prepare() noexcept {
        if (is_at_end()) return list_those_wanted();
        if (is_one_of(row_.scored())) row_.set_measured(row_.present(), all_.mean_distance());
        if (is_one_of(of_form(device_form::narrow))) spirv::if_(code_, row_.is_active(), [&] { ask_for_prefix(); });
        if (is_one_of(of_form(device_form::remove))) spirv::if_(code_, row_.is_active(), [&] { ask_for_removal(); });
        if (is_one_of(of_form(device_form::adjust))) row_.set_measured(row_.present());
        if (is_one_of(of_selecting(selecting::greatest))) ask_for(first);
        if (is_one_of(maps_or_first()))
            spirv::if_(code_, is_temperature_of_zero(), [&] {
                if (zero_narrows()) ask_for_prefix();
                else ask_for(first);
            });
    }
    constexpr void ask_for_prefix() noexcept {
        ask_for(a_prefix);
        const u32 least = row_.stage_request(stage_word::least);
        narrowing_.goal.least = is_one_of(maps_or_first()) ? u32(1u) : least;
        const bool by_mass = is_one_of(of_narrowing(narrowing::mass) | row_.scored());
        narrowing_.goal.by_mass = u32(by_mass ? 1u : 0u);
        if (by_mass) {
            const u32 low = row_.stage_request(stage_word::low);
            narrowing_.goal.share = {low, row_.stage_request(stage_word::high)};
        }
        set_cut();
    }
    constexpr void ask_for_removal() noexcept {
        ask_for(removal);
        narrowing_.goal.least = row_.stage_request(stage_word::least);
        set_cut();
    }
    /// Behind the last stage all that are left are wanted: a mask may have left few of the many that a cut had.
    constexpr bool lists_at_end() const noexcept { return plan_.narrows && (cuts() || !plan_.chooses_token()); }
    constexpr void list_those_wanted() noexcept {
        const boolean is_wanted = plan_.chooses_token() ? (narrowed_ != 0u) & wants_tokens() : boolean(true);
        spirv::if_(code_, is_wanted & !few_.are_listed(), [&] {
            ask_for(a_prefix);
            narrowing_.goal.least = 0u;
            narrowing_.goal.by_mass = 0u;
            narrowing_.cut = 1u;
        });
    }
    /// The key that tokens must reach.
    constexpr void set_cut() noexcept {
        const device_stage& s = row_.description(row_.present());
        if (!s.cut) {
            narrowing_.cut = narrowing_stage::no_cut;
            return;
        }
        row_measures m{row_.maximum(), 0.0f, 0.0f, 0.0f};
        const bool is_likelihood = s.fact.narrows == narrowing::likelihood;
        if (s.fact.narrows == narrowing::deviation) m.deviation = all_.deviation;
        if (is_likelihood || s.form == device_form::remove) m.log_mass = all_.log_mass();
        if (is_likelihood && (s.fact.softmax_parts & softmax_part::distances)) m.entropy = all_.entropy();
        narrowing_.cut = row_.with_parameters(row_.present(), [&](const f32* p) { return key_of(s.cut(m, p)); });
    }
    constexpr void narrow() noexcept {
        if (cuts() || lists_at_end())
            spirv::if_(code_, asks_for(a_prefix), [&] {
                narrowed_ = 1u;
                narrowing_.run({.cuts = cuts(), .counts = counts(), .weighs = weighs()});
            });
        if (of_form(device_form::remove) != 0) spirv::if_(code_, asks_for(removal), [&] { narrowing_.remove_top(); });
        if (of_selecting(selecting::greatest) != 0 || (maps_or_first() != 0 && !zero_narrows()))
            spirv::if_(code_, asks_for(first), [&] { choosing_.first(); });
    }

    // ---- what they make of them

    constexpr stage_set finished() const noexcept {
        return row_.that_change_tokens() | of_selecting(selecting::by_mass) | of_selecting(selecting::by_noise);
    }
    constexpr void finish() noexcept {
        if (is_one_of(of_selecting(selecting::by_mass))) return choosing_.by_mass();
        if (is_one_of(of_selecting(selecting::by_noise))) return choose_by_noise();
        if (is_one_of(maps_or_first()) && !zero_narrows())
            spirv::if_(code_, is_temperature_of_zero(), [&] {
                few_.take_one(choosing_.key, choosing_.token);
                narrowed_ = 1u;
            });
        change_tokens();
    }
    constexpr void choose_by_noise() noexcept {
        const bool is_first_pass =
            !(of_form(device_form::adjust) | of_form(device_form::remove) | of_form(device_form::narrow));
        choosing_.by_noise(is_first_pass);
        spirv::if_(code_, choosing_.key == 0u, [&] { stop(); });
    }
    /// Those that were taken out of the row, and what is known of them all. (In the row they are computed anew.)
    constexpr void change_tokens() noexcept {
        if (plan_.narrows) spirv::if_(code_, few_.key != 0u, [&] { few_.key = row_.behind_stage(few_.key, few_.id); });
        // Behind a map that never falls the greatest is what it makes of the greatest; a stage that narrows keeps it,
        // unless it has an order of its own.
        const device_stage& s = row_.description(row_.present());
        const bool is_map = s.form == device_form::map;
        if (s.form == device_form::mask || s.form == device_form::adjust || s.score || (is_map && !s.fact.monotone)) {
            is_known_ = 0u;
        } else if (is_map) {
            row_.set_greatest(row_.behind_stage(row_.greatest(), u32(0u)));
            stop_if_none();
        }
    }

    assembler& code_;
    const device_plan& plan_;
    bool is_shared_;  ///< whether rows may have several work groups
    row_source source_;
    spirv::buffer<u32> scratch_;
    work_group group_;
    row_tokens row_;
    u32 room_, wants_;
    row_parts parts_;
    mass_bins bins_;
    survivors few_;
    measuring all_;
    greatest_search greatest_;
    raw_bounds bounds_;
    stretch_masses masses_;
    narrowing_stage narrowing_;
    choosing choosing_;
    private_variable<u32> narrowed_;  ///< 1 as soon as a stage has
    private_variable<u32> is_known_;  ///< 1: row_.greatest is the greatest key ahead of the stage
    private_variable<u32> has_any_;   ///< 0: there was no legal token
    private_variable<u32> asks_;      ///< what the stage asks for
};

}  // namespace riffle::gpu
