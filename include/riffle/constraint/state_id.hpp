#pragma once
#include <cstdint>

#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// A state by its number. Below 0 there is no state: not_built, dead, or an automaton_error.
using state_id = std::int32_t;
enum : state_id {
    not_built = -1,
    dead = -2,  ///< no text goes on so
};

/// Why a state or a mask could not be made.
enum class automaton_error : state_id {
    none = 0,
    too_shallow = -3,  ///< it depends on more levels of callers than are seen
    full = -4,         ///< the caches hold as much as they may
    too_large = -5,    ///< one state has more configurations than it may
    crowded = -6,      ///< what other automata hold leaves no room
    no_memory = -7,
};
constexpr state_id failed(automaton_error why) noexcept { return state_id(why); }
constexpr automaton_error error_of(state_id s) noexcept {
    return s < dead ? automaton_error(s) : automaton_error::none;
}

}  // namespace riffle::detail
