#include "adjustable_chain.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "failure.hpp"

namespace quickstart {
namespace {

using riffle::option;
using riffle::sampler_kind;

const option& option_called(const char* name) { return *riffle::option_called(riffle::text(name)); }

bool selects(sampler_kind kind) {
    return kind == sampler_kind::greedy || kind == sampler_kind::dist || kind == sampler_kind::gumbel ||
           kind == sampler_kind::adaptive_p;
}

}  // namespace

adjustable_chain::adjustable_chain(const std::string& settings) {
    if (!settings_.read(riffle::text(settings))) throw usage_error("--chain: " + settings_.problem());
    std::vector<sampler_kind> kinds = settings_.samplers;
    // the selector stands last, whatever the order says
    std::stable_partition(kinds.begin(), kinds.end(), [](sampler_kind kind) { return !selects(kind); });
    if (kinds.empty() || !selects(kinds.back())) kinds.push_back(sampler_kind::dist);
    for (const sampler_kind kind : kinds) stages_.push_back({kind, true});
    list_parameters();
}

void adjustable_chain::list_parameters() {
    parameters_.clear();
    for (std::size_t i = 0; i < stages_.size(); ++i)
        for (const option& each : riffle::known_options)
            if (each.sampler == stages_[i].kind && (each.number || each.whole)) parameters_.push_back({&each, i});
    parameters_.push_back({&option_called("seed"), stages_.size() - 1});
}

std::string adjustable_chain::name(std::size_t stage) const {
    for (const option& each : riffle::known_options)
        if (each.names_sampler && each.sampler == stages_[stage].kind) return each.names[0];
    return "";
}

std::string adjustable_chain::value(const parameter& of) const {
    if (of.option->number) return fmt::format("{:.4g}", settings_.*of.option->number);
    if (of.option->whole) return fmt::format("{}", settings_.*of.option->whole);
    return fmt::format("{}", settings_.seed);
}

void adjustable_chain::change(const parameter& of, int steps) {
    if (of.option->number) {
        float& number = settings_.*of.option->number;
        const float step = std::fabs(number) < 0.002f && number != 0.0f ? 1e-4f : 0.01f;
        number = std::round((number + step * static_cast<float>(steps)) * 1e5f) / 1e5f;
    } else if (of.option->whole) {
        std::int32_t& number = settings_.*of.option->whole;
        constexpr std::int32_t least = -1, greatest = 1'000'000;
        for (int i = 0; i < std::abs(steps); ++i) {
            const std::int32_t from = std::clamp(number, least, greatest);
            const std::int32_t step = std::max(1, from / 10);
            number = std::clamp(steps > 0 ? from + step : from - step, least, greatest);
        }
    } else {
        settings_.seed += static_cast<std::uint64_t>(std::int64_t{steps});
    }
}

bool adjustable_chain::move(std::size_t stage, int places) {
    const std::size_t to = stage + static_cast<std::size_t>(std::ptrdiff_t{places});
    if (stage >= stages_.size() || to >= stages_.size() || selects(stages_[stage].kind) || selects(stages_[to].kind))
        return false;
    std::swap(stages_[stage], stages_[to]);
    list_parameters();
    return true;
}

riffle::dynamic_chain adjustable_chain::make(std::string& problem) const {
    riffle::chain_settings now = settings_;
    now.samplers.clear();
    for (const switched_stage& each : stages_)
        if (each.is_on) now.samplers.push_back(each.kind);
    riffle::dynamic_chain made;
    const riffle::status built = now.build(made);
    problem = built.ok() ? "" : built.message().c_str();
    return made;
}

}  // namespace quickstart
