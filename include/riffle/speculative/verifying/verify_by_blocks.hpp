#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>

#include <riffle/chain/weighed.hpp>
#include <riffle/core/checkpoint.hpp>
#include <riffle/core/draws.hpp>
#include <riffle/core/growing_array.hpp>
#include <riffle/core/logit_row.hpp>
#include <riffle/core/token.hpp>
#include <riffle/math/wide_integer.hpp>
#include <riffle/speculative/drafts/draft.hpp>
#include <riffle/speculative/verifying/logit_source.hpp>
#include <riffle/speculative/verifying/residual.hpp>
#include <riffle/speculative/verifying/round.hpp>
#include <riffle/speculative/verifying/verify_by_rejection.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// The laws of positions that were looked at, where the chain lists them: so none is found twice.
class kept_laws {
public:
    void clear() noexcept {
        tokens_.clear();
        places_.clear();
    }
    /// Keeps the law of the next position, or that it has to be found again. False where there is no memory.
    [[nodiscard]] bool push(const weighed& law, bool keeps) noexcept {
        const std::span<const weighed_token> listed = keeps ? law.listed() : std::span<const weighed_token>();
        if (!places_.push({tokens_.size(), listed.size(), listed.empty() ? 0 : law.total()})) return false;
        return tokens_.append(listed.data(), listed.size());
    }
    /// Of a position; without a total where it was not kept.
    weighed operator[](std::size_t i) const noexcept {
        const place& at = places_[i];
        return {tokens_.part(at.first, at.count), at.total};
    }
    [[nodiscard]] bool reserve(std::size_t tokens, std::size_t positions) noexcept {
        return tokens_.reserve(tokens) && places_.reserve(positions);
    }

private:
    struct place {
        std::size_t first, count;
        std::uint64_t total;
    };
    growing_array<weighed_token> tokens_;
    growing_array<place> places_;
};

/// What block verification knows of a position: where the chain stood ahead of it, p_i, which is the probability with
/// which at least i tokens are accepted, given those that were drafted, and with which it stops right here, h_i.
struct block_position {
    checkpoint mark;
    std::uint64_t reached;  ///< p_i, in units of 2^-62
    std::uint64_t surplus;  ///< h_i = surplus / of, which is 0 for all of h_i
    std::uint64_t of;
};

/// Block verification. Number 0 of the round draws, number i accepts i tokens at least.
template <class Chain, class Rows>
class block_round {
public:
    block_round(round_of<Chain>& round, std::uint64_t seed, const draft& proposed, const logit_source<Rows>& rows,
                growing_array<block_position>& positions, kept_laws& laws, residual& left) noexcept
        : round_(round), numbers_(round.numbers_of_round(seed)), proposed_(proposed), rows_(rows),
          positions_(positions), laws_(laws), left_(left) {
        positions_.clear();
        laws_.clear();
    }

    void run() noexcept {
        if (!walk()) return;
        const std::size_t drafted = positions_.size() - 1;
        std::size_t accepted = drafted;
        while (accepted > 0 && !stops_at(accepted)) --accepted;
        if (!give_out(accepted)) return;
        if (accepted < drafted) return draw_residual(accepted);
        if (ended_) return;
        const weighed law = round_.chain.weigh(rows_[accepted]);
        if (!law) return round_.fail_as_chain();
        round_.take(law.pick(multiply_high(numbers_.bits(0), law.total())), false, draft_tree::root);
    }

private:
    static constexpr std::uint64_t one = std::uint64_t{1} << 62;
    static constexpr std::size_t nowhere = std::size_t(-1);

    /// Through the draft as if all of it were accepted, up to where the text ends or cannot go on. False where the
    /// round has failed.
    bool walk() noexcept {
        std::uint64_t reached = one;
        for (std::size_t i = 0;; ++i) {
            const checkpoint mark = round_.chain.mark();
            if (!positions_.push({mark, reached, reached, one})) return out_of_memory();  // as the last of all
            if (i == proposed_.size() || reached == 0 || ended_) return true;
            const logit_row row = rows_[i];
            if (std::size_t(proposed_[i]) >= row.size() && !row.empty()) return true;
            const weighed law = round_.chain.weigh(row);
            if (!law) return i > 0 || failed();
            if (!laws_.push(law, keeps_laws())) return out_of_memory();
            last_law_ = law;
            behind_last_law_ = i;
            const draft_law of_draft = proposed_.weights(i);
            const weight_scale scale = scale_to(law.total(), of_draft);
            look_at_surplus(law, i, of_draft, scale);
            reached = with_next(reached, law.weight(proposed_[i]), scale(of_draft.of_drafted));
            if (reached == 0) continue;
            behind_last_law_ = nowhere;  // once the chain accepts a token it is a law of the past
            const step taken = round_.chain.accept_choice(proposed_[i]);
            if (taken.refused) reached = 0;
            ended_ = taken.refused || taken.finished || taken.rewind > 0 || round_.is_end(proposed_[i]);
        }
    }
    bool failed() noexcept { return round_.fail_as_chain(), false; }
    bool out_of_memory() noexcept { return round_.fail(status_code::out_of_memory), false; }

