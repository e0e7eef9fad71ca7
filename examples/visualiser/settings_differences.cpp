#include "settings_differences.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace visualiser {
namespace {

constexpr std::string_view selects = "select";  // the group of stages that do

/// Looks for each stage among those that were read.
class differences {
public:
    differences(const std::vector<chosen_stage>& wanted, const std::vector<chosen_stage>& read,
                const surroundings& around)
        : wanted_(wanted), read_(read), around_(around),
          has_mirostat_(std::any_of(read.begin(), read.end(), is_mirostat)), is_met_(read.size()) {}

    json sentences() && {
        std::vector<std::size_t> order;
        for (const chosen_stage& each : wanted_) {
            const std::size_t at = place_of(each);
            if (at == read_.size()) {
                is_missing(each);
                continue;
            }
            order.push_back(at);
            compare(each, read_[at]);
        }
        for (std::size_t i = 0; i < read_.size(); ++i)
            if (!is_met_[i]) is_added(read_[i]);
        if (!std::is_sorted(order.begin(), order.end())) say_order();
        return std::move(all_);
    }

private:
    static bool is_mirostat(const chosen_stage& stage) {
        return std::string_view(stage.entry->setting).starts_with("mirostat=");
    }

    /// Of the first stage of this kind that no other has met; else the number of stages.
    std::size_t place_of(const chosen_stage& stage) {
        std::size_t at = 0;
        while (at < read_.size() && (is_met_[at] || read_[at].entry != stage.entry)) ++at;
        if (at < read_.size()) is_met_[at] = true;
        return at;
    }
    void compare(const chosen_stage& stage, const chosen_stage& read) {
        const json here = numbers_of(stage), there = numbers_of(read);
        for (const parameter& each : stage.entry->parameters) {
            const char* const name = each.name;
            if (is_written(each.shown_as)) compare_texts(each, stage, read);
            else if (here[name] != there[name])
                say(fmt::format("{} of {}: settings make it {}.", name, stage.entry->name, there[name].dump()));
        }
    }
    /// Texts that differ may mean the same.
    void compare_texts(const parameter& of, const chosen_stage& stage, const chosen_stage& read) {
        const json here = text_of(of, stage), there = text_of(of, read);
        if (here == there) return;
        if (!*of.setting) return say(fmt::format("{} of {}: settings have no such list.", of.name, stage.entry->name));
        const bool is_same = of.read ? made_list(of, stage) == made_list(of, read)
                                     : of.in_settings(here, around_) == of.in_settings(there, around_);
        if (!is_same) say(fmt::format("{} of {}: settings make it another.", of.name, stage.entry->name));
    }
    static json text_of(const parameter& of, const chosen_stage& stage) {
        return stage.values.value(of.name, json(""));
    }
    json made_list(const parameter& of, const chosen_stage& stage) const {
        riffle::dynamic_chain made;
        stage.entry->push(made, *stage.entry, stage.values, around_);
        return values_of(*stage.entry, made, 0)[of.name];
    }
    void is_missing(const chosen_stage& stage) {
        const char* const name = stage.entry->name;
        const auto same = [&](const chosen_stage& other) { return other.entry == stage.entry; };
        if (!stage.entry->has_setting()) say(fmt::format("{} is no sampler that settings have.", name));
        else if (has_mirostat_) say(fmt::format("{}: with mirostat, settings have temperature alone beside it.", name));
        else if (std::any_of(read_.begin(), read_.end(), same))
            say(fmt::format("A second {}: settings have one.", name));
        else say(fmt::format("{}: these settings make no such stage.", name));
    }
    void is_added(const chosen_stage& stage) {
        if (stage.entry->group == selects)
            say(fmt::format("No selector that settings have: they end with {}.", stage.entry->name));
        else if (has_mirostat_) say("With mirostat, settings have a temperature: at 1 it changes nothing.");
        else say(fmt::format("{}: these settings add it.", stage.entry->name));
    }
    void say_order() {
        std::string names;
        for (const chosen_stage& each : read_) names += (names.empty() ? "" : ", ") + std::string(each.entry->name);
        say(fmt::format("Settings have another order: {}.", names));
    }
    void say(std::string sentence) { all_.push_back(std::move(sentence)); }

    const std::vector<chosen_stage>&wanted_, &read_;
    const surroundings& around_;
    bool has_mirostat_;
    std::vector<bool> is_met_;  ///< of those that were read: a stage that was wanted is this one
    json all_ = json::array();
};

}  // namespace

json differences_of_chains(const std::vector<chosen_stage>& wanted, const std::vector<chosen_stage>& read,
                           const surroundings& around) {
    return differences(wanted, read, around).sentences();
}

}  // namespace visualiser
