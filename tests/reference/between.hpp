#pragma once
// What stands between two stages, and what a stage may look at.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference/arithmetic.hpp"

namespace riffle_tests::reference {

struct candidate {
    std::int32_t id;
    float logit;
};

/// What was accepted: a token, and whether as generated or as a prompt's.
struct accepted_token {
    std::int32_t id;
    bool generated;
    friend bool operator==(const accepted_token&, const accepted_token&) = default;
};

/// What a stage has learnt from the tokens accepted so far; each uses its own.
struct learnt {
    float drift = 0.0f;               ///< mirostat: of mu, from 2 tau
    float sum = 0.0f, weight = 0.0f;  ///< adaptive_p: of probabilities, and of what each counts; none yet
    struct ban {
        std::vector<accepted_token> before;  ///< the place: all that was accepted before it
        std::int32_t token;
    };
    std::vector<ban> bans{};               ///< phrase_ban: oldest first
    std::int64_t length = 0, longest = 0;  ///< of its text: tokens less those it took back
    int times_back = 0;                    ///< since the text was longest
};

/// What a selector chose last, and the probability that it had.
struct choice {
    std::int32_t token = -1;
    float p = 0.0f;
};

/// What a stage may look at besides its candidates.
struct situation {
    std::vector<std::int32_t> accepted{};  ///< oldest first, prompt included
    draw_place at{};
    std::vector<char> generated{};  ///< of each accepted token, whether it was generated
    std::vector<learnt> kept{};     ///< by stage
    mutable choice chosen{};        ///< by the last run, if nothing was accepted since
    // which stage is asked
    std::size_t stage = 0;
    std::uint16_t occurrence = 0;  ///< how many of its type stand ahead of it

    learnt kept_here() const { return stage < kept.size() ? kept[stage] : learnt{}; }
    std::vector<accepted_token> text() const {
        std::vector<accepted_token> all;
        for (std::size_t i = 0; i < accepted.size(); ++i) all.push_back({accepted[i], generated[i] != 0});
        return all;
    }
    /// The newest `last_n` accepted tokens, oldest first; all for a negative number.
    std::vector<std::int32_t> window(std::int32_t last_n) const {
        std::size_t n = accepted.size();
        if (last_n >= 0) n = std::min(n, std::size_t(last_n));
        return {accepted.end() - std::ptrdiff_t(n), accepted.end()};
    }
};

/// Candidates between two stages.
struct state_between {
    std::vector<candidate> left{};
    std::int32_t token = -1;  ///< what a selector chose
    std::uint64_t mass = 0;   ///< S, where the selector is dist
    float p = 0.0f;           ///< of the token, where the selector says so
};

inline bool by_rank(const candidate& a, const candidate& b) {
    if (a.logit != b.logit) return a.logit > b.logit;
    return a.id < b.id;
}
inline void sort_by_rank(std::vector<candidate>& c) { std::stable_sort(c.begin(), c.end(), by_rank); }
inline void drop_illegal(std::vector<candidate>& c) {
    std::vector<candidate> legal;
    for (const candidate& one : c)
        if (one.logit != minus_infinity) legal.push_back(one);
    c = legal;
}
inline void keep_first(std::vector<candidate>& c, std::size_t n) {
    if (n < c.size()) c.erase(c.begin() + std::ptrdiff_t(n), c.end());
}
inline std::uint32_t weight(const candidate& c, float maximum) { return fixed_mass(rounded(c.logit - maximum)); }

/// A parameter, or its reciprocal: denormals count as 0.
inline float parameter(float value) { return (bits_of(value) & 0x7f800000u) == 0 ? 0.0f : value; }

}  // namespace riffle_tests::reference
