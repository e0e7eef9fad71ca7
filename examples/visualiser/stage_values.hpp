#pragma once

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include <riffle/riffle.hpp>

#include "surroundings.hpp"

namespace visualiser {

/// A number within the bounds of T, cut to a whole one.
template <std::integral T>
T whole_within(double value) {
    if (value >= double((std::numeric_limits<T>::max)())) return (std::numeric_limits<T>::max)();
    if (value <= double((std::numeric_limits<T>::min)())) return (std::numeric_limits<T>::min)();
    return T(value);
}

/// Reads the value of a parameter out of JSON, and writes it there. Numbers outside the range of the type become the
/// nearest that it has. What JSON or a page has no number for is a text: "inf", "-inf", and whole numbers above 2^53 in
/// decimal. Lists are texts in JSON's notation without the outer brackets, in which a token is its id or its text:
/// `5, " the"`. Reading answers what is wrong, or nothing.
std::string read_value(float& into, const json& value, const surroundings& around);
template <std::integral T>
std::string read_value(T& into, const json& value, const surroundings&) {
    if (value.is_string()) {
        const std::string& digits = value.get_ref<const std::string&>();
        const char* const end = digits.data() + digits.size();
        T read{};
        const auto [behind, fault] = std::from_chars(digits.data(), end, read);
        if (fault != std::errc() || behind != end) return "expected a whole number";
        into = read;
    } else if (value.is_number_unsigned()) {
        into = T((std::min)(value.get<std::uint64_t>(), std::uint64_t((std::numeric_limits<T>::max)())));
    } else if (value.is_number()) {
        into = whole_within<T>(value.get<double>());
    } else {
        return "expected a number";
    }
    return {};
}
std::string read_value(bool& into, const json& value, const surroundings& around);
std::string read_value(riffle::token_set& into, const json& value, const surroundings& around);
/// `[" the", -2], [5, false]`: pairs of a token and what is added to its logit, as llama-server reads them; false bans.
std::string read_value(std::vector<riffle::logit_bias_entry>& into, const json& value, const surroundings& around);
/// `" the king", [5, 7]`: what is banned, as a text or as its tokens.
std::string read_value(std::vector<riffle::biased_sequence>& into, const json& value, const surroundings& around);
/// `"\n", [5, 7]`: breakers of dry. A text is all sequences of tokens that hold it, as settings have it.
std::string read_value(riffle::token_sequences& into, const json& value, const surroundings& around);
/// `"once upon"`: texts.
std::string read_value(riffle::phrase_set& into, const json& value, const surroundings& around);
/// The words of a mask that lets the listed tokens through.
std::string read_value(std::vector<std::uint32_t>& into, const json& value, const surroundings& around);

json written_value(float value);
template <std::integral T>
json written_value(T value) {
    if constexpr (sizeof(T) == 8)
        if (value > T{1} << 53) return std::to_string(value);
    return value;
}
json written_value(const riffle::token_set& tokens);
json written_value(const std::vector<riffle::logit_bias_entry>& biases);
json written_value(const std::vector<riffle::biased_sequence>& banned);
json written_value(const riffle::token_sequences& breakers);
/// Nothing: phrases cannot be read out of the automaton that they are. No stage of phrases is made but of values.
json written_value(const riffle::phrase_set& phrases);
json written_value(const std::vector<std::uint32_t>& mask_words);

/// The breakers of such a list: texts as they are, sequences of tokens as their texts.
std::vector<std::string> breaker_texts(const json& value, const surroundings& around);
/// Texts as a list of them. Those that are not whole characters cannot stand in one: of them the sequences of tokens.
json written_breakers(std::span<const std::string> texts, const surroundings& around);

}  // namespace visualiser
