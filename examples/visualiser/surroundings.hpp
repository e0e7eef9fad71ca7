#pragma once

#include <cstddef>

#include <nlohmann/json.hpp>

#include <riffle/constraint.hpp>
#include <riffle/riffle.hpp>

namespace visualiser {

/// Keeps members in the order in which they were written, so that two builds write the same text.
using json = nlohmann::ordered_json;

/// What a stage may refer to beside its own numbers.
struct surroundings {
    riffle::vocabulary words;      ///< the texts of the tokens, in the order of their ids
    riffle::vocabulary_trie trie;  ///< what grammars need of them
    std::size_t row_size = 0;      ///< logits in a row: as many as there are tokens, or more
};

}  // namespace visualiser
