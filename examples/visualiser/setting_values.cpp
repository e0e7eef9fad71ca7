#include "setting_values.hpp"

#include <string_view>

#include <fmt/format.h>

#include <riffle/settings.hpp>

#include "shown_text.hpp"
#include "stage_values.hpp"

namespace visualiser {
namespace {

constexpr std::string_view blanks = " \t\r\n";

/// A text with \xHH in place of some characters.
std::string with_codes(std::string_view text, std::string_view coded) {
    std::string written;
    for (const char c : text)
        written += coded.find(c) == coded.npos ? std::string(1, c) : fmt::format("\\x{:02X}", unsigned(c));
    return written;
}

/// A breaker, with codes for what would end the setting or be read as something else: blanks at its ends, the word
/// none.
std::string breaker_text(const std::string& breaker) {
    std::string written = with_codes(breaker, ";\\\t\r\n");
    const auto code_at = [&](std::size_t at) {
        written.replace(at, 1, fmt::format("\\x{:02X}", unsigned(written[at])));
    };
    if (written.back() == ' ') code_at(written.size() - 1);
    if (written.front() == ' ' || (written.size() == 4 && (written[0] | 0x20) == 'n')) code_at(0);
    return shown_text(riffle::text(written));
}

}  // namespace

std::vector<std::string> number_setting(const json& value, const surroundings&) {
    if (value.is_string()) return {value.get<std::string>()};
    return {value.is_number_float() ? fmt::format("{}", value.get<double>()) : value.dump()};
}

std::vector<std::string> min_keep_setting(const json& value, const surroundings& around) {
    return value == 0 ? std::vector<std::string>() : number_setting(value, around);
}

std::vector<std::string> grammar_setting(const json& value, const surroundings&) {
    std::string_view grammar = value.get_ref<const std::string&>();
    const std::size_t first = grammar.find_first_not_of(blanks);
    if (first == grammar.npos) return {""};
    grammar = grammar.substr(first, grammar.find_last_not_of(blanks) + 1 - first);
    return {with_codes(grammar, ";")};
}

std::vector<std::string> bias_setting(const json& value, const surroundings& around) {
    std::vector<riffle::logit_bias_entry> biases;
    read_value(biases, value, around);
    std::string list;
    for (const riffle::logit_bias_entry& each : biases)
        list += fmt::format("{}{}{:+}", list.empty() ? "" : ",", each.token, each.bias);
    return list.empty() ? std::vector<std::string>() : std::vector{list};
}

std::vector<std::string> breaker_setting(const json& value, const surroundings& around) {
    if (value == written_breakers(riffle::chain_settings().dry_breakers, around)) return {};
    std::vector<std::string> all;
    for (const std::string& each : breaker_texts(value, around))
        if (!each.empty()) all.push_back(breaker_text(each));
    return all.empty() ? std::vector<std::string>{"none"} : all;
}

}  // namespace visualiser
