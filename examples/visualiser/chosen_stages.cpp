#include "chosen_stages.hpp"

#include <fmt/format.h>

namespace visualiser {
namespace {

chosen_stage stage(const char* name, const json& values) { return {entry_called(name), values, true}; }

std::string read_stage(chosen_stage& into, const json& written) {
    if (!written.is_object() || !written.contains("name") || !written["name"].is_string())
        return "expected a stage with a name";
    into.entry = entry_called(written["name"].get_ref<const std::string&>());
    if (!into.entry) return fmt::format("there is no stage {}", written["name"].dump());
    const auto on = written.find("on");
    into.is_on = on == written.end() || !on->is_boolean() || on->get<bool>();
    const auto values = written.find("values");
    into.values = values != written.end() && values->is_object() ? *values : json::object();
    return {};
}

}  // namespace

std::vector<chosen_stage> default_stages() {
    return {stage("penalties", {{"repeat", 1.1}}), stage("top_k", {{"k", 40}}),        stage("top_p", {{"p", 0.95}}),
            stage("min_p", {{"p", 0.05}}),         stage("temperature", {{"t", 0.8}}), stage("dist", {{"seed", 42}})};
}

std::string read_stages(std::vector<chosen_stage>& into, const json& request) {
    const auto list = request.find("chain");
    if (list == request.end() || !list->is_array()) return "expected a list of stages";
    for (const json& each : *list)
        if (const std::string wrong = read_stage(into.emplace_back(), each); !wrong.empty()) return wrong;
    return {};
}

json written_stages(const std::vector<chosen_stage>& stages) {
    json all = json::array();
    for (const chosen_stage& each : stages)
        all.push_back({{"name", each.entry->name}, {"on", each.is_on}, {"values", each.values}});
    return all;
}

std::size_t place_in_chain(const std::vector<chosen_stage>& stages, std::size_t chosen) {
    std::size_t place = 0;
    for (std::size_t i = 0; i < chosen; ++i) place += stages[i].is_on;
    return place;
}

json numbers_of(const chosen_stage& stage) {
    json numbers = json::object();
    for (const parameter& each : stage.entry->parameters)
        if (!is_written(each.shown_as) && stage.values.contains(each.name))
            numbers[each.name] = stage.values[each.name];
    riffle::dynamic_chain made;
    stage.entry->push(made, *stage.entry, numbers, {});
    return values_of(*stage.entry, made, 0);
}

}  // namespace visualiser
