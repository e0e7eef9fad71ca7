#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <riffle/core/facts.hpp>

// What stages keep inside themselves between tokens: how much a mark of a chain has to save of each, and how the marks
// of chains with other stages are told apart.

namespace riffle::detail {

/// mark() and rollback(mark): a stage that says itself what has to be kept of it.
template <class S>
concept has_own_mark = requires(S& s, const S& same) { s.rollback(same.mark()); };

/// Bytes of what a stage keeps inside itself: its own mark where it has one, else the whole stage. An empty stage keeps
/// nothing, and its one byte may be another stage's: a tuple gives it no place of its own.
template <class S>
constexpr std::size_t saved_bytes() {
    if constexpr (!has_accept<S>) return 0;
    else if constexpr (has_own_mark<S>) return sizeof(std::declval<const S&>().mark());
    else if constexpr (std::is_empty_v<S>) return 0;
    else return sizeof(S);
}
template <class S>
constexpr bool saves_state() {
    if constexpr (!has_accept<S>) return true;
    else if constexpr (has_own_mark<S>) return std::is_trivially_copyable_v<decltype(std::declval<const S&>().mark())>;
    else return std::is_trivially_copyable_v<S>;
}

/// An address that only stages of the same type share (there may be no RTTI).
template <class S>
const void* type_of() noexcept {
    static char address;  // not const: equal constants may be folded into one
    return &address;
}
/// Takes a type into the hash of those before it (FNV-1a, by bytes of the address).
inline std::uint32_t with_type(std::uint32_t hash, const void* type) noexcept {
    for (auto rest = reinterpret_cast<std::uintptr_t>(type); rest; rest >>= 8)
        hash = (hash ^ std::uint32_t(rest & 0xff)) * 16777619u;
    return hash ? hash : 1;
}
inline constexpr std::uint32_t no_types = 2166136261u;  ///< the hash to begin with

}  // namespace riffle::detail
