#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/chain/plan.hpp>
#include <riffle/chain/row_law.hpp>
#include <riffle/chain/stage_ops.hpp>
#include <riffle/core/candidates.hpp>
#include <riffle/core/token.hpp>
#include <riffle/core/token_weight.hpp>
#include <riffle/math/elementwise.hpp>
#include <riffle/math/wide_integer.hpp>

namespace riffle::inline RIFFLE_ABI {

/// A token that a law lists, with its weight. (The layout is that of token_data.)
struct RIFFLE_MAY_ALIAS weighed_token {
    token_id token;        ///< the index of its logit in a row
    float logit;           ///< of the distribution that it is drawn by; of adaptive_p the one ahead of that
    std::uint32_t weight;  ///< its probability is weight / total(); 0 where it is too unlikely to be drawn
};

/// The law of the next token in integers, as the selector would draw: what weigh() of a chain answers. The probability
/// of a token is weight(token) / total(), exactly, on every machine. Where the chain narrows, the few tokens are
/// listed; where it does not, they stay in the row, and weights are computed when they are asked for. So it refers to
/// the chain and to the row of logits: it is valid until the chain's next call that takes a row or a token, and as long
/// as the row is left alone. (A template so that including riffle does not compile it.)
template <class Listed, class Weight, class Stage>
class basic_weighed {
    using row_law = detail::basic_row_law<Stage>;

public:
    /// Of no tokens: where there is no law, for the reason that the chain's last_status() says.
    basic_weighed() noexcept = default;
    /// Of tokens that stand in ascending id, each once but for those whose ids the candidates had twice. (For chains.)
    basic_weighed(std::span<const Listed> listed, std::uint64_t total) noexcept : total_(total), listed_(listed) {}
    /// Of tokens that stay in the row. (For chains.)
    explicit basic_weighed(const row_law& law) noexcept : total_(law.total), of_row_(law) {
        if (law.selector) selector_ = *law.selector;
        for (std::size_t i = 0; i < law.maps.size(); ++i)
            if (law.maps[i].ops->fact.maps) maps_[map_count_++] = law.maps[i];
    }

    /// What the weights of all tokens come to; 0 where there is no law.
    std::uint64_t total() const noexcept { return total_; }
    /// Whether there is a law.
    explicit operator bool() const noexcept { return total_ > 0; }
    /// The weight of a token: 0 where it cannot come, also where the row has no such token. Of listed ones O(log of
    /// their number).
    std::uint64_t weight(token_id token) const noexcept {
        if (stays_in_row()) return law().weight(token);
        std::uint64_t sum = 0;
        for (auto at = first_listed(token); at != listed_.end() && at->token == token; ++at) sum += at->weight;
        return sum;
    }
    /// The weights of tokens, written beside them: as weight(), and quicker for many. Where they ascend in id, O(tokens
    /// + listed).
    void fill_weights(std::span<Weight> tokens) const noexcept {
        if (stays_in_row()) return fill_from_row(tokens);
        auto at = listed_.begin();
        token_id previous = null_token;
        for (Weight& one : tokens) {
            if (one.token < previous) at = listed_.begin();
            previous = one.token;
            while (at != listed_.end() && at->token < one.token) ++at;
            one.weight = 0;
            for (auto same = at; same != listed_.end() && same->token == one.token; ++same) one.weight += same->weight;
        }
    }
    /// The probability of a token, rounded to a float.
    float p(token_id token) const noexcept {
        return total_ > 0 ? float(double(weight(token)) / double(total_)) : 0.0f;
    }
    /// The few tokens that are left where the chain narrows, in ascending id; empty where they stay in the row.
    std::span<const Listed> listed() const noexcept { return listed_; }

    /// The token up to which the weights, in ascending id, first exceed `target`, which is below total(): of a random
    /// fraction of total() the token that dist draws. null_token for any other target.
    token_id pick(std::uint64_t target) const noexcept {
        if (target >= total_) return null_token;
        if (stays_in_row()) return law().pick(target).id;
        for (const Listed& one : listed_) {
            if (target < one.weight) return one.token;
            target -= one.weight;
        }
        return null_token;
    }

    /// Calls visit(token, weight) for every token that weighs something, in ascending id; the weight is a
    /// std::uint64_t. O(listed), or a pass over the row.
    template <class Visit>
    void each(Visit visit) const noexcept(noexcept(visit(token_id{}, std::uint64_t{}))) {
        for (const Listed& one : listed_)
            if (one.weight > 0) visit(one.token, std::uint64_t{one.weight});
        if (!stays_in_row()) return;
        const row_law of = law();
        std::uint32_t weights[block_size];
        for (std::size_t b = 0; b < of.logits->blocks(); ++b) {
            if (of.masses[b] == 0) continue;
            of.weigh_block(b, weights);
            for (std::size_t i = 0; i < block_size; ++i)
                if (weights[i] > 0) visit(token_id(b * block_size + i), std::uint64_t{weights[i]});
        }
    }
    /// Its entropy in nats, to about 0.001; 0 for one token or none.
    float entropy() const noexcept {
        constexpr float steps = 65536.0f;  // of a nat
        uint128 sum;                       // of w · log w, in an integer, so that every machine finds the same
        each([&](token_id, std::uint64_t weight) noexcept {
            const lanes<1> log_weight = log(lanes<1>(float(weight)));
            sum = sum + uint128::product(weight, std::uint64_t((log_weight * lanes<1>(steps))[0]));
        });
        if (total_ == 0) return 0.0f;
        const float mean = float(detail::divide(sum, total_)) * (1.0f / steps);
        const float nats = log(lanes<1>(float(double(total_) * 0x1p-30)))[0] + 20.7944154f - mean;
        return nats > 0.0f ? nats : 0.0f;
    }

