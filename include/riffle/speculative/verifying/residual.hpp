#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/chain/weighed.hpp>
#include <riffle/core/growing_array.hpp>
#include <riffle/core/token_weight.hpp>
#include <riffle/speculative/drafts/draft_laws.hpp>
#include <riffle/speculative/verifying/weight_scale.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// What is left of a chain's law when the laws that rejected tokens were drawn from are taken off it: the residual, in
/// integers. It refers to the chain's law as weighed does, and keeps its own memory.
class residual {
public:
    /// Nothing is taken yet.
    void begin(const weighed& law) noexcept {
        law_ = &law;
        taken_.clear();
        total_ = law.total();
    }
    /// What the weights left come to.
    std::uint64_t total() const noexcept { return total_; }
    /// What is left of a token's weight.
    std::uint64_t weight(token_id token) const noexcept {
        const std::uint64_t all = law_->weight(token);
        const auto at = std::lower_bound(taken_.begin(), taken_.end(), token_weight{token, 0}, by_token);
        return at == taken_.end() || at->token != token ? all : all - (std::min)(all, at->weight);
    }
    /// A token drawn by what is left.
    token_id pick(std::uint64_t random) const noexcept {
        const token_id token = law_->pick_without(taken(), multiply_high(random, total_));
        return token >= 0 ? token : law_->pick(multiply_high(random, law_->total()));
    }

    /// Takes off a law, in units of the total that is left: scale(weight) of each token, but for those of `gone`, which
    /// ascend. Where that would leave nothing, nothing is taken, so that a token can be drawn: a law as great as what
    /// is left accepts every token. False where there is no memory.
    [[nodiscard]] bool take(std::span<const token_weight> law, const weight_scale& scale,
                            std::span<const token_id> gone = {}) noexcept {
        scaled_.clear();
        auto next_gone = gone.begin();
        for (const token_weight& one : law) {
            while (next_gone != gone.end() && *next_gone < one.token) ++next_gone;
            if (next_gone != gone.end() && *next_gone == one.token) continue;
            if (!scaled_.push({one.token, scale(one.weight)})) return false;
        }
        return add_scaled();
    }
    /// Takes off a token that was proposed for certain.
    [[nodiscard]] bool take(token_id token) noexcept {
        scaled_.clear();
        return scaled_.push({token, ~std::uint64_t{0}}) && add_scaled();
    }
    [[nodiscard]] bool reserve(std::size_t entries) noexcept {
        return taken_.reserve(entries) && scaled_.reserve(entries) && joined_.reserve(entries);
    }

private:
    static bool by_token(const token_weight& a, const token_weight& b) noexcept { return a.token < b.token; }
    std::span<const token_weight> taken() const noexcept { return taken_.part(0, taken_.size()); }

    /// Both lists ascend. No token has more taken than it weighs in the end, but sums may say more.
    bool add_scaled() noexcept {
        joined_.clear();
        const std::size_t most = taken_.size() + scaled_.size();
        if (!taken_.reserve(most) || !joined_.reserve(most)) return false;  // both, since they change places
        const token_weight *a = taken_.begin(), *b = scaled_.begin();
        while (a != taken_.end() || b != scaled_.end()) {
            token_weight one{};
            if (b == scaled_.end() || (a != taken_.end() && a->token < b->token)) one = *a++;
            else if (a == taken_.end() || b->token < a->token) one = *b++;
            else one = {a->token, sum(a++->weight, b++->weight)};
            (void)joined_.push(one);
        }
        const std::uint64_t left = law_->total_without(joined_.part(0, joined_.size()));
        if (left == 0) return true;
        taken_.swap(joined_);
        total_ = left;
        return true;
    }
    static std::uint64_t sum(std::uint64_t a, std::uint64_t b) noexcept {
        return a <= ~std::uint64_t{0} - b ? a + b : ~std::uint64_t{0};
    }

    const weighed* law_ = nullptr;
    growing_array<token_weight> taken_, scaled_, joined_;
    std::uint64_t total_ = 0;
};

}  // namespace riffle::detail
