#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

#include <riffle/chain/open_step.hpp>
#include <riffle/core/checkpoint.hpp>
#include <riffle/core/legal_tokens.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/token.hpp>
#include <riffle/speculative/drafts/draft.hpp>
#include <riffle/speculative/drafters/drafter.hpp>

namespace riffle::inline RIFFLE_ABI {

namespace detail {

/// A chain that goes along a draft as if it were the text, and stands where it stood in the end.
template <class Chain>
class walk_along_draft {
public:
    explicit walk_along_draft(Chain& chain) noexcept : chain_(chain), begin_(chain.mark()) {}
    walk_along_draft(const walk_along_draft&) = delete;
    walk_along_draft& operator=(const walk_along_draft&) = delete;
    ~walk_along_draft() {
        if (steps_ > 0) (void)chain_.rollback(begin_);
    }

    /// To the next token. False, and it stays, where a mask of the chain hides it, a stage refuses it, or the text has
    /// ended.
    bool take(token_id token) noexcept {
        if (has_ended_ || steps_ == rollback_depth || !is_legal(token)) return false;
        const step taken = chain_.accept(token);
        if (taken.refused) return false;
        ++steps_;
        has_ended_ = taken.finished || taken.rewind > 0;
        return true;
    }
    /// The one token that a mask of the chain leaves, and the others do not hide; null_token where there is none such.
    token_id forced() noexcept {
        if (has_ended_ || !chain_.view().has_masks()) return null_token;
        const open_step<Chain> now(chain_, 1);
        if (!now.ok()) return null_token;
        for (std::size_t i = 0; i < now.stages().size(); ++i) {
            const token_id only = only_one(legal_of(now, i));
            if (only >= 0) return is_legal(now, only) ? only : null_token;
        }
        return null_token;
    }

private:
    bool is_legal(token_id token) noexcept {
        if (!chain_.view().has_masks()) return true;
        const open_step<Chain> now(chain_, 1);
        return now.ok() && is_legal(now, token);
    }
    static bool is_legal(const open_step<Chain>& now, token_id token) noexcept {
        for (std::size_t i = 0; i < now.stages().size(); ++i)
            if (!legal_of(now, i).contains(token)) return false;
        return true;
    }
    static legal_tokens legal_of(const open_step<Chain>& now, std::size_t i) noexcept {
        const stage_ref& s = now.stages()[i];
        return s.ops->legal ? s.ops->legal(s, now.past()) : legal_tokens::all();
    }
    static token_id only_one(const legal_tokens& legal) noexcept {
        if (legal.are_all || (legal.count != legal_tokens::unknown && legal.count != 1)) return null_token;
        if (!legal.ids.empty()) return legal.ids.size() == 1 ? legal.ids[0] : null_token;
        token_id only = null_token;
        for (std::size_t w = 0; w < legal.words.size(); ++w) {
            if (legal.words[w] == 0) continue;
            if (only >= 0 || !std::has_single_bit(legal.words[w])) return null_token;
            only = token_id(w * 32) + std::countr_zero(legal.words[w]);
        }
        return only;
    }

    Chain& chain_;
    checkpoint begin_;
    std::size_t steps_ = 0;
    bool has_ended_ = false;
};

}  // namespace detail

/// Cuts a draft ahead of the first token that the chain would not give, whatever the model says: one that a constraint
/// or another mask hides, or a stage refuses; and behind one that ends the text. Answers how many tokens are left. The
/// chain stands where it stood. Costs a mask and an accept for each token; nothing where no stage masks or refuses.
template <class Chain>
std::size_t keep_legal(Chain& chain, draft& proposed) noexcept {
    decltype(auto) stages = chain.view();
    if (!stages.has_masks() && !stages.can_be_asked() && !stages.may_refuse()) return proposed.size();
    detail::walk_along_draft walk(chain);
    std::size_t legal = 0;
    while (legal < proposed.size() && walk.take(proposed[legal])) ++legal;
    proposed.shorten(legal);
    return legal;
}

/// Adds the tokens that a constraint forces behind those of a draft, which have to be legal: as long as one of the
/// chain's masks leaves a single token, until the draft has `most`. Sampling could give nothing else, so they are
/// proposed for certain, and cost the model a row each instead of an evaluation. Answers how many were added. The chain
/// stands where it stood. Costs a mask and an accept for each token; nothing where no stage masks.
template <class Chain>
std::size_t draft_forced(Chain& chain, draft& proposed, std::size_t most) noexcept {
    if (!chain.view().has_masks()) return 0;
    const std::size_t had = proposed.size();
    detail::walk_along_draft walk(chain);
    for (std::size_t i = 0; i < had; ++i)
        if (!walk.take(proposed[i])) return 0;
    while (proposed.size() < most) {
        const token_id token = walk.forced();
        if (token < 0 || !walk.take(token) || !proposed.push(token)) break;
    }
    return proposed.size() - had;
}

/// Drafts for a chain with a constraint: what it forces, then what a drafter proposes as far as it is legal, then what
/// is forced behind that, until the draft has `most` tokens. For other chains what the drafter proposes. Answers how
/// many were added.
template <class Chain, token_drafter Drafter>
std::size_t propose_legal(Chain& chain, Drafter& drafts, draft& proposed, std::size_t most) noexcept {
    const std::size_t had = proposed.size();
    draft_forced(chain, proposed, most);
    if (drafts.propose(proposed, most) > 0) {
        keep_legal(chain, proposed);
        draft_forced(chain, proposed, most);
    }
    return proposed.size() - had;
}

}  // namespace riffle
