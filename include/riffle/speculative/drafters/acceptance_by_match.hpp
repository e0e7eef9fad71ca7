#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/core/growing_array.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Learns how far drafts get, by the length of the match that they were copied from, and says how long they should be.
///
/// A token of a draft was *asked* where all before it were accepted. For matches of about one length, and places in the
/// draft of about one distance, it counts how many tokens were asked and how many of these accepted. Their share,
/// (accepted + 1) / (asked + 1), is the chance of a token that is asked: a Beta(1, 0) prior, so 1 where nothing is
/// known. The product of these chances is the chance that a draft reaches a place (the estimate of Kaplan and Meier,
/// 1958, which takes drafts that were cut short as what they are). Counts are halved from time to time, so it forgets.
class acceptance_by_match {
public:
    std::size_t bytes() const noexcept { return proposed_.bytes(); }
    /// Forgets everything; memory stays.
    void clear() noexcept {
        for (auto& of_match : counts_)
            for (counts& one : of_match) one = {};
        withdraw();
    }

    /// How many tokens to propose behind a match, at most so many. A token is worth it where a draft reaches it, that
    /// is where all before it are accepted, with a fair chance; so the first one always is, and goes on being learnt
    /// from.
    std::size_t length(std::size_t match, std::size_t most) const noexcept {
        const auto& of_match = counts_[group_of_match(match)];
        float reached = 1.0f;
        std::size_t i = 0;
        for (; i < most && reached >= fair_chance; ++i) reached *= of_match[group_of_place(i)].chance();
        return i;
    }
    /// A draft is proposed, its first `earlier` tokens by somebody else. It replaces the one before.
    void propose(std::span<const token_id> draft, std::size_t earlier, std::size_t match) noexcept {
        withdraw();
        if (!proposed_.append(draft.data(), draft.size())) return;
        earlier_ = earlier;
        match_ = match;
    }
    /// Nothing is proposed.
    void withdraw() noexcept {
        proposed_.clear();
        come_ = 0;
    }
    /// The text got this token.
    void accept(token_id token) noexcept {
        if (come_ >= proposed_.size()) return;
        const bool is_accepted = proposed_[come_] == token;
        if (come_ >= earlier_) counts_[group_of_match(match_)][group_of_place(come_ - earlier_)].learn(is_accepted);
        ++come_;
        if (!is_accepted) withdraw();
    }

private:
    /// Drafts end where fewer than so many would get.
    static constexpr float fair_chance = 0.05f;
    /// Counts are halved when so many were asked.
    static constexpr std::uint16_t most_asked = 64;

    struct counts {
        std::uint16_t asked = 0, accepted = 0;
        float chance() const noexcept { return float(accepted + 1) / float(asked + 1); }
        void learn(bool is_accepted) noexcept {
            ++asked;
            accepted = std::uint16_t(accepted + is_accepted);
            if (asked < most_asked) return;
            asked /= 2;
            accepted /= 2;
        }
    };

    /// 0, 1, 2, 3, 4, 5 to 6, 7 to 9, 10 to 14, 15 and more.
    static std::size_t group_of_match(std::size_t match) noexcept {
        return match < 5 ? match : match < 7 ? 5 : match < 10 ? 6 : match < 15 ? 7 : 8;
    }
    /// 0, 1, 2 to 3, 4 to 7, 8 to 15, 16 to 31, 32 to 63, 64 and more.
    static std::size_t group_of_place(std::size_t i) noexcept {
        return i < 64 ? std::size_t(32 - std::countl_zero(std::uint32_t(i))) : 7;
    }

    counts counts_[9][8];
    growing_array<token_id> proposed_;
    std::size_t earlier_ = 0;  ///< tokens of it that somebody else proposed
    std::size_t match_ = 0;
    std::size_t come_ = 0;  ///< tokens of it that the text got
};

}  // namespace riffle::detail
