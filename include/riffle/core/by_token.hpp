#pragma once
#include <riffle/core/candidates.hpp>
#include <riffle/core/row.hpp>
#include <riffle/core/token_counts.hpp>

// Stages that change the logits of a few tokens do the same to a row and to candidates: only how the tokens are found
// differs.

namespace riffle {

/// change(logit, count) of every token that was counted: in a row O(counted), in candidates O(size).
template <class Change>
void change_counted(row& r, const token_counts& counts, Change change) noexcept {
    for (const auto& slot : counts.slots())
        if (slot.count) r.edit(slot.token, [&](float logit) { return change(logit, slot.count); });
}
template <class Change>
void change_counted(candidates& c, const token_counts& counts, Change change) noexcept {
    for (auto& token : c)
        if (const auto count = counts.count(token.id)) token.logit = canonical(change(token.logit, count));
}

/// change(logit) of every token of a set.
template <class Set, class Change>
void change_each(row& r, const Set& tokens, Change change) noexcept {
    tokens.each([&](token_id id) { r.edit(id, change); });
}
template <class Set, class Change>
void change_each(candidates& c, const Set& tokens, Change change) noexcept {
    for (auto& token : c)
        if (tokens.contains(token.id)) token.logit = canonical(change(token.logit));
}

/// change(logit) of one token.
template <class Change>
void change_one(row& r, token_id id, Change change) noexcept {
    r.edit(id, change);
}
template <class Change>
void change_one(candidates& c, token_id id, Change change) noexcept {
    for (auto& token : c)
        if (token.id == id) token.logit = canonical(change(token.logit));
}

}  // namespace riffle
