#pragma once
#include <cstdint>

#include <riffle/constraint/grammar_limits.hpp>
#include <riffle/constraint/state_id.hpp>
#include <riffle/core/byte_set.hpp>
#include <riffle/core/status.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// What a matcher says where its automaton has no answer.
inline status status_of(automaton_error why, const grammar_limits& limits) noexcept {
    if (why == automaton_error::no_memory) return status_code::out_of_memory;
    if (why == automaton_error::full)
        return status::invalid("grammar_limits", "automaton_bytes", double(limits.automaton_bytes),
                               "is too small for a text nested as deeply as this", status_code::stage_failed);
    if (why == automaton_error::crowded)
        return status::invalid("grammar_limits", "automaton_bytes", double(limits.automaton_bytes),
                               "leaves no room beside what other matchers of the grammar hold",
                               status_code::stage_failed);
    if (why == automaton_error::too_large)
        return status::invalid("grammar_limits", "configurations", double(limits.configurations),
                               "is too small for a text as ambiguous as this", status_code::stage_failed);
    return status::failed(status_code::stage_failed, "constrain");
}

/// What a matcher says where no token can spell one of the bytes that may come next: `begun` are those with which a
/// token begins. One that none begins with says most.
inline status dead_end_status(const byte_set& next, const byte_set& begun) noexcept {
    if (next.empty()) return status::failed(status_code::dead_end, "constrain");
    for (unsigned byte = 0; byte < 256; ++byte)
        if (next.contains(std::uint8_t(byte)) && !begun.contains(std::uint8_t(byte)))
            return status::invalid("constrain", "the next byte", double(byte), "may come, but no token begins with it",
                                   status_code::dead_end);
    return status::invalid("constrain", "the next byte", double(next.first()),
                           "may come, but no token that begins with it goes on as it should", status_code::dead_end);
}

}  // namespace riffle::detail
