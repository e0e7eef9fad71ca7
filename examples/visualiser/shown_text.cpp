#include "shown_text.hpp"

#include <cstddef>

#include <fmt/format.h>

namespace visualiser {
namespace {

/// Bytes of the character that a text begins with (RFC 3629); 0 where it begins with none, or with a part of one.
std::size_t character_length(riffle::text of) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(of[i]); };
    const unsigned lead = byte(0);
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xC2 ? 0
                               : lead < 0xE0 ? 2
                               : lead < 0xF0 ? 3
                               : lead < 0xF5 ? 4
                                             : 0;
    if (length == 0 || length > of.size()) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xC0u) != 0x80) return 0;
    const bool is_overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
    const bool is_beyond = (lead == 0xED && byte(1) >= 0xA0) || (lead == 0xF4 && byte(1) >= 0x90);
    return is_overlong || is_beyond ? 0 : length;
}

}  // namespace

std::string shown_text(riffle::text piece) {
    std::string shown;
    while (!piece.empty()) {
        const std::size_t length = character_length(piece);
        if (length > 0) shown.append(piece.data(), length);
        else shown += fmt::format("\\x{:02X}", static_cast<unsigned char>(piece[0]));
        piece = piece.part(length > 0 ? length : 1);
    }
    return shown;
}

json shown_texts(const riffle::vocabulary& words) {
    json all = json::array();
    for (riffle::token_id id = 0; words.contains(id); ++id) all.push_back(shown_text(words.piece(id)));
    return all;
}

json shown_tokens(const riffle::vocabulary& words, std::span<const riffle::token_id> tokens) {
    json all = json::array();
    for (const riffle::token_id token : tokens) all.push_back({token, shown_text(words.piece(token))});
    return all;
}

}  // namespace visualiser
