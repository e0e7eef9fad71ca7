#pragma once
// The stages of riffle with ordinary parameters and with those at the limits of their meaning.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <riffle/riffle.hpp>

namespace riffle_tests {

inline constexpr float infinity = std::numeric_limits<float>::infinity();

template <class Stage>
std::vector<Stage> variants_of();

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
    return {{64, 1.1f, 0.0f, 0.0f}, {-1, 1.3f, 0.2f, 0.1f},  {4, 0.7f, -0.3f, 0.0f},   {0, 2.0f, 0.0f, 0.0f},
            {64, 1.0f, 0.0f, 0.0f}, {3, 2e-38f, 0.0f, 0.0f}, {200, 3e38f, 0.0f, 1.0f}, {64, 1.0f, 3e38f, 3e38f}};
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

}  // namespace riffle_tests
