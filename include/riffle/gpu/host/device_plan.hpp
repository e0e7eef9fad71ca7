#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/chain/plan.hpp>
#include <riffle/gpu/host/device_stage.hpp>
#include <riffle/gpu/host/kernel_options.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// Why the device leaves a stage, and those behind it, to the processor.
enum class device_end : std::uint8_t {
    chooses_token,   ///< it does not: all stages run on the device
    no_form,         ///< the device has no form for the stage
    late_edit,       ///< edits must come ahead of maps and cuts
    no_stages_left,  ///< the chain has no selector, or more stages than a kernel has bits for
    superset,        ///< it only leaves out what no stage can keep: all stages run on the processor
};

/// What several work groups can find out of a row together, each from its part: what the first stage that asks about
/// tokens asks for. Behind that one of them goes on alone.
enum class row_sharing : std::uint8_t {
    none,      ///< nothing: such stages as a map that falls stand ahead
    greatest,  ///< the greatest logit, and those of the row's parts
    masses,    ///< and then, in another dispatch, the mass of its parts or of bins
    noise,     ///< the greatest logit with its noise
};

/// Where a chain is cut between device and processor: the wide phase runs where the logits are, and a few survivors
/// travel.
struct device_plan {
    std::size_t stages = 0;  ///< so many leading stages run on the device; 0 where it is not worth its while
    device_end end = device_end::no_form;
    bool narrows = false;      ///< a stage among them can leave few tokens
    bool edits = false;        ///< they change logits by id
    std::uint32_t passes = 0;  ///< over the row, at most
    row_sharing sharing = row_sharing::none;
    constexpr bool is_useful() const noexcept { return stages > 0; }
    constexpr bool is_superset() const noexcept { return end == device_end::superset; }
    constexpr bool chooses_token() const noexcept { return end == device_end::chooses_token; }
    friend constexpr bool operator==(const device_plan&, const device_plan&) = default;
};

/// Whether rows are copied as floats, to be edited: those of 16-bit logits, in whose place a float has no room.
constexpr bool is_copied(const device_plan& plan, logit_format logits) noexcept {
    return plan.edits && logits != logit_format::float32;
}

/// A set of stages has a bit for each, and one for what comes behind them.
inline constexpr std::size_t most_device_stages = 31;

/// The results: the greatest, the mass, and the tokens that are left, looked for and written.
inline constexpr std::uint32_t passes_of_results = 4;
/// How often a stage reads the row, at most. One that narrows: for the greatest, for what its cut depends on, for those
/// that reach it, and behind it for the few that are left; eight rounds of a prefix_search by rank, and once more for
/// their tokens; where it searches by mass, as many rounds and as often for their tokens ahead of that.
constexpr std::uint32_t passes_of(const device_stage& s) noexcept {
    switch (s.form) {
    case device_form::narrow: return s.fact.narrows == narrowing::mass || s.score ? 4 + 9 + 16 : 4 + 9;
    case device_form::remove: return 3;
    case device_form::adjust:
    case device_form::map: return 1;
    case device_form::select: return 3;
    default: return 0;
    }
}
/// Stages change a token once, as a rule. A row in which one is changed more often is the processor's, so that no loop
/// of an invocation goes on for ever so long.
inline constexpr std::uint32_t most_changes_of_a_token = 32;
/// An edit is made, change after change, and taken back.
inline constexpr std::uint32_t rounds_of_an_edit = 2 + most_changes_of_a_token;
/// So many rounds the loops of an invocation take together, at most, with rows of so many tokens, of which so many are
/// edited, and a work group of that many invocations. A pass reads 16 tokens in one round, and looks at them in four.
/// Loops that do not read the row look at each invocation's token or word, or at the bins of a search. A copy is made
/// token by token.
constexpr std::uint64_t most_loop_turns(const device_plan& plan, std::uint64_t vocabulary, std::uint32_t group_size,
                                        std::uint64_t edited_ids = 0,
                                        logit_format logits = logit_format::float32) noexcept {
    const auto rounds = [](std::uint64_t all, std::uint64_t a_round) { return (all + a_round - 1) / a_round; };
    const std::uint64_t edits = edited_ids < vocabulary ? edited_ids : vocabulary;
    const std::uint64_t copying = is_copied(plan, logits) ? 2 * rounds(vocabulary, group_size) : 0;
    return copying + plan.passes * 5 * rounds(vocabulary, std::uint64_t{16} * group_size) +
           (plan.stages + 1) * (4 * std::uint64_t{group_size} + 2500) + rounds_of_an_edit * rounds(edits, group_size);
}

/// How many of the stages come ahead of the first whose question raw keys can answer, if any: edits, masks and maps
/// that never fall.
constexpr std::size_t front_of(std::span<const device_stage> stages) noexcept {
    bool may_ask = false;  // a temperature of 0, which does not know the masks behind it
    std::size_t i = 0;
    for (; i < stages.size(); ++i) {
        const device_stage& s = stages[i];
        const bool keeps_order = s.form == device_form::map && s.fact.monotone;
        const bool is_mask = s.form == device_form::mask && !may_ask;
        if (s.form != device_form::edit && !is_mask && !keeps_order) break;
        may_ask |= s.fact.narrows != narrowing::no && keeps_order;
    }
    return i;
}
constexpr row_sharing sharing_of(std::span<const device_stage> stages) noexcept {
    const std::size_t front = front_of(stages);
    if (front == stages.size()) return row_sharing::none;
    const device_stage& first = stages[front];
    switch (first.form) {
    case device_form::narrow:
        return first.fact.narrows == narrowing::mass && !first.score ? row_sharing::masses : row_sharing::greatest;
    case device_form::remove:
    case device_form::adjust: return row_sharing::greatest;
    case device_form::select:
        if (first.fact.selects == selecting::by_mass) return row_sharing::masses;
        return first.fact.selects == selecting::by_noise ? row_sharing::noise : row_sharing::greatest;
    default: return row_sharing::none;
    }
}

/// The plan of a chain with these stages. A chain whose leading stages leave no few tokens behind gives the device
/// nothing to do: the row would have to travel all the same.
constexpr device_plan make_device_plan(std::span<const device_stage> stages) noexcept {
    device_plan p;
    p.end = device_end::no_stages_left;
    bool leads = true;  // nothing but edits and masks so far
    for (const device_stage& s : stages) {
        if (p.stages == most_device_stages) break;
        if (s.form == device_form::none) {
            p.end = device_end::no_form;
            break;
        }
        if (s.form == device_form::edit && !leads) {
            p.end = device_end::late_edit;
            break;
        }
        leads &= s.form == device_form::edit || s.form == device_form::mask;
        p.edits |= s.form == device_form::edit;
        p.passes += passes_of(s);
        p.narrows |= s.fact.narrows != narrowing::no;
        ++p.stages;
        if (s.form == device_form::select) p.end = device_end::chooses_token;
    }
    if (!p.chooses_token() && !p.narrows) p.stages = 0;
    p.passes = p.stages ? p.passes + passes_of_results : 0;
    p.sharing = sharing_of(stages.first(p.stages));
    return p;
}

}  // namespace riffle::gpu
