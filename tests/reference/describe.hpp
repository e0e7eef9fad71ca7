#pragma once
// What failures print of a stage: its name and its fields.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <type_traits>
#include <vector>

#include <riffle/riffle.hpp>

#include "reference/fields.hpp"

namespace riffle_tests::reference {

inline std::string print(const char* format, double a, double b = 0, double c = 0, double d = 0) {
    char text[128];
    std::snprintf(text, sizeof text, format, a, b, c, d);
    return text;
}

template <class T>
    requires std::is_arithmetic_v<T>
std::string describe_field(T value) {
    return print("%.9g", double(value));
}
inline std::string describe_field(const riffle::token_set& s) {
    std::string text = "{";
    std::size_t count = 0;
    s.each([&](std::int32_t id) { text += ++count <= 8 ? print("%g ", id) : std::string(); });
    return text + (count > 8 ? print("and %g more}", double(count - 8)) : "}");
}
inline std::string describe_field(const std::vector<riffle::logit_bias_entry>& biases) {
    std::string text;
    for (const auto& entry : biases) text += print("%g: %g ", entry.token, double(entry.bias));
    return text;
}
inline std::string describe_field(const riffle::vocabulary* v) { return print("of %g", v ? double(v->size()) : 0.0); }
inline std::string describe_field(const std::vector<riffle::biased_sequence>& banned) {
    std::string text;
    for (const auto& sequence : banned) {
        for (const auto token : sequence.tokens) text += print("%g ", token);
        text += print(": %g, ", double(sequence.bias));
    }
    return text;
}
/// Words of a mask, sequences, texts.
template <class List>
    requires(!std::is_arithmetic_v<List>)
std::string describe_field(const List& list) {
    if constexpr (requires { list.size(); }) return print("%g of them", double(list.size()));
    else return "...";
}

template <class S>
    requires requires { S::name; }
std::string describe(const S& stage) {
    std::string text = std::string(S::name) + "{";
    const auto add = [&](const auto& field) { text += (text.back() == '{' ? "" : ", ") + describe_field(field); };
    std::apply([&](const auto&... field) { (add(field), ...); }, fields_of(stage));
    return text + "}";
}

}  // namespace riffle_tests::reference
