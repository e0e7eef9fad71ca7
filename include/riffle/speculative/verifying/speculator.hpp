#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <riffle/chain/weighed.hpp>
#include <riffle/core/growing_array.hpp>
#include <riffle/core/history.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/token.hpp>
#include <riffle/core/tuning.hpp>
#include <riffle/speculative/drafts/draft.hpp>
#include <riffle/speculative/drafts/draft_tree.hpp>
#include <riffle/speculative/verifying/logit_source.hpp>
#include <riffle/speculative/verifying/residual.hpp>
#include <riffle/speculative/verifying/round.hpp>
#include <riffle/speculative/verifying/verified.hpp>
#include <riffle/speculative/verifying/verifiers.hpp>
#include <riffle/speculative/verifying/verify_by_blocks.hpp>
#include <riffle/speculative/verifying/verify_by_match.hpp>
#include <riffle/speculative/verifying/verify_by_rejection.hpp>
#include <riffle/speculative/verifying/verify_typical.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Verifies drafts: accepts as many of the drafted tokens as the chain's own law allows, and one token more. All it
/// needs of the model are the rows of logits that one evaluation of the text and the draft gives. It works on the chain
/// itself, with its marks; there are no clones of it, and every stage sees at each position exactly what has been
/// accepted ahead of it: penalties, masks and all that learns.
///
///     speculator<rejection> verifier({.seed = 7});
///     const verified& round = verifier.verify(chain, draft, rows);
///     for (token_id token : round.tokens) ...        // accepted by the chain already
///
/// One thread at a time. It allocates until its memory is as large as the rounds ask; reserve does that beforehand.
template <class Verifier = match>
class speculator {
    static constexpr bool matches = std::is_same_v<Verifier, match>;
    static constexpr bool rejects = std::is_same_v<Verifier, rejection>;
    static constexpr bool rejects_recursively = std::is_same_v<Verifier, recursive_rejection>;
    static constexpr bool takes_blocks = std::is_same_v<Verifier, block_verification>;
    static constexpr bool is_typical = std::is_same_v<Verifier, typical_acceptance>;
    static_assert(matches || rejects || rejects_recursively || takes_blocks || is_typical,
                  "riffle: a speculator verifies by match, rejection, block_verification, recursive_rejection or "
                  "typical_acceptance");

public:
    /// The most tokens that may be drafted, one behind the other: with the one behind them they are as many as a chain
    /// can go back.
    static constexpr std::size_t longest_draft = rollback_depth - 1;

    /// Of a verifier with its parameters.
    explicit speculator(const Verifier& how = {}) noexcept : how_(how) {}
    /// The verifier. Its parameters may change between rounds.
    Verifier& how() noexcept { return how_; }
    /// The verifier, for reading alone.
    const Verifier& how() const noexcept { return how_; }

    /// A round with a line. Row 0 is what the model says behind the text, row i behind i tokens of the draft: a
    /// logit_rows (or a row-major matrix), or a function of a std::size_t that gives a logit_row, or what turns into
    /// one; rows are looked at in order, and those behind what is accepted may not be asked for. `ends` are tokens that
    /// end the text.
    ///
    /// What is decided is accepted by the chain when verify returns, so that a mark of before takes it back. A drafted
    /// token that the row does not have cuts the draft there. Where there are too few rows, a row that is asked for is
    /// empty or has no legal token, the chain has no selector, or more than longest_draft tokens are drafted, the state
    /// says so, and nothing has changed.
    ///
    /// Costs a peek of the chain for each row that is looked at; and for verifiers by laws about 10 ns for each entry
    /// of a drafted token's law.
    template <class Chain, class Rows>
    const verified&(verify)(Chain& chain, const draft& proposed, const Rows& rows,
                            std::span<const token_id> ends = {}) noexcept {
        const detail::logit_source<Rows> source(rows);
        detail::round_of<Chain> round(chain, proposed.size(), ends, tokens_, result_);
        if (const status s = can_begin(source, proposed.size(), proposed.size()); !s.ok()) {
            round.fail(s);
        } else if constexpr (matches) {
            detail::match_line(round, proposed, source);
        } else if constexpr (takes_blocks) {
            detail::block_round<Chain, Rows>(round, how_.seed, proposed, source, positions_, laws_, left_).run();
        } else if constexpr (is_typical) {
            detail::accept_typical_line(round, how_, proposed, source);
        } else {
            detail::reject_line(round, how_.seed, proposed, source, left_);
        }
        return result_;
    }
    /// A round with a tree: row 0 is behind the text, row 1 + n behind node n. Ends, failures and costs are those of a
    /// round with a line.
    template <class Chain, class Rows>
    const verified&(verify)(Chain& chain, const draft_tree& proposed, const Rows& rows,
                            std::span<const token_id> ends = {}) noexcept {
        static_assert(!takes_blocks, "riffle: block verification takes a line; a tree is verified by match or "
                                     "recursive_rejection");
        const detail::logit_source<Rows> source(rows);
        detail::round_of<Chain> round(chain, proposed.size(), ends, tokens_, result_);
        if (const status s = can_begin(source, proposed.size(), proposed.deepest()); !s.ok()) {
            round.fail(s);
        } else if constexpr (matches) {
            detail::match_tree(round, proposed, source);
        } else if constexpr (is_typical) {
            detail::accept_typical_tree(round, how_, proposed, source);
        } else {
            detail::reject_tree(round, how_.seed, with_replacement(), proposed, source, left_, asked_);
        }
        return result_;
    }

    /// Allocates for rounds of up to so many drafted tokens whose laws, or those of the chain, have up to
    /// `vocabulary_size` tokens; out_of_memory where there is not as much. (Laws that stay in the row take no memory.
    /// Under block verification the listed laws of all positions are kept.)
    status reserve(std::size_t vocabulary_size, std::size_t positions) noexcept {
        positions = (std::min)(positions, longest_draft);
        bool has_memory = tokens_.reserve(positions + 1);
        if constexpr (!matches && !is_typical) has_memory = has_memory && left_.reserve(vocabulary_size);
        if constexpr (rejects_recursively || rejects) has_memory = has_memory && asked_.reserve(vocabulary_size);
        if constexpr (takes_blocks) {
            const std::size_t listed = (std::min)(vocabulary_size, tuning::many_survivors);
            has_memory = has_memory && positions_.reserve(positions + 1) &&
                         laws_.reserve(listed * (positions + 1), positions + 1);
        }
        return has_memory ? status() : status(status_code::out_of_memory);
    }

private:
    template <class Source>
    static status can_begin(const Source& source, std::size_t drafted, std::size_t depth) noexcept {
        if (depth > longest_draft)
            return status::invalid("speculator", "drafted tokens", double(depth),
                                   "are more than 127: a chain could not go back as far", status_code::rewind_too_far);
        return source.can_give(drafted + 1);
    }
    bool with_replacement() const noexcept {
        if constexpr (rejects_recursively) return how_.with_replacement;
        else return false;
    }

    Verifier how_;
    verified result_;
    detail::growing_array<token_id> tokens_;
    detail::residual left_;
    detail::asked_tokens asked_;
    detail::growing_array<detail::block_position> positions_;
    detail::kept_laws laws_;
};

}  // namespace riffle
