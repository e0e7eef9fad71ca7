#pragma once
#include <cstddef>
#include <cstdint>

#include <riffle/core/draws.hpp>
#include <riffle/core/history.hpp>
#include <riffle/core/token_counts.hpp>

namespace riffle {

/// What a built-in stage may look at for one step besides its candidates: what was accepted, and where the draws stand.
class context {
public:
    /// `slots` holds token_counts::slots_for(the longest window).
    context(const history& tokens, const draw_position& at, token_counts::slot* slots) noexcept
        : tokens_(&tokens), at_(at), slots_(slots) {}

    const history& tokens() const noexcept { return *tokens_; }
    const draw_position& at() const noexcept { return at_; }

    /// Occurrences of tokens among the last `window` accepted, all of them for -1. The table lives in scratch, until
    /// the next call.
    token_counts count_recent(std::int32_t window) const noexcept {
        std::size_t n = tokens_->remembered();
        if (window >= 0 && std::size_t(window) < n) n = std::size_t(window);
        token_counts counts(slots_, token_counts::slots_for(n));
        for (std::size_t back = 0; back < n; ++back) counts.add(tokens_->recent(back).token);
        return counts;
    }

private:
    const history* tokens_;
    draw_position at_;
    token_counts::slot* slots_;
};

}  // namespace riffle
