#pragma once
#include <riffle/core/candidates.hpp>
#include <riffle/core/logit_edit.hpp>
#include <riffle/core/token_counts.hpp>

// Stages that change the logits of a few tokens do the same to a row (or to a list of edits for a row that lies
// elsewhere) and to candidates: only how the tokens are found differs.

namespace riffle::inline RIFFLE_ABI {

/// A logit_edit, edit_of(count), for every token that was counted: in a row O(counted), in candidates O(size).
template <class Row, class EditOf>
void change_counted(Row& r, const token_counts& counts, EditOf edit_of) noexcept {
    counts.each([&](token_id token, std::int32_t count) { r.edit(token, edit_of(count)); });
}
template <class EditOf>
void change_counted(candidates& c, token_counts counts, EditOf edit_of) noexcept {
    counts.settle();
    for (auto& token : c)
        if (const auto count = counts.count(token.id)) token.logit = canonical(edit_of(count)(token.logit));
}

/// One edit for every token of a set.
template <class Row, class Set>
void change_each(Row& r, const Set& tokens, const logit_edit& change) noexcept {
    const auto edit = [&](token_id id) { r.edit(id, change); };
    if constexpr (requires { r.size(); }) tokens.each_below(r.size(), edit);
    else tokens.each(edit);
}
template <class Set>
void change_each(candidates& c, const Set& tokens, const logit_edit& change) noexcept {
    for (auto& token : c)
        if (tokens.contains(token.id)) token.logit = canonical(change(token.logit));
}

/// One edit for one token.
template <class Row>
void change_one(Row& r, token_id id, const logit_edit& change) noexcept {
    r.edit(id, change);
}
inline void change_one(candidates& c, token_id id, const logit_edit& change) noexcept {
    for (auto& token : c)
        if (token.id == id) token.logit = canonical(change(token.logit));
}

}  // namespace riffle
