#pragma once
#include <span>

#include <riffle/constraint/longest_pieces.hpp>
#include <riffle/constraint/parsed.hpp>
#include <riffle/constraint/shared_pointer.hpp>
#include <riffle/constraint/thoughts/reasoning_budget.hpp>
#include <riffle/constraint/thoughts/thought_rules.hpp>
#include <riffle/constraint/vocabulary_trie.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI {

/// A reasoning_budget's tags and tokens, found in a vocabulary once: for budgeted matchers and for soft_landing. Copies
/// share it.
class thought_tags {
public:
    /// None: check() says so.
    thought_tags() noexcept = default;
    /// The end of thoughts is written in the longest tokens, from the left; where a token is the tag, in that.
    thought_tags(const vocabulary_trie& trie, const reasoning_budget& budget) noexcept {
        build(trie, budget, detail::longest_pieces(trie));
    }
    /// In the tokens in which the model's own tokeniser spells it: `tokenise(text)` gives a list of ids, as
    /// vocabulary::tokenise does.
    template <class Tokenise>
    thought_tags(const vocabulary_trie& trie, const reasoning_budget& budget, Tokenise tokenise) noexcept {
        build(trie, budget, tokenise);
    }
    /// invalid_parameter where a tag is empty, or the end cannot be spelt: why() says which; out_of_memory.
    status(check)() const noexcept { return problem_; }
    /// What is wrong; nothing in it where nothing is. Throws std::bad_alloc.
    parse_problem why() const { return rules_ && !problem_.ok() ? why_->problem : parse_problem(); }
    /// The tokens that are written where the budget ends the thoughts.
    std::span<const token_id> end_tokens() const noexcept {
        return rules_ ? std::span<const token_id>(rules_->forced) : std::span<const token_id>();
    }

    /// For riffle's own use; nullptr where check() fails.
    const detail::thought_rules* rules() const noexcept { return problem_.ok() ? rules_.get() : nullptr; }

private:
    struct shared_problem : detail::shared_object {
        parse_problem problem;
    };

    template <class Tokenise>
    void build(const vocabulary_trie& trie, const reasoning_budget& budget, Tokenise tokenise) noexcept {
        problem_ = (trie.check)();
        if (!problem_.ok()) return;
        RIFFLE_TRY {
            detail::shared_pointer<detail::thought_rules> made(new detail::thought_rules());
            detail::shared_pointer<shared_problem> why(new shared_problem());
            if (!made->build(budget, trie, tokenise, why->problem))
                problem_ = status::invalid("reasoning_budget", "tags", 0, "cannot be used: see why()");
            rules_ = detail::shared_pointer<const detail::thought_rules>(made.get());
            why_ = detail::shared_pointer<const shared_problem>(why.get());
        }
        RIFFLE_CATCH { problem_ = status_code::out_of_memory; }
    }

    detail::shared_pointer<const detail::thought_rules> rules_;
    detail::shared_pointer<const shared_problem> why_;
    status problem_ = status::invalid("reasoning_budget", "tags", 0, "are none: it was made without a vocabulary");
};

}  // namespace riffle
