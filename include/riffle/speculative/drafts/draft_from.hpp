#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/chain/stage_ops.hpp>
#include <riffle/chain/weighed.hpp>
#include <riffle/core/draws.hpp>
#include <riffle/core/logit_row.hpp>
#include <riffle/core/token.hpp>
#include <riffle/core/token_weight.hpp>
#include <riffle/math/wide_integer.hpp>
#include <riffle/speculative/drafts/draft.hpp>
#include <riffle/speculative/drafts/draft_tree.hpp>

namespace riffle::inline RIFFLE_ABI {

namespace detail {

/// Random numbers for drafting, of a chain that stands `ahead` tokens behind the beginning of the round: keyed by that
/// beginning. A verifier may have looked at a token that is then drafted anew in the next round; what the numbers of
/// its own position led to would be known by then, and the law of the text another one.
template <class Chain>
draws numbers_of_draft(Chain& chain, std::size_t ahead) noexcept {
    const auto& stages = chain.view();
    draw_position at = chain.state().position();
    at.position -= std::uint32_t((std::min)(ahead, std::size_t(at.position)));
    const stage_ref& selector = stages[stages.size() - 1];
    const std::uint64_t seed = selector.ops->random ? selector.ops->random(selector, at).seed() : 0;
    return {seed, at, stream_of(stream_kind::drafting, 0)};
}

}  // namespace detail

/// Drafts a token by a chain on the draft model's row: draws it from the chain's law, appends it to `out` with that
/// law, and accepts it. For verifiers by laws; its random numbers are others than those that sample() of the chain
/// would use, keyed by the beginning of the round, which is out.size() tokens back. So begin with an empty draft, and
/// when it is verified, roll the chain back to its beginning and let it accept what the text got.
///
/// null_token, and the draft as it was, where the chain gives no token (last_status() says why), a stage refuses it, or
/// memory is missing. Put a stage that narrows into the chain: else the law has an entry for every token of the row.
///
/// (With match no law is needed, and what is drafted should be what the target samples: a plain copy of the target's
/// chain that samples from the draft model's rows draws with the same noise, so `out.push(copy.sample(logits))` agrees
/// more often. With gumbel it is at least (1 - d) / (1 + d) of the positions, d being the total variation distance of
/// the laws: Daliri et al., arXiv 2408.07978.)
template <class Chain>
token_id draft_from(Chain& of_draft_model, const logit_row& logits, draft& out) noexcept {
    const weighed law = of_draft_model.weigh(logits);
    if (!law) return null_token;
    const std::size_t index = out.size();
    const std::uint64_t random = detail::numbers_of_draft(of_draft_model, index).bits(std::uint32_t(index));
    const token_id token = law.pick(multiply_high(random, law.total()));
    if (!out.push_weighed(token, law)) return null_token;
    if (!of_draft_model.accept_choice(token).refused) return token;
    out.shorten(index);
    return null_token;
}

/// Drafts children of a node, or of root, by a chain on the draft model's row behind that node: up to `children`
/// different tokens, each drawn from what the ones before have left of the chain's law, as recursive_rejection expects
/// siblings. 64 at most. Nothing is accepted: the chain stands behind the node's token, and goes on to a child by
/// accept_choice. Answers how many children were appended: fewer where the law has fewer tokens, 0 where there is none.
template <class Chain>
std::size_t draft_from(Chain& of_draft_model, const logit_row& logits, draft_tree& out, std::int32_t parent,
                       std::size_t children) noexcept {
    constexpr std::size_t most = 64;
    token_weight drawn[most];
    const weighed law = of_draft_model.weigh(logits);
    if (!law) return 0;
    const draws numbers = detail::numbers_of_draft(of_draft_model, out.depth(parent));
    std::size_t count = 0;
    for (; count < (std::min)(children, most); ++count) {
        const std::uint64_t left = law.total_without({drawn, count});
        if (left == 0) break;
        const std::uint64_t random = numbers.bits(std::uint32_t(out.size()));
        const token_id token = law.pick_without({drawn, count}, multiply_high(random, left));
        if (token < 0 || out.push_weighed(parent, token, law) < 0) break;
        std::size_t place = count;
        for (; place > 0 && drawn[place - 1].token > token; --place) drawn[place] = drawn[place - 1];
        drawn[place] = {token, ~std::uint64_t{0}};
    }
    return count;
}

}  // namespace riffle
