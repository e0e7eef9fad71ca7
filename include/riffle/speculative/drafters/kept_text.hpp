#pragma once
#include <cstddef>
#include <span>

#include <riffle/core/growing_array.hpp>
#include <riffle/core/token.hpp>
#include <riffle/speculative/drafts/draft.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// The text that a drafter copies from.
class kept_text {
public:
    /// Ids below 0 are left out. False where there was no memory for all of it: then it begins anew, since tokens with
    /// a gap between them would be a text that never was.
    [[nodiscard]] bool accept(std::span<const token_id> tokens) noexcept {
        bool is_whole = true;
        for (const token_id token : tokens) {
            if (token < 0 || tokens_.push(token)) continue;
            tokens_.clear();
            is_whole = false;
        }
        return is_whole;
    }
    void clear() noexcept { tokens_.clear(); }

    std::size_t size() const noexcept { return tokens_.size(); }
    std::size_t bytes() const noexcept { return tokens_.bytes(); }
    token_id operator[](std::size_t i) const noexcept { return tokens_[i]; }
    /// All from a place on, which is at most size.
    std::span<const token_id> from(std::size_t first) const noexcept {
        return tokens_.part(first, tokens_.size() - first);
    }
    /// The token that has `back` others behind it, where `d` follows the text. Both together must be longer than that.
    token_id from_end(const draft& d, std::size_t back) const noexcept {
        return back < d.size() ? d[d.size() - 1 - back] : tokens_[tokens_.size() - 1 - (back - d.size())];
    }

private:
    growing_array<token_id> tokens_;
};

/// Proposes what followed somewhere: at most `length` tokens, and until the draft has `most`. Answers how many.
inline std::size_t propose_copy(std::span<const token_id> of, draft& d, std::size_t length, std::size_t most) noexcept {
    std::size_t added = 0;
    while (added < of.size() && added < length && d.size() < most && d.push(of[added])) ++added;
    return added;
}

}  // namespace riffle::detail
