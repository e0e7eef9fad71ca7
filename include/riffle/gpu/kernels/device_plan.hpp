#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/chain/plan.hpp>
#include <riffle/gpu/kernels/device_stage.hpp>

namespace riffle::gpu {

/// Why the device leaves a stage, and those behind it, to the processor.
enum class device_end : std::uint8_t {
    chooses_token,   ///< it does not: all stages run on the device
    no_form,         ///< the device has no form for the stage
    late_edit,       ///< edits must come ahead of maps and cuts
    no_stages_left,  ///< the chain has no selector, or more stages than a kernel has bits for
    superset,        ///< it only leaves out what no stage can keep: all stages run on the processor
};

/// Where a chain is cut between device and processor: the wide phase runs where the logits are, and a few survivors
/// travel.
struct device_plan {
    std::size_t stages = 0;  ///< so many leading stages run on the device; 0 where it is not worth its while
    device_end end = device_end::no_form;
    bool narrows = false;  ///< a stage among them can leave few tokens
    bool edits = false;    ///< they change logits by id
    constexpr bool is_useful() const noexcept { return stages > 0; }
    constexpr bool is_superset() const noexcept { return end == device_end::superset; }
    constexpr bool chooses_token() const noexcept { return end == device_end::chooses_token; }
    friend constexpr bool operator==(const device_plan&, const device_plan&) = default;
};

/// A set of stages has a bit for each, and one for what comes behind them.
inline constexpr std::size_t most_device_stages = 31;

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
        p.narrows |= s.fact.narrows != narrowing::no;
        ++p.stages;
        if (s.form == device_form::select) p.end = device_end::chooses_token;
    }
    if (!p.chooses_token() && !p.narrows) p.stages = 0;
    return p;
}

}  // namespace riffle::gpu
