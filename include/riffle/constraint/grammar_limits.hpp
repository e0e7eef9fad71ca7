#pragma once
#include <cstddef>
#include <cstdint>

#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI {

/// How far a grammar may go, and what is made of it.
///
/// A grammar beyond one of the first five is refused while it is read; `depth` bounds the stack, too (256: 220 KB at
/// most).
///
/// A text that can be read in more ways than `configurations`, or in so many ways that finding them takes 16 times as
/// many steps, is refused (stage_failed) by the token that leads there; a mask may still have that token, since it does
/// not look so far. Where `states`, `automaton_bytes` or `mask_bytes` is reached, the caches are dropped and filled
/// again; a single state or mask that does not fit gets the default limits at least, and is refused (stage_failed)
/// where it does not fit them either.
///
/// A matcher that is kept, but not used any more, keeps the caches it stands in (after reset() none, until it is asked
/// for something), and those that come after them are smaller. All caches of a grammar and a vocabulary together stay
/// within twice `automaton_bytes` and `mask_bytes`, or twice the defaults (192 MB) where those are more, and an eighth
/// more while matchers move; a token that needs more is refused (stage_failed) until other matchers are gone. So with
/// the defaults no grammar and no text takes more than 256 MB, however many matchers it has.
struct grammar_limits {
    std::size_t text_bytes = 1 << 20;        ///< of the source
    std::uint32_t depth = 256;               ///< groups within groups, up to 1,024; repetitions four times as deep
    std::uint32_t repetitions = 1'000'000;   ///< the greatest number in `{m,n}`
    std::uint32_t rules = 1 << 16;           ///< with a name
    std::uint32_t nodes = 1 << 18;           ///< states of the automaton that a grammar is compiled to
    std::uint32_t states = 1 << 17;          ///< of the lazily built automaton
    std::uint32_t configurations = 4096;     ///< of one such state: in how many ways a text can be read so far
    std::size_t automaton_bytes = 48 << 20;  ///< of those states
    std::size_t mask_bytes = 48 << 20;       ///< of the masks
};

}  // namespace riffle
