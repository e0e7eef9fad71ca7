#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include <riffle/constraint/parsed.hpp>
#include <riffle/core/status.hpp>
#include <riffle/math/config.hpp>
#include <riffle/riffle.h>

namespace riffle::inline RIFFLE_ABI::c {

/// Of a struct that a program gives: whether it says its size.
template <class Struct>
bool has_size(const Struct* given) noexcept {
    return given && given->struct_size >= sizeof given->struct_size;
}
/// Fills a program's struct, as much of it as the program knows; its size stays.
template <class Struct>
void fill(Struct* given, Struct known) noexcept {
    const std::size_t size = given->struct_size < sizeof known ? given->struct_size : sizeof known;
    known.struct_size = given->struct_size;
    std::memcpy(given, &known, size);
}
/// What a program's struct says; what the program does not know is 0.
template <class Struct>
Struct read(const Struct* given) noexcept {
    Struct known{};
    if (!has_size(given)) return known;
    const std::size_t size = given->struct_size < sizeof known ? given->struct_size : sizeof known;
    std::memcpy(&known, given, size);
    return known;
}

/// As much of a sentence as there is room for, whole characters of it, and a 0.
inline void write_sentence(char* to, std::size_t room, const char* sentence) noexcept {
    if (room == 0) return;
    std::size_t size = std::strlen(sentence);
    if (size >= room) {
        size = room - 1;
        while (size > 0 && (std::uint8_t(sentence[size]) & 0xC0) == 0x80) --size;
    }
    std::memcpy(to, sentence, size);
    to[size] = '\0';
}
/// Writes a problem, where the program wants to know: with as much of the sentence as its struct has room for.
inline void tell(riffle_problem* to, riffle_problem all, const char* sentence) noexcept {
    if (!has_size(to)) return;
    constexpr std::size_t ahead = offsetof(riffle_problem, sentence);
    const std::size_t size = to->struct_size < sizeof all ? to->struct_size : sizeof all;
    write_sentence(all.sentence, size > ahead ? size - ahead : 0, sentence);
    fill(to, all);
}
inline void tell(riffle_problem* to, std::int32_t code, const char* why) noexcept {
    riffle_problem all{};
    all.code = code;
    tell(to, all, why);
}
inline void tell(riffle_problem* to, const status& why) noexcept {
    tell(to, std::int32_t(why.code()), why.message().c_str());
}
/// Of a text that could not be read. (Its message takes memory.)
inline void tell(riffle_problem* to, const parse_problem& why) noexcept {
    riffle_problem all{};
    all.code = why.sentence == "out of memory" ? riffle_out_of_memory : riffle_cannot_be_read;
    all.line = std::uint32_t(why.line);
    all.column = std::uint32_t(why.column);
    all.offset = why.offset;
    RIFFLE_TRY { tell(to, all, why.message().c_str()); }
    RIFFLE_CATCH { tell(to, all, why.sentence.c_str()); }
}

}  // namespace riffle::c

extern "C" {

std::int32_t riffle_version(void) {
    return RIFFLE_VERSION_MAJOR * 10000 + RIFFLE_VERSION_MINOR * 100 + RIFFLE_VERSION_PATCH;
}
const char* riffle_code_text(std::int32_t code) {
    switch (code) {
    case riffle_ok: return "ok";
    case riffle_empty_row: return "the row has no logits";
    case riffle_row_too_long: return "the row has more logits than a token id can index";
    case riffle_no_legal_token: return "no legal token is left: every logit is -inf, NaN or masked";
    case riffle_invalid_parameter: return "a parameter has no meaning";
    case riffle_not_monotone: return "the map is claimed to be monotone, but falls";
    case riffle_bad_candidates: return "the candidates have no data, or an id below 0";
    case riffle_mark_unknown: return "the mark lies ahead, behind other tokens, or is of other stages";
    case riffle_rewind_too_far: return "more than 128 tokens back, or past the start";
    case riffle_out_of_memory: return "out of memory";
    case riffle_no_selector: return "the chain has no selector, so it chooses no token";
    case riffle_not_a_token: return "an id below 0 is no token";
    case riffle_storage_overlaps: return "the storage overlaps the one in use";
    case riffle_storage_too_small: return "the storage is too small";
    case riffle_chain_malformed: return "the stages cannot be put together in this order";
    case riffle_stage_failed: return "a stage failed, or refused the token";
    case riffle_stage_stuck: return "a stage cannot go back as far, so the chain stays where it is";
    case riffle_dead_end: return "what has to follow no token can spell";
    case riffle_row_lost: return "the row of the graph is not there any more";
    case riffle_bad_argument: return "an argument is NULL, or the size of a struct is not one";
    case riffle_cannot_be_read: return "a text cannot be read";
    case riffle_not_built_in: return "riffle was compiled without nlohmann-json, which this needs";
    default: return "an unknown code";
    }
}
}
