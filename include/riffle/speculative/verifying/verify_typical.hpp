#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/chain/weighed.hpp>
#include <riffle/core/logit_row.hpp>
#include <riffle/core/token.hpp>
#include <riffle/math/elementwise.hpp>
#include <riffle/speculative/drafts/draft.hpp>
#include <riffle/speculative/drafts/draft_tree.hpp>
#include <riffle/speculative/verifying/logit_source.hpp>
#include <riffle/speculative/verifying/round.hpp>
#include <riffle/speculative/verifying/verifiers.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// The probability that typical acceptance asks more than. (Not below 0, so that what cannot come is never accepted; of
/// parameters that are no numbers 1, which nothing exceeds.)
inline float enough_of(const typical_acceptance& how, const weighed& law) noexcept {
    const float by_entropy = how.delta * exp(lanes<1>(-law.entropy()))[0];
    if (by_entropy != by_entropy || how.epsilon != how.epsilon) return 1.0f;
    return (std::max)((std::min)(by_entropy, how.epsilon), 0.0f);
}

/// Down the tree, to the first child of each node that is typical enough; the chain's law gives the token behind the
/// last. child(node, row size, is_accepted) finds it, below 0 for none.
template <class Chain, class Rows, class Child>
void accept_typical(round_of<Chain>& round, const typical_acceptance& how, const logit_source<Rows>& rows,
                    Child child) noexcept {
    for (std::int32_t at = draft_tree::root;;) {
        const logit_row row = rows[std::size_t(at + 1)];
        const weighed law = round.chain.weigh(row);
        if (!law) return round.fail_as_chain();
        const float enough = enough_of(how, law);
        token_id token = null_token;
        at = child(at, [&](token_id proposed) {
            if (std::size_t(proposed) >= row.size() || !(law.p(proposed) > enough)) return false;
            token = proposed;
            return true;
        });
        if (at < 0) {
            const std::uint64_t random = round.numbers(how.seed).bits(0);
            round.take(law.pick(multiply_high(random, law.total())), false, draft_tree::root);
            return;
        }
        if (!round.take(token, true, at)) return;
    }
}

template <class Chain, class Rows>
void accept_typical_line(round_of<Chain>& round, const typical_acceptance& how, const draft& proposed,
                         const logit_source<Rows>& rows) noexcept {
    accept_typical(round, how, rows, [&](std::int32_t at, auto is_accepted) {
        const auto next = std::size_t(at + 1);
        return next < proposed.size() && is_accepted(proposed[next]) ? std::int32_t(next) : draft_tree::root;
    });
}
template <class Chain, class Rows>
void accept_typical_tree(round_of<Chain>& round, const typical_acceptance& how, const draft_tree& proposed,
                         const logit_source<Rows>& rows) noexcept {
    accept_typical(round, how, rows, [&](std::int32_t at, auto is_accepted) {
        std::int32_t n = proposed.first_child(at);
        while (n >= 0 && !is_accepted(proposed.token(n))) n = proposed.next_sibling(n);
        return n;
    });
}

}  // namespace riffle::detail