    /// p_{i+1} = min(1, p_i · p(x) / q(x)).
    static std::uint64_t with_next(std::uint64_t reached, std::uint64_t weight, std::uint64_t offered) noexcept {
        const uint128 product = uint128::product(reached, weight);
        if (!(product < uint128::product(one, offered))) return weight > 0 ? one : 0;
        return divide(product, offered);
    }
    /// h_i = S / (S + 1 - p_i), where S = Σ max(p_i · p - q, 0) = p_i - Σ min(p_i · p, q): sums over the draft's law
    /// alone.
    void look_at_surplus(const weighed& law, std::size_t i, const draft_law& of_draft,
                         const weight_scale& scale) noexcept {
        if (i == 0) return;  // no tokens are always accepted
        block_position& here = positions_[i];
        uint128 surplus = uint128::product(here.reached, law.total());
        const auto take = [&](std::uint64_t weight, std::uint64_t offered) {
            const uint128 a = uint128::product(here.reached, weight), b = uint128::product(one, offered);
            surplus = surplus - (a < b ? a : b);
        };
        if (of_draft.is_certain()) {
            take(law.weight(proposed_[i]), law.total());
        } else {
            token_weight found[row_law::tokens_at_once];
            for (std::size_t first = 0; first < of_draft.weights.size(); first += std::size(found)) {
                const std::size_t count = (std::min)(of_draft.weights.size() - first, std::size(found));
                for (std::size_t j = 0; j < count; ++j) found[j].token = of_draft.weights[first + j].token;
                law.fill_weights({found, count});
                for (std::size_t j = 0; j < count; ++j)
                    take(found[j].weight, scale(of_draft.weights[first + j].weight));
            }
        }
        const uint128 of = surplus + uint128::product(one - here.reached, law.total());
        const unsigned unused = leading_zeros(of);
        const unsigned shift = unused < 64 ? 64 - unused : 0;
        here.surplus = (surplus >> shift).low;
        here.of = (of >> shift).low;
    }
    /// Whether it stops at i tokens, where it has not stopped at more.
    bool stops_at(std::size_t i) const noexcept {
        const block_position& here = positions_[i];
        if (here.of == 0) return true;  // what is drafted next is accepted for certain, or nearly so: nothing is left
        return multiply_high(numbers_.bits(std::uint32_t(i)), here.of) < here.surplus;
    }
    /// The first `count` tokens of the draft, which the chain has accepted, or goes back to. False where the round has
    /// failed.
    bool give_out(std::size_t count) noexcept {
        const bool are_all = count + 1 == positions_.size();
        if (!are_all && count != behind_last_law_) {  // where it stands, its last law is still good
            if (const status back = round_.chain.rollback(positions_[count].mark); !back.ok())
                return round_.fail(back), false;
        }
        for (std::size_t i = 0; i < count; ++i) {
            const bool is_last = are_all && i + 1 == count;
            const step led_to = is_last ? round_.chain.last_step() : step();
            if (!round_.note(led_to, proposed_[i], true, std::int32_t(i)) && !is_last) return false;
        }
        return true;
    }
    /// A token by max(p_i · p - q, 0), the chain standing behind i tokens.
    void draw_residual(std::size_t i) noexcept {
        weighed law = i == behind_last_law_ ? last_law_ : laws_[i];
        if (!law) law = round_.chain.weigh(rows_[i]);
        if (!law) return round_.fail_as_chain();
        left_.begin(law);
        const draft_law of_draft = proposed_.weights(i);
        const weight_scale scale = scale_to(law.total(), of_draft).divided_by(positions_[i].reached, one);
        if (!(of_draft.is_certain() ? left_.take(proposed_[i]) : left_.take(of_draft.weights, scale)))
            return round_.fail(status_code::out_of_memory);
        round_.take(left_.pick(numbers_.bits(0)), false, draft_tree::root);
    }
    /// Whether the chain's law can be drawn from without finding it again: not where the selector learns from its
    /// choice.
    bool keeps_laws() const noexcept {
        const auto& stages = round_.chain.view();
        return !stages.is_exact() && !stages[stages.size() - 1].ops->accept;
    }

    round_of<Chain>& round_;
    draws numbers_;
    const draft& proposed_;
    const logit_source<Rows>& rows_;
    growing_array<block_position>& positions_;
    kept_laws& laws_;
    residual& left_;
    weighed last_law_;
    std::size_t behind_last_law_ = nowhere;  ///< how many tokens of the draft the last law that was weighed lies behind
    bool ended_ = false;
};

}  // namespace riffle::detail
