#include "stage_values.hpp"

#include <cstdlib>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace visualiser {
namespace {

using riffle::token_id;

/// The items of a list, which is written without its brackets.
std::string read_list(json& items, const json& value) {
    if (!value.is_string()) return "expected a list";
    items = json::parse("[" + value.get<std::string>() + "]", nullptr, false);
    return items.is_array() ? "" : R"(expected a list such as  5, " the")";
}

/// A token, by its id, or by its text where that is one token.
std::string read_token(token_id& into, const json& item, const surroundings& around) {
    if (item.is_number_integer()) {
        into = whole_within<token_id>(item.get<double>());
        return {};
    }
    if (!item.is_string()) return "expected a token: its id or its text";
    const std::string piece = item.get<std::string>();
    for (token_id id = 0; around.words.contains(id); ++id)
        if (around.words.piece(id) == riffle::text(piece)) return into = id, "";
    return fmt::format("no token has the text {}", item.dump());
}

/// The tokens of a text, of a list of tokens, or one token by its id.
std::string read_sequence(std::vector<token_id>& into, const json& item, const surroundings& around) {
    if (item.is_string()) {
        into = around.words.tokenise(riffle::text(item.get_ref<const std::string&>()), 64);
        return {};
    }
    if (item.is_number_integer()) return read_token(into.emplace_back(), item, around);
    if (!item.is_array()) return R"(expected texts or lists of tokens, such as  " the king", [5, 7])";
    for (const json& each : item) {
        token_id token = 0;
        if (const std::string wrong = read_token(token, each, around); !wrong.empty()) return wrong;
        into.push_back(token);
    }
    return {};
}

/// Gives each item of a list to `take`, until one is wrong.
template <class Take>
std::string for_each_item(const json& value, Take take) {
    json items;
    if (std::string wrong = read_list(items, value); !wrong.empty()) return wrong;
    for (const json& item : items)
        if (std::string wrong = take(item); !wrong.empty()) return wrong;
    return {};
}

}  // namespace

std::string read_value(float& into, const json& value, const surroundings&) {
    if (!value.is_number()) return "expected a number";
    into = value.get<float>();
    return {};
}
std::string read_value(bool& into, const json& value, const surroundings&) {
    if (!value.is_boolean()) return "expected yes or no";
    into = value.get<bool>();
    return {};
}

std::string read_value(riffle::token_set& into, const json& value, const surroundings& around) {
    riffle::token_set found;
    const std::string wrong = for_each_item(value, [&](const json& item) {
        token_id token = 0;
        std::string why = read_token(token, item, around);
        if (why.empty()) found.add(token);
        return why;
    });
    if (wrong.empty()) into = std::move(found);
    return wrong;
}

std::string read_value(std::vector<riffle::logit_bias_entry>& into, const json& value, const surroundings& around) {
    std::vector<riffle::logit_bias_entry> found;
    const std::string wrong = for_each_item(value, [&](const json& item) -> std::string {
        const bool is_pair = item.is_array() && item.size() == 2;
        const bool bans = is_pair && item[1].is_boolean() && !item[1].get<bool>();
        if (!bans && !(is_pair && item[1].is_number())) return R"(expected pairs such as  [" the", -2], [5, false])";
        riffle::logit_bias_entry entry;
        entry.bias = bans ? riffle::illegal_logit : item[1].get<float>();
        std::string why = read_token(entry.token, item[0], around);
        if (why.empty()) found.push_back(entry);
        return why;
    });
    if (wrong.empty()) into = std::move(found);
    return wrong;
}

std::string read_value(std::vector<riffle::biased_sequence>& into, const json& value, const surroundings& around) {
    std::vector<riffle::biased_sequence> found;
    const std::string wrong = for_each_item(value, [&](const json& item) {
        riffle::biased_sequence banned;
        std::string why = read_sequence(banned.tokens, item, around);
        if (why.empty()) found.push_back(std::move(banned));
        return why;
    });
    if (wrong.empty()) into = std::move(found);
    return wrong;
}

std::string read_value(riffle::token_sequences& into, const json& value, const surroundings& around) {
    std::vector<std::vector<token_id>> found;
    const std::string wrong =
        for_each_item(value, [&](const json& item) { return read_sequence(found.emplace_back(), item, around); });
    if (wrong.empty()) into = riffle::token_sequences(std::move(found));
    return wrong;
}

std::string read_value(riffle::phrase_set& into, const json& value, const surroundings&) {
    std::vector<std::string> found;
    const std::string wrong = for_each_item(value, [&](const json& item) -> std::string {
        if (!item.is_string()) return R"(expected texts such as  "once upon")";
        found.push_back(item.get<std::string>());
        return {};
    });
    if (!wrong.empty()) return wrong;
    const std::vector<riffle::text> phrases(found.begin(), found.end());
    into = riffle::phrase_set(std::span<const riffle::text>(phrases));
    return {};
}

std::string read_value(std::vector<std::uint32_t>& into, const json& value, const surroundings& around) {
    riffle::token_set let_through;
    const std::string wrong = read_value(let_through, value, around);
    if (!wrong.empty()) return wrong;
    into.assign((around.row_size + 31) / 32, 0);
    for (token_id id = 0; std::size_t(id) < around.row_size; ++id)
        if (let_through.contains(id)) into[std::size_t(id) / 32] |= 1u << (std::uint32_t(id) % 32);
    return {};
}

/// The shortest decimal that reads as this float: 0.95, where the double nearest to it has 17 digits.
json written_value(float value) { return std::strtod(fmt::format("{}", value).c_str(), nullptr); }

}  // namespace visualiser
