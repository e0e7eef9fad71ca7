#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// What a model is doing as far as its thoughts are concerned.
enum class thinking : std::uint8_t {
    outside,
    counting,               ///< within thoughts
    waiting_for_character,  ///< the budget is spent, and a character is not whole yet
    forcing,                ///< the end of the thoughts is being written
    behind,                 ///< the end has come; white space may follow that is nobody's
};

/// How far a model's thoughts are: 24 bytes, which is all that a mark keeps of them.
struct thought_state {
    std::uint64_t deadline = 0;  ///< in milliseconds of the clock; 0: none
    std::uint32_t tag = 0;  ///< state of the automaton of tags: those that begin thoughts, within those that end them
    std::uint32_t tokens_left = 0;  ///< within thoughts; forcing: how many were written; behind: tokens of white space
    std::uint32_t bytes_left = 0;   ///< within thoughts
    std::uint32_t held : 26 = 0;    ///< within thoughts: the beginning of a character
    std::uint32_t doing_number : 3 = 0;
    std::uint32_t has_begun : 1 = 0;  ///< for who cannot make the first one by thought_rules::begin
    std::uint32_t may_open : 1 = 1;   ///< outside: all that was said is the beginning of a tag, and white space

    thinking doing() const noexcept { return thinking(doing_number); }
    void set(thinking what) noexcept { doing_number = std::uint32_t(what) & 7; }
    bool is_inside() const noexcept {
        return doing() == thinking::counting || doing() == thinking::waiting_for_character ||
               doing() == thinking::forcing;
    }
};
static_assert(sizeof(thought_state) == 24);

/// What a token does to thoughts.
struct thought_step {
    /// What of its bytes lies outside of thoughts, in parts between which thoughts lie. (Where it ends within thoughts,
    /// or just behind them, the last one is empty.)
    std::array<text, 6> said{};
    std::size_t parts = 0;
    bool begins = false, ends = false;  ///< in it
    bool is_too_long = false;           ///< it has more parts

    bool touches_thoughts() const noexcept { return begins || ends; }
    std::span<const text> all_said() const noexcept { return {said.data(), parts}; }
    bool says_nothing() const noexcept {
        for (const text& part : all_said())
            if (!part.empty()) return false;
        return true;
    }
    void say(const text& part) noexcept {
        if (parts == said.size()) is_too_long = true;
        else said[parts++] = part;
    }
};

}  // namespace riffle::detail
