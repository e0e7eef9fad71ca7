#pragma once
#include <cstdint>

#include <riffle/core/facts.hpp>
#include <riffle/math/elementwise.hpp>

namespace riffle {

/// Draws with a skewed random number: u becomes u^exp(-amount), and the token is the one in which the running share of
/// the mass, in the order of ranks, reaches past it. (turboderp, exllamav2.) A selector.
///
/// `amount` > 0 moves mass to less likely tokens, < 0 to likelier ones, 0 = as likely as in dist; beyond +-80 counts as
/// that; NaN is an error. `seed` as in dist. u has 24 bits, so a token of a share below 2^-24 may never be drawn.
///
/// It needs the candidates in order: put it behind a stage that narrows.
struct skew {
    float amount = 0.0f;
    std::uint64_t seed = 0;

    static constexpr const char* name = "skew";
    static constexpr std::uint8_t kind = stream_kind::skew;
    static constexpr facts fact{.needs_sorted = true, .keeps_sorted = true, .draws = true, .selects = selecting::own};

    void apply(candidates& c, const draws& random) const noexcept {
        c.selected = -1;
        c.keep_legal();
        if (c.empty()) return;
        const std::uint64_t total = c.weigh(c[0].logit);
        std::uint64_t target = share_of(skewed(random.bits()), total);
        std::size_t i = 0;
        while (i + 1 < c.size && target >= candidates::weight(c[i])) target -= candidates::weight(c[i++]);
        while (candidates::weight(c[i]) == 0) --i;  // the first weighs something
        c.selected = std::int64_t(i);
    }

    status check() const noexcept {
        return amount == amount ? status() : status::invalid(name, "amount", double(amount), "is not a number");
    }

private:
    float skewed(std::uint64_t bits) const noexcept {
        const float u = (float(std::uint32_t(bits >> 40)) + 0.5f) * 0x1p-24f;  // 0 < u < 1
        if (amount == 0.0f) return u;
        const float bounded = amount > -80.0f ? (amount < 80.0f ? amount : 80.0f) : -80.0f;
        return exp(log(lanes<1>(u)) * exp(lanes<1>(-bounded)))[0];
    }
};

}  // namespace riffle
