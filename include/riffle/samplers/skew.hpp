#pragma once
#include <algorithm>
#include <cstdint>

#include <riffle/core/facts.hpp>
#include <riffle/core/prefix.hpp>
#include <riffle/core/rank_sort.hpp>
#include <riffle/math/elementwise.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Draws with a skewed random number: u becomes u^exp(-amount), and the token is the one in which the running share of
/// the mass, in the order of ranks, reaches past it. (turboderp, exllamav2.) A selector.
///
/// `amount` > 0 moves mass to less likely tokens, < 0 to likelier ones, 0 = as likely as in dist; beyond ±80 counts as
/// that; NaN is an error. `seed` as in dist. u has 23 bits, so a token of a share below 2^-23 may never be drawn.
///
/// It makes a candidate for every token of a row, so put it behind a stage that narrows. No sort: O(candidates).
struct skew {
    float amount = 0.0f;     ///< above 0 towards less likely tokens, below 0 towards likelier ones; 0 as dist
    std::uint64_t seed = 0;  ///< of the draws; any

    static constexpr const char* name = "skew";
    static constexpr std::uint8_t kind = stream_kind::skew;
    static constexpr facts fact{.keeps_sorted = true, .draws = true, .selects = selecting::own};

    void apply(candidates& c, const draws& random) const noexcept {
        c.selected = -1;
        c.keep_legal();
        const std::size_t best = c.greatest();
        if (best == c.size) return;
        const std::uint64_t total = c.weigh(c[best].logit);
        const std::uint64_t target = (std::min)(share_of(skewed(random.bits()), total), total - 1);
        const auto weight = [](const token_data& token) { return candidates::weight(token); };
        const std::uint64_t last = end_of_prefix(c, rank_key, weight, target);
        for (std::size_t i = 0; i < c.size && c.selected < 0; ++i)
            if (rank_key(c[i]) == last) c.selected = std::int64_t(i);
    }

    /// The distribution it draws from: u^exp(-amount) lies below a share c as often as u lies below c^exp(amount).
    void prepare(candidates& c) const noexcept {
        c.keep_legal();
        if (c.empty()) return;
        sort_without_p(c);
        const std::uint64_t total = c.weigh(c[0].logit);
        const lanes<1> power = exp(lanes<1>(bounded_amount()));
        std::uint64_t reached = 0;
        for (auto& token : c) {
            const std::uint64_t weight = candidates::weight(token);
            reached += weight;
            token.logit = weight ? log_share(weight, reached, total, power) : illegal_logit;
        }
        c.sorted = false;
    }

    status(check)() const noexcept {
        return amount == amount ? status() : status::invalid(name, "amount", double(amount), "is not a number");
    }

private:
    float bounded_amount() const noexcept { return amount > -80.0f ? (amount < 80.0f ? amount : 80.0f) : -80.0f; }
    float skewed(std::uint64_t bits) const noexcept {
        const float u = float(std::uint32_t(2 * (bits >> 41) + 1)) * 0x1p-24f;  // 0 < u < 1, exact
        if (flushed(amount) == 0.0f) return u;
        return exp(log(lanes<1>(u)) * exp(lanes<1>(-bounded_amount())))[0];
    }

    /// The log of c^power - b^power, where c = reached / total and b = (reached - weight) / total. Written as
    /// power · log c + log(1 - (b / c)^power), since the difference would lose the digits of a small share.
    static float log_share(std::uint64_t weight, std::uint64_t reached, std::uint64_t total,
                           const lanes<1>& power) noexcept {
        lanes<1> log_of(0.0f);
        if (reached < total) log_of = -(power * minus_log_complement(ratio(total - reached, total)));
        if (weight < reached)
            log_of = log_of + log_complement_of_exp(power * minus_log_complement(ratio(weight, reached)));
        return canonical(log_of)[0];
    }
    static lanes<1> ratio(std::uint64_t part, std::uint64_t whole) noexcept {
        return lanes<1>(float(double(part) / double(whole)));
    }
    /// log(1 - exp(-y)) for y > 0.
    static lanes<1> log_complement_of_exp(const lanes<1>& y) noexcept {
        if (y[0] < 0x1p-10f) return log(y * (lanes<1>(1.0f) - lanes<1>(0.5f) * y));
        return y[0] < 80.0f ? -minus_log_complement(exp(-y)) : lanes<1>(0.0f);
    }
};

}  // namespace riffle
