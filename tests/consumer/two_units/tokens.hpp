#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <riffle/riffle.hpp>

constexpr int steps = 200;
using tokens = std::array<riffle::token_id, steps>;

tokens plain_tokens();
tokens native_tokens();

namespace {

// Internal to each unit on purpose: the chain below is compiled with the flags of both.
[[maybe_unused]] tokens draw_tokens() {
    using namespace riffle;
    auto narrow =
        chain(penalties{.repeat = 1.1f}, temperature{.t = 0.8f}, top_k{.k = 40}, top_p{.p = 0.95f}, dist{.seed = 7});
    auto wide = chain(temperature{.t = 1.3f}, min_p{.p = 0.02f}, dist{.seed = 8});

    tokens drawn{};
    std::vector<float> row(5000);
    std::uint32_t noise = 1;
    for (int step = 0; step < steps; ++step) {
        for (float& logit : row) {
            noise = noise * 1664525u + 1013904223u;
            logit = static_cast<float>(noise >> 16) / 4096.0f - 8.0f;
        }
        drawn[static_cast<std::size_t>(step)] = step % 2 == 0 ? narrow.sample(row) : wide.sample(row);
    }
    return drawn;
}

}  // namespace
