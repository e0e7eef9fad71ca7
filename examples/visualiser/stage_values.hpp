#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <riffle/riffle.hpp>

#include "surroundings.hpp"

namespace visualiser {

/// A number within the bounds of T, cut to a whole one. (The greatest that both a double and a 64-bit number have is
/// 2^53; a page has no others.)
template <std::integral T>
T whole_within(double value) {
    constexpr double greatest = (std::min)(double((std::numeric_limits<T>::max)()), 0x1p53);
    constexpr double least = (std::max)(double((std::numeric_limits<T>::min)()), -0x1p53);
    return T(std::clamp(std::trunc(value), least, greatest));
}

/// Reads the value of a parameter out of JSON, and writes it there. Numbers outside the range of the type become the
/// nearest that it has; lists are texts in JSON's notation without the outer brackets, in which a token is its id or
/// its text: `5, " the"`. Reading answers what is wrong, or nothing.
std::string read_value(float& into, const json& value, const surroundings& around);
template <std::integral T>
std::string read_value(T& into, const json& value, const surroundings&) {
    if (!value.is_number()) return "expected a number";
    into = whole_within<T>(value.get<double>());
    return {};
}
std::string read_value(bool& into, const json& value, const surroundings& around);
std::string read_value(riffle::token_set& into, const json& value, const surroundings& around);
/// `[" the", -2], [5, false]`: pairs of a token and what is added to its logit, as llama-server reads them; false bans.
std::string read_value(std::vector<riffle::logit_bias_entry>& into, const json& value, const surroundings& around);
/// `" the king", [5, 7]`: what is banned, as a text or as its tokens.
std::string read_value(std::vector<riffle::biased_sequence>& into, const json& value, const surroundings& around);
std::string read_value(riffle::token_sequences& into, const json& value, const surroundings& around);
/// `"once upon"`: texts.
std::string read_value(riffle::phrase_set& into, const json& value, const surroundings& around);
/// The words of a mask that lets the listed tokens through.
std::string read_value(std::vector<std::uint32_t>& into, const json& value, const surroundings& around);

json written_value(float value);
template <std::integral T>
json written_value(T value) {
    return value;
}
/// Lists are kept as they were written; a stage that is made anew has none.
template <class List>
    requires(!std::integral<List>)
json written_value(const List&) {
    return "";
}

}  // namespace visualiser
