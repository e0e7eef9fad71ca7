#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <riffle/core/token.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI {

/// How long a model may think, and how its thoughts begin and end. Limits below 0 are none; the first that is reached
/// ends the thoughts, and each block of thoughts has all of them again.
struct reasoning_budget {
    /// Those of the tags not among them, but for the first ones of an end that comes in several; 0: the thoughts end as
    /// they begin.
    std::int64_t tokens = -1;
    std::int64_t bytes = -1;         ///< of those tokens' texts
    std::int64_t milliseconds = -1;  ///< by the clock, from the first token on: a text is not repeatable then

    /// Tags, in whatever tokens they come; white space around them counts for nothing, since templates and tokenisers
    /// differ in it. The name of a control token is a tag, too.
    std::vector<std::string> begins = {"<think>"};
    std::vector<std::string> ends = {"</think>"};  ///< the first one is written where the budget ends the thoughts
    std::string message = {};                      ///< what is written ahead of that, "\nI have to answer now.\n" say

    bool starts_inside = false;  ///< the prompt ends within thoughts: templates write the tag themselves
    /// A token that ends generation within thoughts asks to be taken back (step::rewind is 1), and then the thoughts
    /// are ended. Otherwise it ends the text.
    bool end_of_generation_ends_thoughts = false;

    /// The last so many tokens of the budget in which soft_landing makes the end likelier; 0: none.
    std::uint32_t landing_tokens = 0;
    float landing_bias = 8.0f;  ///< which the logit of the end's token has got in the last of them, growing evenly

    /// Milliseconds of a clock that never goes back; nullptr: the system's. For tests.
    std::int64_t (*clock)() = nullptr;
};

}  // namespace riffle
