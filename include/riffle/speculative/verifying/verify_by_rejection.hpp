#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/chain/weighed.hpp>
#include <riffle/core/draws.hpp>
#include <riffle/core/growing_array.hpp>
#include <riffle/core/logit_row.hpp>
#include <riffle/core/token.hpp>
#include <riffle/speculative/drafts/draft.hpp>
#include <riffle/speculative/drafts/draft_tree.hpp>
#include <riffle/speculative/verifying/logit_source.hpp>
#include <riffle/speculative/verifying/residual.hpp>
#include <riffle/speculative/verifying/round.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// The scale from a draft's law to what a chain's law has left.
inline weight_scale scale_to(std::uint64_t total, const draft_law& law) noexcept { return {total, law.total}; }

/// Takes the law of a rejected token off what is left of the chain's.
[[nodiscard]] inline bool take_off(residual& left, token_id rejected, const draft_law& law) noexcept {
    return law.is_certain() ? left.take(rejected) : left.take(law.weights, scale_to(left.total(), law));
}

/// Rejection on a line: a position is decided once, so its numbers are keyed by itself. Number 0 of a position accepts,
/// number 1 draws.
template <class Chain, class Rows>
void reject_line(round_of<Chain>& round, std::uint64_t seed, const draft& proposed, const logit_source<Rows>& rows,
                 residual& left) noexcept {
    for (std::size_t i = 0;; ++i) {
        const logit_row row = rows[i];
        const weighed law = round.chain.weigh(row);
        if (!law) return round.fail_as_chain();
        const draws numbers = round.numbers(seed);
        left.begin(law);
        if (i < proposed.size() && std::size_t(proposed[i]) < row.size()) {
            const token_id token = proposed[i];
            const draft_law of_draft = proposed.weights(i);
            const std::uint64_t offered = scale_to(law.total(), of_draft)(of_draft.of_drafted);
            if (is_accepted(numbers.bits(0), offered, law.weight(token))) {
                if (!round.take(token, true, std::int32_t(i))) return;
                continue;
            }
            if (!take_off(left, token, of_draft)) return round.fail(status_code::out_of_memory);
        }
        round.take(left.pick(numbers.bits(1)), false, draft_tree::root);
        return;
    }
}

/// Tokens that ascend, of siblings that were asked already.
class asked_tokens {
public:
    void clear() noexcept { tokens_.clear(); }
    bool contains(token_id token) const noexcept {
        return std::binary_search(tokens_.begin(), tokens_.end(), token);
    }
    [[nodiscard]] bool add(token_id token) noexcept {
        if (!tokens_.push(token)) return false;
        for (std::size_t i = tokens_.size() - 1; i > 0 && tokens_[i - 1] > token; --i) {
            tokens_[i] = tokens_[i - 1];
            tokens_[i - 1] = token;
        }
        return true;
    }
    std::span<const token_id> all() const noexcept { return tokens_.part(0, tokens_.size()); }
    [[nodiscard]] bool reserve(std::size_t count) noexcept { return tokens_.reserve(count); }

private:
    growing_array<token_id> tokens_;
};

/// Rejection at the children of a node, one after the other.
template <class Chain>
class children_rejection {
public:
    children_rejection(const draft_tree& proposed, bool with_replacement, const draws& numbers, std::uint32_t& number,
                       residual& left, asked_tokens& asked) noexcept
        : proposed_(proposed), with_replacement_(with_replacement), numbers_(numbers), number_(number), left_(left),
          asked_(asked) {}

    /// The child that is accepted, below 0 for none; `left` is then what to draw from. `law` is the chain's.
    std::int32_t accepted_child(std::int32_t parent, std::size_t row_size) noexcept {
        asked_.clear();
        for (std::int32_t n = proposed_.first_child(parent); n >= 0; n = proposed_.next_sibling(n)) {
            const token_id token = proposed_.token(n);
            if (std::size_t(token) >= row_size) continue;
            const draft_law of_draft = proposed_.weights(n);
            if (is_accepted(numbers_.bits(number_++), offered(token, of_draft), left_.weight(token))) return n;
            if (!take(token, of_draft) || !asked_.add(token)) has_memory_ = false;
            if (!has_memory_) return draft_tree::root;
        }
        return draft_tree::root;
    }
    bool has_memory() const noexcept { return has_memory_; }

private:
    /// What the law of a sibling comes to without the siblings before it, where it was drawn without those.
    std::uint64_t total_of(const draft_law& of_draft) const noexcept {
        std::uint64_t total = of_draft.total;
        if (with_replacement_) return total;
        for (const token_weight& one : of_draft.weights)
            if (asked_.contains(one.token)) total -= one.weight;
        return total;
    }
    /// The weight that a token was proposed with, in units of what is left. More than any weight for one that was asked
    /// already and cannot have been drawn again: nothing is left of it.
    std::uint64_t offered(token_id token, const draft_law& of_draft) const noexcept {
        if (of_draft.is_certain()) return left_.total();
        if (!with_replacement_ && asked_.contains(token)) return ~std::uint64_t{0};
        return weight_scale(left_.total(), total_of(of_draft))(of_draft.of_drafted);
    }
    bool take(token_id token, const draft_law& of_draft) noexcept {
        if (of_draft.is_certain()) return left_.take(token);
        if (with_replacement_) return take_off(left_, token, of_draft);
        if (asked_.contains(token)) return true;
        return left_.take(of_draft.weights, weight_scale(left_.total(), total_of(of_draft)), asked_.all());
    }

    const draft_tree& proposed_;
    bool with_replacement_, has_memory_ = true;
    draws numbers_;
    std::uint32_t& number_;
    residual& left_;
    asked_tokens& asked_;
};

/// Rejection on a tree. Number 0 of the round draws, the others accept, in the order in which they are asked for.
template <class Chain, class Rows>
void reject_tree(round_of<Chain>& round, std::uint64_t seed, bool with_replacement, const draft_tree& proposed,
                 const logit_source<Rows>& rows, residual& left, asked_tokens& asked) noexcept {
    const draws numbers = round.numbers_of_round(seed);
    std::uint32_t number = 1;
    for (std::int32_t at = draft_tree::root;;) {
        const logit_row row = rows[std::size_t(at + 1)];
        const weighed law = round.chain.weigh(row);
        if (!law) return round.fail_as_chain();
        left.begin(law);
        children_rejection<Chain> children(proposed, with_replacement, numbers, number, left, asked);
        at = children.accepted_child(at, row.size());
        if (!children.has_memory()) return round.fail(status_code::out_of_memory);
        if (at < 0) {
            round.take(left.pick(numbers.bits(0)), false, draft_tree::root);
            return;
        }
        if (!round.take(proposed.token(at), true, at)) return;
    }
}

}  // namespace riffle::detail
