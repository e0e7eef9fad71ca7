#pragma once
// A user's own stages, one for each verb of the protocol.

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include <riffle/riffle.hpp>

namespace riffle_tests {

/// apply: drops odd ids.
struct keep_even {
    void apply(riffle::candidates& c) const noexcept {
        c.keep_if([](const riffle::token_data& token) { return token.id % 2 == 0; });
    }
};

/// apply with draws, choosing: the candidate of a random rank. (Without needs_sorted the order of candidates is open.)
struct lottery {
    static constexpr bool selects = true;
    static constexpr bool needs_sorted = true;
    std::uint64_t seed = 0;
    void apply(riffle::candidates& c, const riffle::draws& random) const noexcept {
        c.selected = c.empty() ? -1 : std::int64_t(random.bits() % c.size);
    }
};

/// apply with draws, not choosing: swaps the luck of tokens whose id has the parity of a random bit.
struct shaken {
    float strength = 1.0f;
    void apply(riffle::candidates& c, const riffle::draws& random) const noexcept {
        const auto parity = std::int32_t(random.bits(1) & 1);
        for (auto& token : c)
            if (token.id % 2 == parity) token.logit += strength;
    }
};

/// A map without parameters that rises and falls: -x above 0.
struct folded_over {
    template <class V>
    static V map(const V& logit) noexcept {
        return select(logit > V(0.0f), V(0.0f) - logit, logit);
    }
};

/// A map without parameters that never falls.
struct stretched {
    static constexpr bool monotone = true;
    template <class V>
    static V map(const V& logit) noexcept {
        return select(logit > V(1.0f), logit * V(1.7f) - V(0.7f), logit);
    }
};

/// A map with parameters that never falls: (x - middle) / width, as products.
struct centred {
    static constexpr bool monotone = true;
    float middle = 0.5f, width = 1.3f;
    std::array<float, 2> parameters() const noexcept { return {middle, 1.0f / width}; }
    template <class V>
    static V map(const V& logit, const std::array<V, 2>& p) noexcept {
        return (logit - p[0]) * p[1];
    }
};

/// A map that the compiler can run.
struct slanted {
    static constexpr bool monotone = true;
    float slope = 0.5f;
    std::array<float, 1> parameters() const noexcept { return {slope}; }
    template <class V>
    static constexpr V map(const V& logit, const std::array<V, 1>& p) noexcept {
        return select(logit > V(0.0f), logit, logit * p[0]);
    }
};
/// A map with a parameter that rises and falls.
struct bowl {
    float lowest = 0.25f;
    std::array<float, 1> parameters() const noexcept { return {lowest}; }
    template <class V>
    static V map(const V& logit, const std::array<V, 1>& p) noexcept {
        const V distance = logit - p[0];
        return distance * distance;
    }
};

/// A map that makes infinities and NaN of what it is given: 1 / (x - 1) by way of riffle's reciprocal would not, a
/// product of great numbers does.
struct overflowing {
    template <class V>
    static V map(const V& logit) noexcept {
        const V great = logit * V(3e38f);
        return great - great * V(2.0f);  // inf - inf is NaN
    }
};

/// A map that divides. It would never fall, but for its rounding.
struct softened {
    float softness = 0.3f;
    std::array<float, 1> parameters() const noexcept { return {softness}; }
    template <class V>
    static V map(const V& logit, const std::array<V, 1>& p) noexcept {
        return logit / (V(1.0f) + riffle::absolute(logit) * p[0]);
    }
};

/// A map that divides by whatever there is, 0 and infinities among it.
struct inverted {
    template <class V>
    static V map(const V& logit) noexcept {
        return V(1.0f) / logit - logit / V(3.0f);
    }
};

/// edits
struct favours {
    std::vector<riffle::logit_bias_entry> entries;
    std::span<const riffle::logit_bias_entry> edits() const noexcept { return entries; }
};

/// bias
struct every_fourth {
    float bonus = 2.0f;
    float bias(riffle::token_id id) const noexcept { return id % 4 == 3 ? bonus : 0.0f; }
};

/// accept that returns nothing, and reset: penalises what came last, more so when it repeats.
struct weary {
    riffle::token_id last = riffle::null_token;
    std::int32_t repeated = 0;
    float bias(riffle::token_id id) const noexcept { return id == last ? -1.0f - float(repeated) : 0.0f; }
    void accept(riffle::token_id token) noexcept {
        repeated = token == last ? repeated + 1 : 0;
        last = token;
    }
    void reset() noexcept { *this = weary{}; }
};

/// accept that returns a step: finishes after so many tokens, refuses one, wants another taken back.
struct director {
    std::int32_t limit = 5, refused = 1000, unsaid = 2000;
    std::int32_t seen = 0;
    void apply(riffle::candidates&) const noexcept {}
    riffle::step accept(riffle::token_id token) noexcept {
        ++seen;
        riffle::step s;
        if (token == refused) s.state = riffle::status::failed(riffle::status_code::stage_failed, "director");
        s.rewind = token == unsaid ? 2 : 0;
        s.finished = seen >= limit;
        return s;
    }
    void reset() noexcept { seen = 0; }
};

/// State that is not trivially copyable, with a mark of its own: bans what occurred an odd number of times.
struct odd_ones_out {
    std::vector<riffle::token_id> tokens;
    void apply(riffle::candidates& c) const noexcept {
        for (auto& token : c) {
            std::size_t count = 0;
            for (const auto id : tokens) count += id == token.id;
            if (count % 2 == 1) token.logit = -std::numeric_limits<float>::infinity();
        }
    }
    void accept(riffle::token_id token) noexcept { tokens.push_back(token); }
    void reset() noexcept { tokens.clear(); }
    std::uint32_t mark() const noexcept { return std::uint32_t(tokens.size()); }
    void rollback(std::uint32_t size) noexcept { tokens.resize(size); }
};

}  // namespace riffle_tests
