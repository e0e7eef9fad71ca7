#pragma once
#include <cstddef>
#include <span>

#include <riffle/constraint/constrain.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/token.hpp>

// What is asked of a matcher inside of another one, and what holds for those that do not know.

namespace riffle::inline RIFFLE_ABI::detail {

template <class Matcher>
status check_of(const Matcher& inner) noexcept {
    if constexpr (requires { (inner.check)(); }) return (inner.check)();
    else return {};
}
/// Whether the text may end here: not known, so no.
template <class Matcher>
bool is_complete(const Matcher& inner) noexcept {
    if constexpr (requires { inner.is_complete(); }) return inner.is_complete();
    else return false;
}
/// Whether nothing of the constraint may follow.
template <class Matcher>
bool is_finished(const Matcher& inner) noexcept {
    if constexpr (requires { inner.is_finished(); }) return inner.is_finished();
    else return false;
}
/// Whether it lets any text pass at present: one that is triggered does while it waits.
template <class Matcher>
bool passes_any_text(const Matcher& inner) noexcept {
    if constexpr (requires { inner.is_awake(); }) return !inner.is_awake();
    else return legal_tokens_of(inner).are_all;
}
/// Some bytes, all of them or none. A matcher that takes none in the middle of a token refuses them.
template <class Matcher>
status accept_bytes_of(Matcher& inner, const text& bytes) noexcept {
    if constexpr (requires { inner.accept_bytes(bytes); }) return inner.accept_bytes(bytes);
    else return status::failed(status_code::stage_failed, "triggered");
}
/// To the beginning of another text, in a way that rollback can take back where the matcher has one.
template <class Matcher>
status begin_again(Matcher& inner) noexcept {
    if constexpr (requires { inner.restart(); }) return inner.restart();
    else {
        inner.reset();
        return {};
    }
}
template <class Matcher>
std::size_t forced_run_of(const Matcher& inner, std::span<token_id> into) noexcept {
    if constexpr (requires { inner.forced_run(into); }) return inner.forced_run(into);
    else return 0;
}

}  // namespace riffle::detail
