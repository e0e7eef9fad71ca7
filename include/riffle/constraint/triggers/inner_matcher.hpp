#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
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
/// How many bytes of a token are free text, in which thoughts may begin: all of them where the matcher lets any text
/// pass at present, as one that is triggered does while it waits, and none where the token is of the constraint.
template <class Matcher>
std::size_t free_text_of(const Matcher& inner, token_id token, const text& bytes) noexcept {
    if constexpr (requires { inner.free_text_of(token, bytes); }) return inner.free_text_of(token, bytes);
    else return 0;
}
/// Whether it lets any text pass at present, as far as is known.
template <class Matcher>
bool passes_free_text(const Matcher& inner) noexcept {
    if constexpr (requires { inner.passes_free_text(); }) return inner.passes_free_text();
    else return false;
}
/// Some bytes, all of them or none. A matcher that takes none in the middle of a token refuses them.
template <class Matcher>
status accept_bytes_of(Matcher& inner, const text& bytes) noexcept {
    if constexpr (requires { inner.accept_bytes(bytes); }) return inner.accept_bytes(bytes);
    else return status::failed(status_code::stage_failed, "triggered");
}
/// Bytes with thoughts between them, which nothing is looked for across. They count as one token.
template <class Matcher>
status accept_parts_of(Matcher& inner, std::span<const text> parts) noexcept {
    if constexpr (requires { inner.accept_parts(parts); }) return inner.accept_parts(parts);
    for (const text& part : parts)
        if (!part.empty())
            if (const status s = accept_bytes_of(inner, part); !s.ok()) return s;
    return {};
}
/// Whether rollback goes back behind begin_again: by restart(), or since a mark is all that the matcher knows.
template <class Matcher>
constexpr bool goes_back_behind_beginnings = requires(Matcher& m) { m.restart(); } ||
                                             requires { requires Matcher::marks_are_whole; };
/// To the beginning of another text.
template <class Matcher>
status begin_again(Matcher& inner) noexcept {
    if constexpr (requires { inner.restart(); }) return inner.restart();
    else {
        inner.reset();
        return {};
    }
}
/// And takes some bytes of it, in two parts. Where they are refused nothing changes, if the matcher can restart so.
template <class Matcher>
status begin_again_with(Matcher& inner, const text& first, const text& behind) noexcept {
    if (first.empty() && behind.empty()) return begin_again(inner);
    if constexpr (requires { inner.restart(first, behind); }) return inner.restart(first, behind);
    const std::uint64_t earlier = inner.mark();
    status begun = begin_again(inner);
    for (const text& bytes : {first, behind})
        if (begun.ok() && !bytes.empty()) begun = accept_bytes_of(inner, bytes);
    if (!begun.ok()) (void)inner.rollback(earlier);
    return begun;
}
/// And takes a token of it.
template <class Matcher>
status begin_again_with(Matcher& inner, token_id token) noexcept {
    if constexpr (requires { inner.restart(token); }) return inner.restart(token);
    const std::uint64_t earlier = inner.mark();
    status begun = begin_again(inner);
    if (!begun.ok()) return begun;
    const step taken = inner.accept(token);
    if (taken.refused) (void)inner.rollback(earlier);
    return taken.refused ? taken.state : status();
}
template <class Matcher>
std::size_t forced_run_of(const Matcher& inner, std::span<token_id> into) noexcept {
    if constexpr (requires { inner.forced_run(into); }) return inner.forced_run(into);
    else return 0;
}

}  // namespace riffle::detail
