#pragma once
#include <cstddef>
#include <cstdint>

#include <riffle/constraint/constrain.hpp>
#include <riffle/core/legal_tokens.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI {

/// A matcher to which every token is legal: for what needs one, and has no constraint.
struct no_constraint {
    /// Nothing is kept, so nothing is lost by reset().
    static constexpr bool marks_are_whole = true;

    /// All of them.
    legal_tokens legal() const noexcept { return legal_tokens::all(); }
    /// Every token may come.
    bool allows(token_id) const noexcept { return true; }
    /// Takes any token.
    step accept(token_id) noexcept { return {}; }
    /// Takes any bytes.
    status accept_bytes(const text&) noexcept { return {}; }
    /// Always true.
    bool passes_free_text() const noexcept { return true; }
    /// All of a token is free text.
    std::size_t free_text_of(token_id, const text& bytes) const noexcept { return bytes.size(); }
    /// A text may end anywhere.
    bool is_complete() const noexcept { return true; }
    /// Nothing is kept.
    void reset() noexcept {}
    /// Always 0.
    std::uint64_t mark() const noexcept { return 0; }
    /// Always true.
    bool rollback(std::uint64_t) noexcept { return true; }
};

}  // namespace riffle
