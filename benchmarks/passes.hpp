#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <riffle/riffle.hpp>

// The passes over a row by themselves, as the benchmarks of tricks and of lane widths call them.

namespace passes {

using namespace riffle;

inline constexpr float lowest = std::numeric_limits<float>::lowest();

/// A row, and the memory that the passes over it take.
struct prepared {
    explicit prepared(std::vector<float> given)
        : logits(std::move(given)), blocks(block_count(logits.size())), copies(blocks.size() * block_size),
          block_maxima(blocks.size() + 16), edited_maxima(blocks.size() + 16),
          no_maxima(blocks.size() + 16, greatest_logit), groups((blocks.size() + 1) * 16), masses(blocks.size()),
          bins(wide::buckets::count), tokens(copies.size()) {
        assign();
        maximum = find_max();
    }
    void assign(detail::kept_edits* kept = nullptr) { r.assign(logits, blocks.data(), copies.data(), kept); }
    float find_max(float* into_groups = nullptr) { return wide::find_max(r, block_maxima.data(), into_groups).logit; }
    candidates found_above(float cut, const std::vector<float>& with_maxima) {
        return {tokens.data(), wide::find_above(r, with_maxima.data(), 0, r.blocks(), cut, tokens.data()), -1, false};
    }
    std::uint64_t mass(float cut, const std::vector<float>& with_maxima) {
        return wide::find_mass<false>(r, with_maxima.data(), cut, fused_maps<>{}, maximum, masses.data());
    }

    std::vector<float> logits;
    std::vector<const float*> blocks;
    std::vector<float> copies, block_maxima, edited_maxima, no_maxima, groups;
    std::vector<std::uint64_t> masses, bins;
    std::vector<token_data> tokens;
    detail::kept_edits edits;
    detail::row r;
    float maximum = 0.0f;
};

/// As the machine's maps where there are none.
struct unmapped {
    float maximum;
    void map(std::span<token_data>) const {}
    float mapped_maximum() const { return maximum; }
    float raw_cut(float target) const { return wide::raw_cut((std::min)(target, maximum)); }
};

}  // namespace passes
