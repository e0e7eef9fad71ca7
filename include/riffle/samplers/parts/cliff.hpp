#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <riffle/core/candidates.hpp>
#include <riffle/core/rank_sort.hpp>
#include <riffle/core/tuning.hpp>
#include <riffle/math/elementwise.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Where the logits of some candidates fall off, in the order of ranks: behind which rank the gap to the next, divided
/// by that rank, is greatest; of equal ones the first.
struct cliff {
    std::size_t rank = 1;  ///< how many stand above it
    float edge = 0.0f;     ///< the logit of the last of them
    float height = -1.0f;  ///< the gap divided by the rank; below 0 where there is but one candidate

    /// Looks at the gap between `above`, the last of `count` candidates, and the next.
    void look_at(std::size_t count, float above, float next) noexcept {
        const float gap = flushed(lanes<1>(above) - lanes<1>(next))[0];
        if (double(gap) <= double(height) * double(count)) return;  // a division takes longer
        const float relative = flushed(lanes<1>(gap / float(count)))[0];
        if (relative > height) *this = {count, above, relative};
    }

    /// Of legal candidates, at least one, which it may move, and whose p is lost. O(size): those alone are sorted whose
    /// gaps may be the greatest.
    static cliff of(candidates& c) noexcept {
        if (!c.sorted && c.size > tuning::cliff_in_order) return in_steps(c);
        sort_without_p(c);
        cliff found{1, c[0].logit, -1.0f};
        for (std::size_t i = 1; i < c.size; ++i) found.look_at(i, c[i - 1].logit, c[i].logit);
        return found;
    }

private:
    /// The candidates of one bucket of a histogram of logits.
    struct step {
        std::uint32_t count = 0, above = 0;  ///< how many, and how many stand above them
        float least = greatest_logit, greatest = illegal_logit;
        bool is_looked_into = false;

        /// Whether a gap within it may be of that height: none is greater than what it spans, by its first rank.
        bool may_reach(float wanted) const noexcept {
            const float span = flushed(lanes<1>(greatest) - lanes<1>(least))[0];
            return span > 0.0f && flushed(lanes<1>(span / float(above + 1)))[0] >= wanted;
        }
    };

    /// Looks into those buckets alone that may hold it.
    RIFFLE_NOINLINE static cliff in_steps(candidates& c) noexcept {
        float least = c[0].logit, greatest = least;
        for (const auto& token : c) {
            least = token.logit < least ? token.logit : least;
            greatest = token.logit > greatest ? token.logit : greatest;
        }
        constexpr std::size_t most = tuning::buckets_of_cliff;
        const float low = 0.5f * least, width = 0.5f * greatest - low;  // halves, whose distance is a float
        const float scale = float(most - 1) / (width > 0x1p-117f ? width : 0x1p-117f);
        const auto place_of = [low, scale](float logit) {  // falls as the logit rises
            const auto place = std::int32_t((0.5f * logit - low) * scale);
            return std::size_t((std::max)(std::int32_t(most) - 1 - place, 0));
        };
        step steps[most];
        for (const auto& token : c) {
            step& s = steps[place_of(token.logit)];
            ++s.count;
            s.least = token.logit < s.least ? token.logit : s.least;
            s.greatest = token.logit > s.greatest ? token.logit : s.greatest;
        }

        cliff between;
        float last = greatest;
        std::uint32_t above = 0;
        for (step& s : steps) {
            if (s.count == 0) continue;
            if (above > 0) between.look_at(above, last, s.greatest);
            s.above = above;
            above += s.count;
            last = s.least;
        }
        for (step& s : steps) s.is_looked_into = s.count > 0 && s.may_reach(between.height);

        candidates looked_at{c.data, 0, -1, false};
        for (auto& token : c)
            if (steps[place_of(token.logit)].is_looked_into) std::swap(token, looked_at.data[looked_at.size++]);
        sort_without_p(looked_at);

        cliff found{1, greatest, 0.0f};
        const token_data* next = c.data;
        for (const step& s : steps) {
            if (s.count == 0) continue;
            if (s.above > 0) found.look_at(s.above, last, s.greatest);
            last = s.least;
            if (!s.is_looked_into) continue;
            for (std::uint32_t i = 1; i < s.count; ++i) found.look_at(s.above + i, next[i - 1].logit, next[i].logit);
            next += s.count;
        }
        return found;
    }
};

}  // namespace riffle::detail
