#pragma once
// The stages of riffle with ordinary parameters and with those at the limits of their meaning.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <riffle/riffle.hpp>

#include "reference/fields.hpp"
#include "reference/text_stages.hpp"

namespace riffle_tests {

inline constexpr float infinity = std::numeric_limits<float>::infinity();

// Values for a field of a stage, by its type: ordinary ones, and those at which meanings end.
inline std::vector<float> values_for(float) {
    return {0.05f, 0.5f, 0.0f, -1.0f, 1e-40f, 1e-6f, 0.999999f, 1.0f, 1.5f, 40.0f, 3e38f, infinity};
}
inline std::vector<std::int32_t> values_for(std::int32_t) {
    return {40, 1, 2, 5, 0, -1, -3, 255, 300, 700, std::numeric_limits<std::int32_t>::max()};
}
inline std::vector<std::size_t> values_for(std::size_t) { return {0, 3, 7, 100000000}; }
inline std::vector<bool> values_for(bool) { return {false, true}; }
inline std::vector<riffle::token_set> values_for(const riffle::token_set&) { return {{}, {0, 3, 77}}; }

/// A stage with its default parameters, and with one of them changed at a time; those that have no meaning are left
/// out. Stages whose parameters hang together, or hold more than numbers, have a list of their own below.
template <class Stage>
std::vector<Stage> variants_of() {
    std::vector<Stage> all{Stage{}};
    const auto vary = [&]<std::size_t Field>() {
        for (const auto value : values_for(std::get<Field>(reference::fields_of(all[0])))) {
            Stage changed{};
            std::get<Field>(reference::fields_of(changed)) = value;
            if constexpr (requires { (changed.check)(); })
                if (!(changed.check)().ok()) continue;
            all.push_back(changed);
        }
    };
    constexpr std::size_t count = std::tuple_size_v<decltype(reference::fields_of(std::declval<Stage&>()))>;
    [&]<std::size_t... Field>(std::index_sequence<Field...>) {
        (vary.template operator()<Field>(), ...);
    }(std::make_index_sequence<count>());
    return all;
}

template <>
inline std::vector<riffle::temperature> variants_of() {
    return {{1.25f}, {0.8f},   {3.0f},   {1.0f / 0.8f}, {1.0f},     {0.0f},
            {-2.0f}, {1e-40f}, {1e-19f}, {1e-30f},      {infinity}, {3e38f}};
}
template <>
inline std::vector<riffle::soft_cap> variants_of() {
    return {{30.0f}, {1.5f}, {0.0f}, {-1.0f}, {infinity}, {1e-39f}, {1.2e-38f}, {1e-3f}, {4e37f}, {3e38f}};
}
template <>
inline std::vector<riffle::top_k> variants_of() {
    return {{40}, {1}, {2}, {5}, {0}, {-3}, {255}, {300}, {700}, {std::numeric_limits<std::int32_t>::max()}};
}
template <>
inline std::vector<riffle::top_p> variants_of() {
    return {{0.95f, 0}, {0.5f, 0},  {0.1f, 1}, {0.999999f, 0},    {0.0f, 0},   {1.0f, 0},
            {1.3f, 0},  {-0.5f, 3}, {0.3f, 7}, {0.9f, 100000000}, {1e-40f, 0}, {0.99999994f, 2}};
}
template <>
inline std::vector<riffle::min_p> variants_of() {
    return {{0.05f, 0}, {0.5f, 0},  {1.0f, 0},         {1e-6f, 0},    {0.0f, 0},  {-1.0f, 0},
            {1.5f, 3},  {0.9f, 10}, {0.9f, 100000000}, {infinity, 0}, {1e-40f, 0}};
}
template <>
inline std::vector<riffle::top_n_sigma> variants_of() {
    return {{1.0f}, {0.5f}, {3.0f}, {0.0f}, {-1.0f}, {infinity}, {1e-6f}, {1e-40f}, {1e30f}};
}
template <>
inline std::vector<riffle::logit_bias> variants_of() {
    return {{{{0, 2.0f}, {3, -infinity}, {5, -1.0f}, {5, 0.5f}, {100000, 1.0f}, {-1, 5.0f}}},
            {{{0, -infinity}, {1, -infinity}, {300, 8.25f}, {30, infinity}}},
            {{{2, infinity}, {2, -infinity}, {4, 3.4e38f}, {4, 3.4e38f}, {0, -3.4e38f}, {0, -3.4e38f}}},
            {}};
}
template <>
inline std::vector<riffle::penalties> variants_of() {
    return {{64, 1.1f, 0.0f, 0.0f},   {-1, 1.3f, 0.2f, 0.1f},   {4, 0.7f, -0.3f, 0.0f},
            {0, 2.0f, 0.0f, 0.0f},    {64, 1.0f, 0.0f, 0.0f},   {3, 2e-38f, 0.0f, 0.0f},
            {200, 3e38f, 0.0f, 1.0f}, {64, 1.0f, 3e38f, 3e38f}, {64, 1.5f, 0.1f, 0.0f, {1, 3, 700}}};
}
template <>
inline std::vector<riffle::mask> variants_of() {
    const auto legal_only = [](std::initializer_list<std::size_t> ids) {
        riffle::mask m;
        for (const std::size_t id : ids) {
            if (m.words.size() <= id / 32) m.words.resize(id / 32 + 1);
            m.words[id / 32] |= 1u << (id % 32);
        }
        return m;
    };
    std::vector<riffle::mask> all;
    all.push_back({std::vector<std::uint32_t>(9000, 0xF0F3F1F1u)});  // many legal
    all.push_back(legal_only({0, 3, 40, 77, 255, 256, 700}));        // few
    all.push_back({std::vector<std::uint32_t>(9000, 0xffffffffu)});  // all
    all.push_back({std::vector<std::uint32_t>(7, 0x7fffffffu)});     // the tail missing
    all.push_back({{}});                                             // none
    all.push_back({std::vector<std::uint32_t>(9000, 0x80000000u)});  // one in 32
    riffle::mask by_block{std::vector<std::uint32_t>(9000, 0u)};
    for (std::size_t w = 0; w < by_block.words.size(); ++w)
        by_block.words[w] = w / 8 % 3 == 0 ? 0xffffffffu : w / 8 % 3 == 1 ? 0u : 0x55555555u << (w % 2);
    all.push_back(by_block);  // blocks whole, empty and mixed
    all.push_back(legal_only({1}));
    for (const std::size_t count : {std::size_t{1}, std::size_t{0}, std::size_t{1} << 40}) {  // its own, and wrong ones
        all.push_back(legal_only({2}));
        all.back().count = count;
        all.push_back(by_block);
        all.back().count = count;
    }
    return all;
}
template <>
inline std::vector<riffle::greedy> variants_of() {
    return {{}};
}
template <>
inline std::vector<riffle::dist> variants_of() {
    return {{42}, {0}, {0xffffffffffffffffu}};
}
template <>
inline std::vector<riffle::gumbel> variants_of() {
    return {{42}, {0}, {0xffffffffffffffffu}};
}

// ---- stages that look at the softmax statistics

template <>
inline std::vector<riffle::typical> variants_of() {
    return {{0.95f, 0}, {0.2f, 0}, {0.5f, 3},         {0.999999f, 0}, {0.0f, 0},      {-1.0f, 5},
            {1.0f, 0},  {1e-40f},  {0.9f, 100000000}, {0.3f, 40},     {-infinity, 2}, {infinity, 0}};
}
template <>
inline std::vector<riffle::epsilon_cutoff> variants_of() {
    return {{3e-4f, 0}, {0.02f, 0}, {0.2f, 5},   {1e-12f, 0},       {0.0f, 0},     {-1.0f, 0},
            {1.0f, 0},  {2.0f, 3},  {1e-40f, 0}, {0.9f, 100000000}, {infinity, 0}, {1.2e-38f, 0}};
}
template <>
inline std::vector<riffle::eta_cutoff> variants_of() {
    return {{3e-4f, 0}, {0.02f, 0}, {0.2f, 5},   {1e-12f, 0},       {0.0f, 0},     {-1.0f, 0},
            {1.0f, 0},  {2.0f, 3},  {1e-40f, 0}, {0.9f, 100000000}, {infinity, 0}, {1.2e-38f, 0}};
}
template <>
inline std::vector<riffle::top_h> variants_of() {
    return {{0.4f, 0, false},  {0.4f, 0, true},          {0.9f, 0, false},   {0.95f, 0, true},    {1.0f, 0, false},
            {1.0f, 0, true},   {0.0f, 0, false},         {-1.0f, 7, true},   {1.0001f, 0, false}, {0.1f, 9, false},
            {1e-40f, 0, true}, {0.3f, 100000000, false}, {infinity, 0, true}};
}
template <>
inline std::vector<riffle::tail_free> variants_of() {
    return {{0.95f, 0, false}, {0.5f, 0, true},  {0.99f, 3, false}, {0.999999f, 0, true}, {0.0f, 0, false},
            {-1.0f, 0, true},  {0.0f, 4, true},  {1.0f, 0, false},  {infinity, 0, true},  {1e-40f, 0, false},
            {0.2f, 100000000}, {0.01f, 0, true}, {-1.0f, 2, false}};
}
template <>
inline std::vector<riffle::dynamic_temperature> variants_of() {
    return {{0.8f, 0.5f, 1.0f},   {1.0f, 1.0f, 2.5f},   {0.7f, 0.0f, 1.0f},     {1.0f, 0.0f, 1.0f},
            {0.0f, 0.0f, 1.0f},   {-1.0f, 0.0f, 1.0f},  {1.5f, 3.0f, 1.0f},     {1.0f, 0.5f, 0.0f},
            {1.0f, 0.5f, -1.0f},  {-2.0f, 1.0f, 1.0f},  {1.2f, 1e-40f, 1.0f},   {1.0f, 3e38f, 1.0f},
            {1.0f, 1.0f, 1e30f},  {0.5f, 0.5f, -1e30f}, {infinity, 0.0f, 1.0f}, {1.1f, -1.0f, 1.0f},
            {3e38f, 3e38f, 1.0f}, {0.0f, 2.0f, 1.0f}};
}
template <>
inline std::vector<riffle::quadratic> variants_of() {
    return {{0.3f, 1.0f},  {0.2f, 1.5f},   {0.5f, 3.0f}, {0.05f, 0.0f}, {1.0f, 5.0f},  {0.0f, 1.0f},
            {-1.0f, 2.0f}, {1e-40f, 1.0f}, {1e6f, 1.0f}, {1e6f, -1e6f}, {1e-6f, 2.0f}, {0.3f, -2.0f}};
}
template <>
inline std::vector<riffle::xtc> variants_of() {
    return {{1.0f, 0.1f, 0, 0},
            {0.5f, 0.05f, 0, 7},
            {0.5f, 0.01f, 0, 9},
            {1.0f, 0.001f, 3, 1},
            {1.0f, 0.0f, 0, 0},
            {1.0f, -1.0f, 2, 0},
            {0.0f, 0.1f, 0, 0},
            {-1.0f, 0.1f, 0, 0},
            {1.0f, 0.50001f, 0, 0},
            {1.0f, 0.5f, 0, 0},
            {infinity, 0.02f, 100000000, 0},
            {1e-40f, 0.1f, 0, 3},
            {1.0f, 1e-40f, 0, 0},
            {0.9f, 1e-6f, 0, 77},
            {1.0f, infinity, 0, 0},
            {1.0f, 1e-12f, 0, 0},
            {1.0f, 0.001f, 3, 1, {0, 2, 5, 17}},
            {1.0f, 0.0f, 4, 1, {1, 3, 900}}};
}
template <>
inline std::vector<riffle::factual_nucleus> variants_of() {
    return {{0.9f, 0.9f, 0.3f, {5, 7}, 0}, {0.99f, 0.5f, 0.0f, {}, 0},  {0.8f, 1.0f, 0.3f, {1}, 2},
            {1.0f, 0.9f, 0.1f, {}, 0},     {1.3f, 0.99f, 1.0f, {}, 0},  {1.0f, 1.0f, 0.2f, {}, 0},
            {0.3f, 0.7f, 0.9f, {2}, 0},    {0.0f, 0.9f, -1.0f, {}, 3},  {-0.5f, 0.5f, -0.1f, {}, 0},
            {0.9f, 0.0f, 0.05f, {0}, 0},   {0.9f, 1e-40f, 0.0f, {}, 0}, {0.7f, 0.8f, 0.2f, {100000, -1}, 100000000},
            {0.9f, 0.9f, infinity, {}, 0}, {1e-40f, 0.5f, 0.0f, {}, 0}, {2.0f, 0.6f, 0.3f, {3}, 0}};
}
template <>
inline std::vector<riffle::skew> variants_of() {
    return {{0.0f, 42},  {1.0f, 0},  {-1.0f, 5},     {0.1f, 1},   {5.0f, 2},
            {-80.0f, 3}, {1e30f, 4}, {-infinity, 5}, {1e-40f, 6}, {3.0f, 0xffffffffffffffffu}};
}

// ---- selectors that learn

template <>
inline std::vector<riffle::mirostat> variants_of() {
    return {{5.0f, 0.1f, 100, 32000, 1},  {1.0f, 1.0f, 2, 1000, 2},  {3.0f, 0.5f, 10, 1, 3},
            {0.0f, 0.1f, 100, 2, 4},      {-5.0f, 0.1f, 5, 600, 5},  {1e6f, 0.1f, 50, 300, 6},
            {5.0f, -2.0f, 1000, 1000, 7}, {2.0f, 1e6f, 100, 256, 8}, {0.3f, 0.0f, 3, 2147483647, 9}};
}
template <>
inline std::vector<riffle::mirostat_v2> variants_of() {
    return {{5.0f, 0.1f, 1},  {1.0f, 1.0f, 2}, {0.0f, 0.1f, 3},  {-5.0f, 0.1f, 4}, {1e6f, 0.1f, 5},
            {3.0f, -2.0f, 6}, {2.0f, 1e6f, 7}, {-1e6f, 0.0f, 8}, {0.5f, 1e-40f, 9}};
}
template <>
inline std::vector<riffle::adaptive_p> variants_of() {
    return {{0.3f, 0.9f, 1},     {0.0f, 0.5f, 2},       {1.0f, 0.99f, 3},      {5.0f, 2.0f, 4},
            {-1.0f, 0.9f, 5},    {0.5f, 0.0f, 6},       {0.5f, -1.0f, 7},      {1e-40f, 1e-40f, 8},
            {infinity, 0.3f, 9}, {-infinity, 0.9f, 10}, {0.05f, infinity, 11}, {-1e-40f, 0.9f, 12}};
}

// ---- stages that change a few tokens

template <>
inline std::vector<riffle::dry> variants_of() {
    return {{0.8f, 1.75f, 2, 64, {}},
            {1.0f, 1.0f, 1, -1, {{3}}},
            {2.5f, 3.0f, 0, 8, {{5, 3}, {700}}},
            {-1.0f, 2.0f, 1, 5, {{1}, {1, 1}}},
            {3e38f, 3e38f, -3, -1, {}},
            {0.0f, 1.75f, 2, 64, {}},
            {1.0f, 0.99f, 1, 64, {}},
            {1.0f, 1.75f, 1, 0, {}},
            {1.0f, 1.75f, 1000, 64, {}},
            {1.0f, 1.5f, 1, 3, {{1, 5, 3, 5, 0, 700, 1, 1, 9}, {}, {-1}}},
            {-3e38f, 1e20f, 0, 100, {{5, 0, 700}}},
            {1e-40f, 1.75f, 1, 64, {}}};
}
template <>
inline std::vector<riffle::no_repeat_ngram> variants_of() {
    return {{3, -1},
            {1, -1},
            {2, -1},
            {2, 4},
            {1, 3},
            {0, -1},
            {-1, -1},
            {1, 0},
            {5, 4},
            {4, 1000},
            {std::numeric_limits<std::int32_t>::max(), -1}};
}
template <>
inline std::vector<riffle::banned_sequences> variants_of() {
    return {{{{{1, 2}}, {{1, 1, 4}}, {{7}}}},
            {{{{1, 0}, 2.0f}, {{0}, 1.5f}, {{}, 3.0f}, {{1, 1, 0}, -0.5f}, {{5, 1}, 100.0f}}},
            {{{{100000}, 1.0f}, {{-1}, 2.0f}, {{-1, 3}, 2.0f}, {{1, 100000}, 5.0f}}},
            {{{{1, 5, 3, 5, 0, 700, 1, 1, 2}, 9.0f}, {{9, 1, 5, 3, 5, 0, 700, 1, 1, 3}, 9.0f}}},
            {{{{4}, infinity}, {{5}, -infinity}, {{5}, infinity}, {{6}, 3e38f}, {{6}, 3e38f}, {{8}, 1e-40f}}},
            {}};
}
inline riffle::token_set ids_between(std::int32_t first, std::int32_t last, std::int32_t step) {
    riffle::token_set all;
    for (std::int32_t id = first; id < last; id += step) all.add(id);
    return all;
}
template <>
inline std::vector<riffle::allowed_tokens> variants_of() {
    return {{ids_between(0, 288000, 2)}, {{0, 3, 40, 77, 255, 256, 700, 30000}}, {{}},  {{-1, -5}},
            {ids_between(0, 288000, 1)}, {ids_between(31, 288000, 32)},          {{1}}, {{100000000}},
            {ids_between(0, 200, 1)}};
}
template <>
inline std::vector<riffle::min_tokens> variants_of() {
    return {{2, {0, 2, 5}}, {1, ids_between(0, 288000, 3)},
            {0, {0, 1}},    {-1, {0}},
            {1000000, {}},  {std::numeric_limits<std::int32_t>::max(), {1, 255, 256, 100000, -7}}};
}
template <>
inline std::vector<riffle::length_penalty> variants_of() {
    return {{0, 1.5f, {0, 2, 5}},
            {1, 0.5f, ids_between(0, 1000, 3)},
            {-3, 1.01f, {1, 300, 100000}},
            {0, 1.0f, {0, 1}},
            {1000, 2.0f, {0, 1}},
            {-1000, 3e38f, {0, 3, 7}},
            {0, 1e-40f * 1e3f, {0, 4}},
            {std::numeric_limits<std::int32_t>::min(), 1.5f, {2, 3}},
            {0, 2.0f, {}}};
}
template <>
inline std::vector<riffle::encoder_repetition> variants_of() {
    return {{1.3f, {0, 2, 5, 300}}, {0.5f, ids_between(0, 288000, 3)}, {1.0f, {0, 1}},
            {3e38f, {0, 1, 2, 3}},  {1.2e-38f, {0, 4, 100000}},        {2.0f, {}}};
}

// ---- stages that look at texts

/// Tokens of up to four letters of a few, so that many begin others: "", a, b, c, aa, ba, ...; `named` says what an id
/// is.
template <class Named>
riffle::vocabulary letters(std::int32_t size, std::string_view alphabet, Named named) {
    riffle::vocabulary v;
    for (std::int32_t id = 0; id < size; ++id) {
        std::string piece;
        for (auto rest = std::size_t(id); rest > 0; rest = (rest - 1) / alphabet.size())
            piece += alphabet[(rest - 1) % alphabet.size()];
        v.add(piece, named(id));
    }
    return v;
}
template <>
inline std::vector<riffle::infill> variants_of() {
    using riffle::token_role;
    static const riffle::vocabulary with_end_of_turn = [] {
        auto v = letters(700, "abc", [](std::int32_t id) {
            return id == 3 || id == 257 ? token_role::end_of_generation
                   : id % 9 == 8        ? token_role::control
                                        : token_role::text;
        });
        v.end_of_turn = 3;
        v.end_of_sequence = 257;
        return v;
    }();
    static const riffle::vocabulary with_end_of_sequence = [] {
        auto v = letters(500, "ab", [](std::int32_t id) {
            return id % 29 == 3 ? token_role::end_of_generation | token_role::control : token_role::text;
        });
        v.end_of_sequence = 3;
        return v;
    }();
    static const riffle::vocabulary without_end = letters(40, "abcdefg", [](std::int32_t) { return token_role::text; });
    static const riffle::vocabulary empty;
    return {{&with_end_of_turn}, {&with_end_of_sequence}, {&without_end}, {&empty}};
}
template <>
inline std::vector<riffle::phrase_ban> variants_of() {
    const auto text = [](std::int32_t) { return riffle::token_role::text; };
    static const riffle::vocabulary two = letters(1200, "ab", text), three = letters(1200, "aAb", text),
                                    same = letters(1200, "aAb", text), few = letters(9, "ab", text),
                                    without = letters(9, "ab", text);
    static const std::vector<riffle::phrase_ban> all{reference::ban_phrases(two, {"aab", "bb"}),
                                                     reference::ban_phrases(three, {"ABA", "baab", "aa", "", "aa"}),
                                                     reference::ban_phrases(same, {"aB", "Aa", "b", "abab"}, true),
                                                     reference::ban_phrases(few, {"ab", "babb", "c"}),
                                                     reference::ban_phrases(without, {}),
                                                     riffle::phrase_ban{}};
    return all;
}

}  // namespace riffle_tests
