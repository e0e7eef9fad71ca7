#pragma once

#include <span>
#include <string>
#include <vector>

#include <riffle/riffle.hpp>

#include "chosen_stages.hpp"
#include "surroundings.hpp"

namespace visualiser {

/// The text that a chain has read, in tokens.
struct text_so_far {
    std::vector<riffle::token_id> prompt, generated;

    std::vector<riffle::token_id> all() const;
};

/// Makes a chain of the stages that are on, and has it read a text. A stage that refuses a token of it, a grammar say,
/// begins where the text ends: then all of it is a prompt. Answers what is wrong with a stage, or nothing.
std::string make_chain(riffle::dynamic_chain& into, const std::vector<chosen_stage>& stages, const surroundings& around,
                       const text_so_far& text);

/// What the first `count` stages of a chain leave of a row, in the order of ranks, p normalised: of the chain as it
/// stands, with all that its stages have learnt. Nothing where its step fails ahead of there.
std::vector<riffle::token_data> left_behind(riffle::dynamic_chain chain, std::size_t count, std::span<const float> row);

}  // namespace visualiser
