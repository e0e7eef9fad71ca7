#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/core/row.hpp>
#include <riffle/samplers/soft_cap.hpp>
#include <riffle/samplers/temperature.hpp>
#include <riffle/wide/fused_maps.hpp>

#include "integers.hpp"
#include "lane_widths.hpp"
#include "not_a_number.hpp"

namespace riffle_tests {

inline constexpr float inf = std::numeric_limits<float>::infinity();
inline constexpr float lowest = std::numeric_limits<float>::lowest();

enum class family {
    random,
    peaked,
    tied,
    equal,
    ascending,
    descending,
    illegal,
    blocks_illegal,
    tiny,
    nan,
    all_illegal
};
inline constexpr family families[] = {family::random,    family::peaked,     family::tied,       family::equal,
                                      family::ascending, family::descending, family::illegal,    family::blocks_illegal,
                                      family::tiny,      family::nan,        family::all_illegal};
inline constexpr const char* family_names[] = {"random",  "peaked",         "tied", "equal", "ascending",  "descending",
                                               "illegal", "blocks illegal", "tiny", "nan",   "all illegal"};

inline std::vector<float> logits_of(family f, std::size_t size) {
    integers random(100 * size + std::size_t(f));
    std::vector<float> logits(size);
    for (std::size_t i = 0; i < size; ++i) {
        float& l = logits[i];
        switch (f) {
        case family::random: l = random.real(-9, 9); break;
        case family::peaked: l = random.below(50) == 0 ? random.real(0, 25) : random.real(-30, -10); break;
        case family::tied: l = float(random.between(-3, 3)); break;
        case family::equal: l = -2.75f; break;
        case family::ascending: l = float(i) * 0x1p-11f - 4.0f; break;
        case family::descending: l = 4.0f - float(i) * 0x1p-11f; break;
        case family::illegal: l = random.below(3) ? -inf : random.real(-9, 9); break;
        case family::blocks_illegal: l = i / 256 % 3 != 1 ? -inf : random.real(-9, 9); break;
        case family::tiny: l = std::bit_cast<float>((random.below(2) << 31) | random.below(0x01000000u)); break;
        case family::nan: l = random.below(5) ? random.real(-9, 9) : not_a_number; break;
        case family::all_illegal: l = random.below(2) ? -inf : not_a_number; break;
        }
    }
    return logits;
}

/// A row with the memory it needs, and its block maxima by a plain loop. An edited one was given other logits, far
/// above and below, in some places.
struct stored_row {
    explicit stored_row(std::vector<float> values, bool edited = false)
        : logits(std::move(values)), blocks(riffle::block_count(logits.size())), copies(blocks.size() * 256),
          block_maxima(blocks.size() + 16, -inf) {
        r.assign(logits, blocks.data(), copies.data());
        if (edited) edit();
        for (std::size_t i = 0; i < logits.size(); ++i)
            if (logits[i] > block_maxima[i / 256]) block_maxima[i / 256] = logits[i];
    }
    std::vector<float> logits;
    std::vector<const float*> blocks;
    std::vector<float> copies;
    std::vector<float> block_maxima;
    riffle::detail::row r;

private:
    void edit() {
        constexpr float others[] = {50.0f, -inf, -50.0f, inf, 0.0f, lowest};
        std::vector<std::size_t> ids{255, 256, 511, 0};
        for (std::size_t id = 40; id < logits.size(); id += 331) ids.push_back(id);
        given_ = logits;
        for (std::size_t i = 0; i < ids.size(); ++i)
            if (ids[i] < logits.size()) given_[ids[i]] = others[i % std::size(others)];
        r.assign(given_, blocks.data(), copies.data(), &edits_);
        for (const std::size_t id : ids)
            if (id < logits.size()) r.at(id) = logits[id];
    }
    std::vector<float> given_;
    riffle::detail::kept_edits edits_;
};

inline constexpr std::size_t sizes[] = {1, 255, 256, 257, 4096 + 3, 32000};

/// Calls f with rows of every family and size, and two long ones; with each as it was given, and edited.
template <class F>
void each_row(F f) {
    const auto call = [&](family which, std::size_t size) {
        for (const bool edited : {false, true}) {
            SCOPED_TRACE(testing::Message() << family_names[std::size_t(which)] << ", " << size << " logits"
                                            << (edited ? ", edited" : ""));
            stored_row row(logits_of(which, size), edited);
            f(row);
        }
    };
    for (const auto which : families)
        for (const auto size : sizes) call(which, size);
    call(family::random, 262144);
    call(family::tied, 65536 + 1);
}

// Maps as passes take them (fold), beside what they mean: stage by stage, one float at a time.

inline float staged(float logit) { return riffle::canonical(logit); }
template <class... Rest>
float staged(float logit, const riffle::temperature& first, const Rest&... rest);
template <class... Rest>
float staged(float logit, const riffle::soft_cap& first, const Rest&... rest) {
    float l = riffle::canonical(logit);
    if (l > -inf) l = first.cap * riffle::tanh(riffle::lanes<1>(l * (1.0f / first.cap)))[0];
    return staged(l, rest...);
}
template <class... Rest>
float staged(float logit, const riffle::temperature& first, const Rest&... rest) {
    float l = riffle::canonical(logit);
    if (l > -inf) l = l * (1.0f / first.t);
    return staged(l, rest...);
}

template <class... Stages>
struct maps {
    explicit maps(const Stages&... s) : fused_maps(s...), one([=](float l) { return staged(l, s...); }) {}
    riffle::fused_maps<Stages...> fused_maps;
    std::function<float(float)> one;
};
template <>
struct maps<> {
    riffle::fused_maps<> fused_maps;
    std::function<float(float)> one = [](float l) { return staged(l); };
};

/// Calls f with no map, one that keeps the order and merges neighbours, one that makes all equal, and two that go one
/// after the other.
template <class F>
void each_map(F f) {
    {
        SCOPED_TRACE("no map");
        f(maps<>());
    }
    {
        SCOPED_TRACE("temperature 1.5");
        f(maps<riffle::temperature>({.t = 1.5f}));
    }
    {
        SCOPED_TRACE("temperature inf");
        f(maps<riffle::temperature>({.t = inf}));
    }
    {
        SCOPED_TRACE("temperature 0.7, soft_cap 5");
        f(maps<riffle::temperature, riffle::soft_cap>({.t = 0.7f}, {.cap = 5.0f}));
    }
}

/// The mapped row.
template <class Maps>
std::vector<float> mapped(const stored_row& row, const Maps& m) {
    std::vector<float> all;
    for (const float l : row.logits) all.push_back(m.one(l));
    return all;
}
inline float greatest(const std::vector<float>& logits) {
    float m = -inf;
    for (const float l : logits)
        if (l > m) m = l;
    return m;
}

}  // namespace riffle_tests
