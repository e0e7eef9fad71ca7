#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include <riffle/core/facts.hpp>
#include <riffle/core/numbers_in_bytes.hpp>
#include <riffle/core/policies.hpp>

// What is kept from token to token, inside a stage of the user's or by the chain for one of riffle's: how it begins,
// how much a mark of a chain has to save of it, and how the marks of chains with other stages are told apart.

namespace riffle::inline RIFFLE_ABI::detail {

/// mark() and rollback(mark): something that says itself what has to be saved of it.
template <class T>
concept has_own_mark = requires(T& t, const T& same) { t.rollback(same.mark()); };

/// Bytes of an object in a mark: its own mark where it has one, else the whole of it. An empty object keeps nothing,
/// and its one byte may be another's: a tuple gives it no place of its own.
template <class T>
constexpr std::size_t bytes_in_mark() {
    if constexpr (has_own_mark<T>) return sizeof(std::declval<const T&>().mark());
    else if constexpr (std::is_empty_v<T>) return 0;
    else return sizeof(T);
}
template <class T>
constexpr bool is_marked_by_bytes() {
    if constexpr (has_own_mark<T>) return std::is_trivially_copyable_v<decltype(std::declval<const T&>().mark())>;
    else return std::is_trivially_copyable_v<T>;
}
template <class T>
void save_bytes(const T& from, std::byte* to) noexcept {
    if constexpr (has_own_mark<T>) {
        const auto m = from.mark();
        std::memcpy(to, &m, sizeof m);
    } else {
        std::memcpy(to, &from, bytes_in_mark<T>());
    }
}
/// False where the object says that it could not go back.
template <class T>
bool restore_bytes(T& to, const std::byte* from) noexcept {
    if constexpr (has_own_mark<T>) {
        auto m = std::as_const(to).mark();
        std::memcpy(&m, from, sizeof m);
        if constexpr (requires { bool(to.rollback(m)); }) return bool(to.rollback(m));
        else to.rollback(m);
    } else {
        std::memcpy(static_cast<void*>(&to), from, bytes_in_mark<T>());
    }
    return true;
}

/// What a chain keeps for a stage and a mark does not hold: numbers() of 32 bits, written and read.
template <class T>
concept keeps_more_than_its_mark = requires(const T& t, T& to, file_writer& out, const bytes_of_file& in) {
    { t.numbers() } noexcept;
    { t.write(out) } noexcept;
    { to.read(in, true) } noexcept;
};

struct nothing_kept {};

/// How a chain with these policies keeps what stage S needs from token to token: `type` lies in the chain.
/// Here: nothing; a user's stage with accept keeps its own, inside itself.
template <class Policies, class S>
struct stage_state {
    using type = nothing_kept;
    static constexpr bool has_generator = false;  ///< one of its own, so that a fork changes it
    static constexpr bool changes = has_accept<S>;
    static constexpr bool can_be_saved = !changes || is_marked_by_bytes<S>();
    static constexpr std::size_t saved = changes ? bytes_in_mark<S>() : 0;
    /// A mark of its own may be no more than a place in what the stage itself remembers.
    static constexpr bool is_read_again = has_own_mark<S>;

    static type begin(const S&) noexcept { return {}; }
    static void reset(S& stage, type&) noexcept {
        if constexpr (has_reset<S>) stage.reset();
    }
    static void save(const S& stage, const type&, std::byte* to) noexcept { save_bytes(stage, to); }
    static bool restore(S& stage, type&, const std::byte* from) noexcept { return restore_bytes(stage, from); }
};

/// A built-in stage's own state.
template <class S>
struct own_state {
    using type = typename S::state;
    static constexpr bool has_generator = false;
    static constexpr bool changes = true;
    static constexpr bool can_be_saved = is_marked_by_bytes<type>();
    static constexpr std::size_t saved = bytes_in_mark<type>();
    static constexpr bool is_read_again = false;

    static type begin(const S&) noexcept { return {}; }
    static void reset(S&, type& kept) noexcept { kept = {}; }
    static void save(const S&, const type& kept, std::byte* to) noexcept { save_bytes(kept, to); }
    static bool restore(S&, type& kept, const std::byte* from) noexcept { return restore_bytes(kept, from); }
};
template <class Policies, class S>
    requires(has_built_in_facts<S> && has_state<S> && Policies::arithmetic != numerics::llama)
struct stage_state<Policies, S> : own_state<S> {};

}  // namespace riffle::detail
