#pragma once
#include <cstdint>
#include <llama.h>
#include <new>
#include <type_traits>

#include <riffle/math/config.hpp>

// What differs between versions of llama.h, from September 2024 on: the table of functions that a sampler of one's own
// fills in has grown from 6 to 14 members, and its constructor came later. Nothing here asks for a version, there is no
// macro that tells it: every member and function is looked for, in templates, where a missing one is no error.

namespace riffle::inline RIFFLE_ABI::llama::detail {

/// The functions of a sampler that the header knows, as far as the sampler has them: `Functions` has static members
/// with the names of llama_sampler_i. What the header does not know is not asked for, and what riffle does not know
/// stays null.
template <class Functions, class Interface>
constexpr Interface make_interface() noexcept {
    Interface i{};
    i.name = &Functions::name;
    i.apply = &Functions::apply;
    i.clone = &Functions::clone;
    i.free = &Functions::free;
    if constexpr (requires { i.accept = &Functions::accept; }) i.accept = &Functions::accept;
    if constexpr (requires { i.reset = &Functions::reset; }) i.reset = &Functions::reset;
    if constexpr (requires { i.copy_state = &Functions::copy_state; }) i.copy_state = &Functions::copy_state;
    if constexpr (requires { i.backend_init = &Functions::backend_init; }) {  // all together, since January 2026
        i.backend_init = &Functions::backend_init;
        i.backend_apply = &Functions::backend_apply;
        i.backend_set_input = &Functions::backend_set_input;
        if constexpr (requires { i.backend_reset; }) i.backend_reset = &Functions::backend_reset;
    }
    return i;
}

/// One table a kind of sampler, where llama.cpp finds it through a pointer. Not const: some versions take a pointer to
/// const and some do not, and this binds to both.
template <class Functions>
RIFFLE_LOCAL inline constinit llama_sampler_i interface_of = make_interface<Functions, llama_sampler_i>();

/// A sampler from its table and state, nullptr where there is no memory; llama_sampler_free gives it back.
template <class Interface>
llama_sampler* new_sampler(Interface* functions, void* state) noexcept {
    if constexpr (requires { llama_sampler_init(functions, state); }) {
        RIFFLE_TRY { return llama_sampler_init(functions, state); }
        RIFFLE_CATCH { return nullptr; }
    } else {  // before February 2025 everyone made their own, and llama_sampler_free deletes it
        auto* made = new (std::nothrow) llama_sampler;
        if (made) *made = {functions, state};
        return made;
    }
}

}  // namespace riffle::llama::detail
