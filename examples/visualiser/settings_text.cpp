#include "settings_text.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <riffle/settings.hpp>

#include "settings_differences.hpp"
#include "stage_values.hpp"

namespace visualiser {
namespace {

/// Writes settings one after the other.
class settings_writer {
public:
    explicit settings_writer(const surroundings& around) : around_(around) {}

    void write(const chosen_stage& stage) {
        const stage_entry& entry = *stage.entry;
        if (!entry.has_setting()) return;
        if (*entry.setting) add(entry.setting);
        const json numbers = numbers_of(stage);
        for (const parameter& each : entry.parameters) {
            if (!*each.setting || said_.contains(each.setting)) continue;
            const json value = is_written(each.shown_as) ? stage.values.value(each.name, json("")) : numbers[each.name];
            for (const std::string& written : each.in_settings(value, around_)) {
                add(fmt::format("{}={}", each.setting, written));
                said_.insert(each.setting);
            }
        }
    }
    /// What keeps settings from adding samplers that nobody asked for.
    std::string finished() && {
        if (has_mirostat_ && !said_.contains("temp")) add("temp=1");
        if (!names_sampler_ && !has_mirostat_) text_ = text_.empty() ? "dist" : "dist;" + text_;
        return std::move(text_);
    }

private:
    void add(const std::string& setting) {
        const riffle::option* known =
            riffle::option_called(riffle::text(std::string_view(setting).substr(0, setting.find('='))));
        names_sampler_ |= known && known->sampler != riffle::sampler_kind::none;
        has_mirostat_ |= setting.starts_with("mirostat=");
        text_ += (text_.empty() ? "" : ";") + setting;
    }

    const surroundings& around_;
    std::string text_;
    std::set<std::string> said_;  ///< settings hold one value for a name, whichever stages there are
    bool names_sampler_ = false, has_mirostat_ = false;
};

}  // namespace

std::string stages_of_settings(std::vector<chosen_stage>& into, const std::string& settings,
                               const surroundings& around) {
    riffle::chain_settings read;
    if (!read.read(riffle::text(settings))) return read.problem();
    // settings have the grammar first; what is made here is looked at and dropped, so it needs no texts of tokens
    if (!read.grammar.empty()) into.push_back({entry_called("constrain"), {{"grammar", read.grammar}}, true});
    read.grammar.clear();
    const riffle::vocabulary no_words;
    riffle::dynamic_chain made;
    const riffle::status built = read.build(made, &no_words);
    // a parameter without meaning is the next step's to name: the stage is there
    if (!built.ok() && (made.view().size() == 0 || built.code() != riffle::status_code::invalid_parameter))
        return built.message().c_str();
    for (std::size_t i = 0; i < made.view().size(); ++i) {
        const stage_entry* entry = entry_called(made.view().name(i));
        if (!entry) return fmt::format("the page has no stage {}", made.view().name(i));
        into.push_back({entry, values_of(*entry, made, i), true});
        json& values = into.back().values;
        if (values.contains("breakers")) values["breakers"] = written_breakers(read.dry_breakers, around);
    }
    return {};
}

json settings_of_stages(const std::vector<chosen_stage>& stages, const surroundings& around) {
    std::vector<chosen_stage> on;
    std::copy_if(stages.begin(), stages.end(), std::back_inserter(on),
                 [](const chosen_stage& each) { return each.is_on; });
    settings_writer writer(around);
    for (const chosen_stage& each : on) writer.write(each);
    std::string text = std::move(writer).finished();

    std::vector<chosen_stage> read;
    const std::string wrong = stages_of_settings(read, text, around);
    if (!wrong.empty()) return {{"text", std::move(text)}, {"left_out", json::array({wrong})}};
    json left_out = differences_of_chains(on, read, around);
    return {{"text", std::move(text)}, {"left_out", std::move(left_out)}};
}

}  // namespace visualiser