    // ---- the law without a part of it

    /// What is left of total() when `taken` is taken off: Σ max(weight - taken, 0). `taken` stands in ascending id,
    /// each token once.
    std::uint64_t total_without(std::span<const Weight> taken) const noexcept {
        std::uint64_t left = total_;
        each_taken(taken, [&](const Weight& one, std::uint64_t weight) {
            left -= (std::min)(left, (std::min)(one.weight, weight));
        });
        return left;
    }
    /// pick of what is left: the token up to which the weights without `taken`, in ascending id, first exceed `target`,
    /// which is below total_without(taken). null_token for any other target.
    token_id pick_without(std::span<const Weight> taken, std::uint64_t target) const noexcept {
        return stays_in_row() ? pick_from_row_without(taken, target) : pick_from_list_without(taken, target);
    }

private:
    bool stays_in_row() const noexcept { return of_row_.passes != nullptr; }
    /// The law, with the stages that are kept here. (A chain's own list of them is gone when weigh() returns.)
    row_law law() const noexcept {
        row_law result = of_row_;
        result.maps = {maps_, map_count_};
        if (result.selector) result.selector = &selector_;
        return result;
    }
    typename std::span<const Listed>::iterator first_listed(token_id token) const noexcept {
        return std::lower_bound(listed_.begin(), listed_.end(), token,
                                [](const Listed& one, token_id id) { return one.token < id; });
    }
    /// Calls visit(taken, weight) for each.
    template <class Visit>
    void each_taken(std::span<const Weight> taken, Visit visit) const noexcept {
        Weight found[row_law::tokens_at_once];
        while (!taken.empty()) {
            const std::size_t count = (std::min)(taken.size(), std::size_t{row_law::tokens_at_once});
            std::copy(taken.begin(), taken.begin() + std::ptrdiff_t(count), found);
            fill_weights({found, count});
            for (std::size_t i = 0; i < count; ++i) visit(taken[i], found[i].weight);
            taken = taken.subspan(count);
        }
    }
    void fill_from_row(std::span<Weight> tokens) const noexcept {
        constexpr std::size_t at_once = row_law::tokens_at_once;
        const row_law of = law();
        token_id ids[at_once];
        std::uint32_t weights[at_once];
        for (std::size_t first = 0; first < tokens.size(); first += at_once) {
            const std::size_t count = (std::min)(tokens.size() - first, at_once);
            for (std::size_t i = 0; i < count; ++i) ids[i] = tokens[first + i].token;
            of.weigh_tokens(ids, count, weights);
            for (std::size_t i = 0; i < count; ++i) tokens[first + i].weight = weights[i];
        }
    }
    token_id pick_from_list_without(std::span<const Weight> taken, std::uint64_t target) const noexcept {
        auto next = taken.begin();
        for (auto at = listed_.begin(); at != listed_.end();) {
            const token_id token = at->token;
            std::uint64_t weight = 0;
            for (; at != listed_.end() && at->token == token; ++at) weight += at->weight;
            while (next != taken.end() && next->token < token) ++next;
            if (next != taken.end() && next->token == token) weight -= (std::min)(weight, next->weight);
            if (target < weight) return token;
            target -= weight;
        }
        return null_token;
    }
    /// Block by block. (Under numerics::fast block masses are rounded sums: where a block runs out first, its last
    /// token is taken.)
    token_id pick_from_row_without(std::span<const Weight> taken, std::uint64_t target) const noexcept {
        const row_law of = law();
        std::size_t first = 0;
        while (first < taken.size() && taken[first].token < 0) ++first;
        for (std::size_t b = 0; b < of.logits->blocks(); ++b) {
            std::size_t behind = first;
            while (behind < taken.size() && std::size_t(taken[behind].token) / block_size == b) ++behind;
            const auto of_block = taken.subspan(first, behind - first);
            first = behind;
            std::uint64_t left = of.masses[b];
            each_taken(of_block, [&](const Weight& one, std::uint64_t weight) {
                left -= (std::min)(left, (std::min)(one.weight, weight));
            });
            if (target >= left) {
                target -= left;
                continue;
            }
            if (const token_id token = pick_from_block_without(of, b, of_block, target); token >= 0) return token;
            target = 0;
        }
        return null_token;
    }
    static token_id pick_from_block_without(const row_law& of, std::size_t b,
                                            std::span<const Weight> taken, std::uint64_t target) noexcept {
        std::uint32_t weights[block_size];
        of.weigh_block(b, weights);
        for (const Weight& one : taken) {
            std::uint32_t& weight = weights[std::size_t(one.token) % block_size];
            weight -= std::uint32_t((std::min)(std::uint64_t{weight}, one.weight));
        }
        token_id last = null_token;
        for (std::size_t i = 0; i < block_size; ++i) {
            if (weights[i] == 0) continue;
            last = token_id(b * block_size + i);
            if (target < weights[i]) break;
            target -= weights[i];
        }
        return last;
    }

    std::uint64_t total_ = 0;
    std::span<const Listed> listed_;
    row_law of_row_;
    Stage selector_;
    Stage maps_[max_stages];
    std::size_t map_count_ = 0;
};
using weighed = basic_weighed<weighed_token, token_weight, stage_ref>;

}  // namespace riffle
