#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <riffle/core/token.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Where a constraint begins that a trigger has woken.
enum class constraint_begins : std::uint8_t {
    behind,           ///< behind the trigger
    with_the_trigger  ///< the trigger is the beginning of its text; not for patterns
};

/// What free text may turn into a constrained one. The first of them whose end comes counts; of those that end together
/// the longest.
struct triggers {
    std::vector<std::string> words = {};  ///< bytes, wherever tokens begin and end
    /// ECMA-262's regular expressions, as parse_regex reads them; the first end of a match fires. They may look behind
    /// with `^` to the beginning of the text, or of what follows the last constrained part; `$` holds anywhere, since
    /// the text has not gone on yet. Bytes that are not UTF-8 count as U+FFFD.
    std::vector<std::string> patterns = {};
    std::vector<token_id> tokens = {};                     ///< control tokens, say; of the vocabulary
    constraint_begins begins = constraint_begins::behind;  ///< where the constraint begins
};

/// What follows when a constraint that was triggered is complete, and nothing more can be written of it.
enum class after_constraint : std::uint8_t {
    once,   ///< the end of the text
    free,   ///< free text, in which nothing is triggered
    rearm,  ///< free text, in which triggers wake it again
};

}  // namespace riffle
