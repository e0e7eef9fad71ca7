#pragma once
#include <algorithm>
#include <array>
#include <cstddef>

#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// How likely the token at a position of a draft is accepted where all before it were: of those that were *asked* so,
/// the accepted share. Products of these chances say how far drafts get, also where drafts were cut short (the estimate
/// of Kaplan and Meier, 1958).
class acceptance_by_position {
public:
    /// Positions that are counted apart; later ones share the last.
    static constexpr std::size_t positions = 64;

    /// What there is counts less from now on: `kept` of what it did.
    void fade(float kept) noexcept {
        for (counts& one : counts_) {
            one.asked = one.asked > nothing ? one.asked * kept : 0.0f;
            one.accepted = one.accepted > nothing ? one.accepted * kept : 0.0f;
        }
        counts& first = counts_[0];  // nothing could stand for it, so it never counts less than a token
        if (first.asked < 1.0f) first = {1.0f, first.accepted / first.asked};
    }
    /// So many tokens were accepted, and the next was refused or there was none.
    void learn(std::size_t accepted, bool is_refused) noexcept {
        for (std::size_t i = 0; i < accepted; ++i) at(i).learn(1.0f);
        if (is_refused) at(accepted).learn(0.0f);
    }
    /// The chance of a position. Where little is known of it, it is like the one before, whose chance is given; so what
    /// is not looked at for long becomes as promising as what is.
    double chance(std::size_t i, double of_one_before) const noexcept {
        const counts& one = counts_[(std::min)(i, positions - 1)];
        if (i == 0) return double(one.accepted) / double(one.asked);
        return (double(one.accepted) + of_one_before * double(doubt)) / (double(one.asked) + double(doubt));
    }

private:
    /// So many tokens count as little.
    static constexpr float doubt = 2.0f;
    /// As good as nothing. (Numbers that are much less are slow.)
    static constexpr float nothing = 1e-6f;
    /// So many of these are held for accepted before anything is known: enough for trying a drafter.
    static constexpr float accepted_at_first = 1.5f;

    struct counts {
        float asked = 0.0f, accepted = 0.0f;
        void learn(float is_accepted) noexcept {
            asked += 1.0f;
            accepted += is_accepted;
        }
    };
    counts& at(std::size_t i) noexcept { return counts_[(std::min)(i, positions - 1)]; }

    std::array<counts, positions> counts_{{{doubt, accepted_at_first}}};
};

}  // namespace riffle::detail
