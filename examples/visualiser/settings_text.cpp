#include "settings_text.hpp"

#include <map>
#include <utility>

#include <fmt/format.h>

#include <riffle/settings.hpp>

#include "stage_values.hpp"

namespace visualiser {
namespace {

/// A text in which nothing ends a setting.
std::string escaped(std::string_view text) {
    std::string written;
    for (const char c : text) {
        if (c == ';') written += "\\x3B";
        else if (c == '\n') written += "\\n";
        else if (c == '\t') written += "\\t";
        else if (c == '\\') written += "\\\\";
        else written += c;
    }
    return written;
}

std::string written_number(const json& value) {
    return value.is_number_float() ? fmt::format("{}", value.get<double>()) : value.dump();
}

/// Writes settings one after the other, and notes what they cannot say.
class settings_writer {
public:
    explicit settings_writer(const surroundings& around) : around_(around) {}

    void write(const chosen_stage& stage) {
        const stage_entry& entry = *stage.entry;
        const std::string name = entry.name;
        if (name == "logit_bias") return write_biases(stage);
        if (name == "constrain") return write_grammar(stage);
        if (!names_itself(entry)) return leave_out(fmt::format("{} is no sampler that settings have.", name));
        if (*entry.setting) mention(entry.setting);
        if (name == "mirostat" || name == "mirostat_v2") add("mirostat", name == "mirostat" ? "1" : "2", entry);
        riffle::dynamic_chain made;  // has the default of what is not given
        entry.push(made, entry, stage.values, around_);
        const json values = values_of(entry, made, 0);
        for (const parameter& each : entry.parameters) write_parameter(entry, each, values[each.name], stage.values);
        if (name == "dry") write_breakers(stage);
    }
    /// What a text of settings brings along, unsaid.
    void note_what_settings_add(const std::vector<const chosen_stage*>& on) {
        const bool has_mirostat = said_.contains("mirostat");
        for (const chosen_stage* each : on) {
            const std::string name = each->entry->name;
            if (has_mirostat && name != "temperature" && !name.starts_with("mirostat"))
                leave_out(fmt::format("{}: with mirostat, settings have temperature alone beside it.", name));
        }
        if (text_.empty() || text_.starts_with("seed=")) text_ = text_.empty() ? "dist" : "dist;" + text_;
        if (on.empty() || on.back()->entry->group != std::string_view("select"))
            leave_out("No selector: settings end with dist where none is named.");
    }
    json finished() && { return {{"text", std::move(text_)}, {"left_out", std::move(left_out_)}}; }

private:
    static bool names_itself(const stage_entry& entry) {
        if (*entry.setting) return true;
        for (const parameter& each : entry.parameters)
            if (*each.setting) return true;
        return false;
    }
    void mention(std::string_view setting) {
        if (!text_.empty()) text_ += ";";
        text_ += setting;
    }
    void leave_out(std::string sentence) { left_out_.push_back(std::move(sentence)); }

    /// Settings hold one value for a name, whichever stages there are.
    void add(const char* setting, const std::string& value, const stage_entry& of) {
        const auto [said, is_new] = said_.emplace(setting, value);
        if (is_new) mention(fmt::format("{}={}", setting, value));
        else if (said->second != value)
            leave_out(fmt::format("{} {} of {}: it is {} already.", setting, value, of.name, said->second));
    }
    void write_parameter(const stage_entry& entry, const parameter& each, const json& value, const json& given) {
        const bool is_default = !given.contains(each.name);
        if (each.shown_as == control::list) {
            const bool is_empty = is_default || given[each.name] == "";
            if (!is_empty && std::string_view(each.name) != "breakers")
                leave_out(fmt::format("{} of {}: settings have no such list.", each.name, entry.name));
        } else if (*each.setting) {
            if (std::string_view(each.setting) != "min_keep" || value != 0)
                add(each.setting, written_number(value), entry);
        } else if (!is_default) {
            leave_out(fmt::format("{} of {} has no name in settings.", each.name, entry.name));
        }
    }
    void write_biases(const chosen_stage& stage) {
        std::vector<riffle::logit_bias_entry> biases;
        read_value(biases, stage.values.value("biases", json("")), around_);
        std::string list;
        for (const riffle::logit_bias_entry& each : biases)
            list += fmt::format("{}{}{:+}", list.empty() ? "" : ",", each.token, each.bias);
        if (!list.empty()) add("logit_bias", list, *stage.entry);
    }
    void write_grammar(const chosen_stage& stage) {
        const json source = stage.values.value("grammar", json(""));
        std::string written;
        for (const char c : source.get<std::string>()) written += c == ';' ? std::string("\\x3B") : std::string(1, c);
        add("grammar", written, *stage.entry);
    }
    /// None, where the list is empty: settings have breakers of their own.
    void write_breakers(const chosen_stage& stage) {
        riffle::token_sequences breakers;
        read_value(breakers, stage.values.value("breakers", json("")), around_);
        if (breakers.empty()) return mention("dry_sequence_breaker=none");
        for (const auto& sequence : breakers) {
            std::string text;
            for (const riffle::token_id token : sequence)
                text.append(around_.words.piece(token).data(), around_.words.piece(token).size());
            mention("dry_sequence_breaker=" + escaped(text));
        }
    }

    const surroundings& around_;
    std::string text_;
    json left_out_ = json::array();
    std::map<std::string, std::string> said_;
};

}  // namespace

std::string stages_of_settings(std::vector<chosen_stage>& into, const std::string& settings,
                               const surroundings& around) {
    riffle::chain_settings read;
    if (!read.read(riffle::text(settings))) return read.problem();
    riffle::dynamic_chain made;
    riffle::constrain_by_text by_grammar(around.trie);
    const riffle::status built = read.build(made, &around.words, by_grammar);
    if (!by_grammar.problem().message().empty() && made.view().size() == 0)
        return by_grammar.problem().message().c_str();
    if (!built.ok() && made.view().size() == 0) return built.message().c_str();
    for (std::size_t i = 0; i < made.view().size(); ++i) {
        const stage_entry* entry = entry_called(made.view().name(i));
        if (!entry) return fmt::format("the page has no stage {}", made.view().name(i));
        into.push_back({entry, values_of(*entry, made, i), true});
        if (into.back().values.contains("grammar")) into.back().values["grammar"] = read.grammar;
    }
    return {};
}

json settings_of_stages(const std::vector<chosen_stage>& stages, const surroundings& around) {
    settings_writer writer(around);
    std::vector<const chosen_stage*> on;
    for (const chosen_stage& each : stages)
        if (each.is_on) on.push_back(&each);
    for (const chosen_stage* each : on) writer.write(*each);
    writer.note_what_settings_add(on);
    return std::move(writer).finished();
}

}  // namespace visualiser
