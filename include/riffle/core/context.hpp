#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/core/draws.hpp>
#include <riffle/core/history.hpp>
#include <riffle/core/token_counts.hpp>
#include <riffle/core/token.hpp>
#include <riffle/core/token_set.hpp>

namespace riffle::inline RIFFLE_ABI {

/// What a built-in stage may look at for one step besides its candidates: what was accepted, and where the draws stand.
class context {
public:
    /// `counted` holds token_counts::slots_for(the longest window), `lengths` as many as that window.
    context(const history& tokens, const draw_position& at, token_counts::slot* counted,
            std::int32_t* lengths = nullptr, std::span<std::byte> spare = {}) noexcept
        : tokens_(&tokens), at_(at), slots_(counted), lengths_(lengths), spare_(spare) {}

    /// What the chain has accepted, newest last.
    const history& tokens() const noexcept { return *tokens_; }
    /// Where the chain's draws stand.
    const draw_position& at() const noexcept { return at_; }

    /// Occurrences of tokens among the last `window` accepted, all of them for -1. The table lives in scratch, until
    /// the next call.
    token_counts count_recent(std::int32_t window) const noexcept {
        const std::size_t n = tokens_in_window(window);
        tokens_->fetch_recent(n);
        token_counts counts = empty_counts(n);
        tokens_->each_recent(n, [&](token_id token) { counts.add(token); });
        return counts;
    }

    /// Occurrences among the last `window` accepted, those of a set left out.
    token_counts count_recent(std::int32_t window, const token_set& but) const noexcept {
        const std::size_t n = tokens_in_window(window);
        token_counts counts = empty_counts(n);
        tokens_->each_recent(n, [&](token_id token) {
            if (!but.contains(token)) counts.add(token);
        });
        return counts;
    }

    /// How many accepted tokens are in a window; -1 = all that are remembered.
    std::size_t tokens_in_window(std::int32_t window) const noexcept {
        const std::size_t n = tokens_->remembered();
        return window >= 0 && std::size_t(window) < n ? std::size_t(window) : n;
    }
    /// An empty table for up to n tokens, in the same memory.
    token_counts empty_counts(std::size_t n) const noexcept { return {slots_, token_counts::slots_for(n)}; }
    /// Room for a number beside each token of the longest window.
    std::int32_t* lengths() const noexcept { return lengths_; }
    /// As many bytes as the stages asked for (stage_ops::spare_bytes).
    std::span<std::byte> spare() const noexcept { return spare_; }
    /// Under numerics::llama: the token that a selector which changes with its choice takes instead of the one it
    /// draws; null_token where it takes that.
    token_id taken() const noexcept { return taken_; }
    /// From now on taken() is this token.
    void take(token_id token) noexcept { taken_ = token; }

private:
    const history* tokens_;
    draw_position at_;
    token_counts::slot* slots_;
    std::int32_t* lengths_;
    std::span<std::byte> spare_;
    token_id taken_ = null_token;
};

}  // namespace riffle
