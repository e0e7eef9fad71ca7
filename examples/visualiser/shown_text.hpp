#pragma once

#include <span>
#include <string>

#include <riffle/riffle.hpp>

#include "surroundings.hpp"

namespace visualiser {

/// The text of a token as JSON can hold it: bytes that are no whole characters become \xHH.
std::string shown_text(riffle::text piece);

/// The texts of all tokens, in the order of their ids.
json shown_texts(const riffle::vocabulary& words);

/// Tokens as pairs of an id and a text.
json shown_tokens(const riffle::vocabulary& words, std::span<const riffle::token_id> tokens);

}  // namespace visualiser
