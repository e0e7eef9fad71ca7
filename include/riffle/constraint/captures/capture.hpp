#pragma once
#include <cstddef>
#include <string>

#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI {

/// A text that a captured part of a grammar matches.
struct capture {
    std::string name;       ///< of the part
    std::string bytes;      ///< as far as they have come; control tokens that the grammar names are none
    std::size_t begin = 0;  ///< bytes of the whole text ahead of it
    bool is_whole = true;   ///< false: the text within it goes on
};

}  // namespace riffle
