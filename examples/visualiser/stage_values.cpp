#include "stage_values.hpp"

#include <cmath>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "shown_text.hpp"

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
    if (item.is_number_integer()) return read_value(into, item, around);
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

riffle::token_sequences sequences_that_hold(std::span<const std::string> texts, const surroundings& around) {
    const std::vector<riffle::text> all(texts.begin(), texts.end());
    return riffle::dry_breakers(around.words, std::span<const riffle::text>(all));
}

/// A list as it is read: what `write` makes of each item, without the outer brackets.
template <class Items, class Write>
std::string written_list(const Items& items, Write write) {
    std::string list;
    for (const auto& each : items) {
        const std::string written = write(each);
        if (!written.empty()) list += (list.empty() ? "" : ", ") + written;
    }
    return list;
}
/// One token is its id.
std::string written_sequence(std::span<const token_id> tokens) {
    const std::string ids = written_list(tokens, [](token_id id) { return std::to_string(id); });
    return tokens.size() == 1 ? ids : "[" + ids + "]";
}

}  // namespace

std::string read_value(float& into, const json& value, const surroundings&) {
    constexpr double greatest = double((std::numeric_limits<float>::max)());
    if (value == "inf") into = std::numeric_limits<float>::infinity();
    else if (value == "-inf") into = -std::numeric_limits<float>::infinity();
    else if (value.is_number()) into = float(std::clamp(value.get<double>(), -greatest, greatest));
    else return "expected a number";
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
        riffle::logit_bias_entry entry;
        entry.bias = riffle::illegal_logit;
        if (!is_pair || (!bans && !read_value(entry.bias, item[1], around).empty()))
            return R"(expected pairs such as  [" the", -2], [5, false])";
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
    std::vector<std::string> texts;
    const std::string wrong = for_each_item(value, [&](const json& item) -> std::string {
        if (!item.is_string()) return read_sequence(found.emplace_back(), item, around);
        texts.push_back(item.get<std::string>());
        return {};
    });
    if (!wrong.empty()) return wrong;
    for (const auto& each : sequences_that_hold(texts, around)) found.push_back(each);
    into = riffle::token_sequences(std::move(found));
    return {};
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
json written_value(float value) {
    const std::string shortest = fmt::format("{}", value);
    return std::isinf(value) ? json(shortest) : json(std::strtod(shortest.c_str(), nullptr));
}

json written_value(const riffle::token_set& tokens) {
    std::vector<token_id> ids;
    tokens.each([&](token_id id) { ids.push_back(id); });
    return written_list(ids, [](token_id id) { return std::to_string(id); });
}

json written_value(const std::vector<riffle::logit_bias_entry>& biases) {
    return written_list(biases, [](const riffle::logit_bias_entry& each) {
        const json bias = each.bias == riffle::illegal_logit ? json(false) : written_value(each.bias);
        return json::array({each.token, bias}).dump();
    });
}

json written_value(const std::vector<riffle::biased_sequence>& banned) {
    return written_list(banned, [](const riffle::biased_sequence& each) { return written_sequence(each.tokens); });
}

json written_value(const riffle::token_sequences& breakers) {
    return written_list(breakers, [](std::span<const token_id> each) { return written_sequence(each); });
}

json written_value(const riffle::phrase_set&) { return ""; }

json written_value(const std::vector<std::uint32_t>& mask_words) {
    riffle::token_set let_through;
    for (std::size_t id = 0; id < 32 * mask_words.size(); ++id)
        if (mask_words[id / 32] >> (id % 32) & 1u) let_through.add(token_id(id));
    return written_value(let_through);
}

std::vector<std::string> breaker_texts(const json& value, const surroundings& around) {
    std::vector<std::string> all;
    for_each_item(value, [&](const json& item) -> std::string {
        if (item.is_string()) return all.push_back(item.get<std::string>()), "";
        std::vector<token_id> tokens;
        std::string why = read_sequence(tokens, item, around);
        std::string& breaker = all.emplace_back();
        for (const token_id token : tokens)
            breaker.append(around.words.piece(token).data(), around.words.piece(token).size());
        return why;
    });
    return all;
}

json written_breakers(std::span<const std::string> texts, const surroundings& around) {
    return written_list(texts, [&](const std::string& each) {
        if (shown_text(riffle::text(each)) == each) return json(each).dump();
        return written_value(sequences_that_hold({&each, 1}, around)).get<std::string>();
    });
}

}  // namespace visualiser
