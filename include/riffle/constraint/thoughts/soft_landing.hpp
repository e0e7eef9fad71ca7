#pragma once
#include <cstddef>
#include <cstdint>

#include <riffle/constraint/thoughts/thought_rules.hpp>
#include <riffle/constraint/thoughts/thought_tags.hpp>
#include <riffle/core/by_token.hpp>
#include <riffle/core/context.hpp>
#include <riffle/core/facts.hpp>
#include <riffle/core/last_choice.hpp>
#include <riffle/core/logit_edit.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Makes the end of thoughts likelier as their budget of tokens runs out, so that a model may find one before it is
/// forced to: over the last reasoning_budget::landing_tokens the logit of the token that goes on with the end tag gets
/// an even share more with each token, and landing_bias with the last.
///
///     auto c = constrain{budgeted(tags, matcher)} | soft_landing{tags} | top_k{40} | dist{.seed = 1};
///
/// It follows the text by itself, in 24 bytes of a mark, and may stand without a budgeted matcher: then nothing is
/// forced. A tag begins thoughts anywhere in the text, or as budgeted has it beside a grammar only at its beginning and
/// behind other thoughts: `anywhere` says which. Off without tags, and with landing_tokens = 0. O(bytes of the token).
struct soft_landing {
    thought_tags tags{};   ///< of the budget
    bool anywhere = true;  ///< false: only what a text begins with are thoughts, as beside a grammar

    static constexpr const char* name = "soft_landing";  ///< in statuses, plans and reports
    /// What plans are made from.
    static constexpr facts fact{.edits = true};

    /// How far the thoughts are.
    using state = detail::thought_state;

    /// Adds to the logit of the end's next token.
    template <class Logits>
    void change(Logits& of, const context&, const state& kept) const noexcept {
        const detail::thought_rules* const rules = tags.rules();
        if (!rules) return;
        const state now = kept.has_begun && rules->knows(kept) ? kept : rules->begin();
        const std::uint32_t last = rules->budget.landing_tokens;
        if (now.doing() != detail::thinking::counting || now.tokens_left > last || last == 0) return;
        const float bias = rules->budget.landing_bias * float(last + 1 - now.tokens_left) / float(last);
        const token_id next = next_of_end(*rules, now.tag);
        if (next != null_token) change_one(of, next, logit_edit::adding(bias));
    }
    /// Follows the thoughts. Tokens of a prompt are none.
    step accept(state& kept, token_id token, const last_choice* last) const noexcept {
        const detail::thought_rules* const rules = tags.rules();
        if (!rules || !last) return {};
        if (!kept.has_begun || !rules->knows(kept)) kept = rules->begin();
        (void)rules->read(token, kept, anywhere ? rules->shown(token).size() : 0, anywhere);
        kept.has_begun = 1;
        return {};
    }
    /// What is wrong with the tags; without any it is off.
    status(check)() const noexcept {
        const status tagged = (tags.check)();
        return tags.end_tokens().empty() ? status() : tagged;
    }

private:
    /// The token with which the end goes on behind those of its bytes that have come; its first one where they lie
    /// within one.
    static token_id next_of_end(const detail::thought_rules& rules, std::uint32_t tag) noexcept {
        const std::size_t come = rules.ends.come_of(detail::without_space(rules.budget.ends[0]), {tag});
        std::size_t bytes = 0;
        for (std::size_t i = rules.first_of_end; i < rules.forced.size(); ++i) {
            if (bytes == come) return rules.forced[i];
            bytes += rules.trie->piece(rules.forced[i]).size();
        }
        return rules.forced[rules.first_of_end];
    }
};

}  // namespace riffle
