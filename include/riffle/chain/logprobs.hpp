#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <riffle/core/candidates.hpp>
#include <riffle/core/rank_sort.hpp>
#include <riffle/core/token.hpp>
#include <riffle/math/elementwise.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Whether logprobs are wanted before or after the chain.
enum class logprobs_of { before, after };
RIFFLE_LOCAL inline constexpr logprobs_of before = logprobs_of::before;
RIFFLE_LOCAL inline constexpr logprobs_of after = logprobs_of::after;

namespace detail {

/// In the order of ranks, p normalised, and nobody selected.
inline void make_distribution(candidates& c) noexcept {
    c.sort();
    c.selected = -1;
    c.normalise();
}
/// The n first in rank, in order, with their shares of `total` in p. `maximum` is the greatest logit.
inline void make_distribution(candidates& c, std::size_t n, float maximum, std::uint64_t total) noexcept {
    c.keep_greatest(n);
    sort_without_p(c);
    c.weigh(maximum);
    for (auto& token : c) token.p = float(double(candidates::weight(token)) / double(total));
    c.selected = -1;
}

/// In place: eight bytes where there were twelve, so going forward overwrites nothing unread.
inline std::span<const token_logprob> to_logprobs(candidates& c, std::size_t n, float maximum,
                                                  std::uint64_t total) noexcept {
    c.keep_greatest(n);
    c.sort();
    const float log_total = log(lanes<1>(float(double(total) * 0x1p-30)))[0];
    auto* out = reinterpret_cast<std::byte*>(c.data);
    for (std::size_t i = 0; i < c.size; ++i) {
        const token_logprob entry{c[i].id, (c[i].logit - maximum) - log_total};
        std::memcpy(out + i * sizeof entry, &entry, sizeof entry);
    }
    const std::size_t size = c.size;
    c.size = 0;
    return {reinterpret_cast<const token_logprob*>(out), size};
}

}  // namespace detail
}  // namespace riffle
