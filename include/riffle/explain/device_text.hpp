#pragma once
#include <cstddef>
#include <string>

#include <fmt/format.h>

#include <riffle/chain/stage_list.hpp>
#include <riffle/explain/plan_text.hpp>
#include <riffle/gpu/host/chain_on_device.hpp>

namespace riffle::inline RIFFLE_ABI {

namespace detail {

inline std::string reason_for_end(const stage_list& stages, const gpu::device_plan& p) {
    switch (p.end) {
    case gpu::device_end::no_form: return fmt::format(", since the device has no form for {}", stages.name(p.stages));
    case gpu::device_end::late_edit:
        return fmt::format(", since {} edits logits behind a map or a cut", stages.name(p.stages));
    default: return "";
    }
}

}  // namespace detail

/// How a chain is cut between a device and the processor (gpu/host/device_plan.hpp), as text. `p` is the plan of its
/// chain_on_device or dynamic_on_device.
inline std::string device_text(const stage_list& stages, const gpu::device_plan& p) {
    std::string text = "chain     " + detail::stage_names(stages, 0, stages.size()) + "\n";
    if (p.is_superset() && p.is_useful())
        return text +
               "device    leaves out all but the greatest logits, more than the first stage that narrows can keep\n"
               "processor all stages, on those; on the whole row where they were not enough\n";
    if (!p.is_useful()) {
        const bool has_end = p.end == gpu::device_end::no_form || p.end == gpu::device_end::late_edit;
        return text + "device    nothing" +
               (has_end ? ", since no stage has left tokens out before the processor is needed" : "") + "\n";
    }
    text += "device    " + detail::stage_names(stages, 0, p.stages) + "\n";
    if (p.stages < stages.size())
        text += "processor " + detail::stage_names(stages, p.stages, stages.size()) +
                detail::reason_for_end(stages, p) + "\n";
    text += p.chooses_token()
                ? "travels   the token, and as many survivors as there is room for\n"
                : "travels   the survivors, 12 bytes each; the whole row where there is no room for them\n";
    if (p.edits) text += "edits     where the logits lie, taken back behind the chain\n";
    return text;
}

/// What a device does of a chain that is a type, as text.
template <class Policies, class... Stages>
std::string explain_device(const pipeline<Policies, Stages...>& chain) {
    return device_text(chain.view(), gpu::chain_on_device<pipeline<Policies, Stages...>>::plan);
}

}  // namespace riffle
