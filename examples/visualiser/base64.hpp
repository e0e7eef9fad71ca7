#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace visualiser {

/// The bytes of a base64 text (RFC 4648, section 4); nothing where it is none.
inline std::optional<std::string> decoded_base64(std::string_view text) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    while (!text.empty() && text.back() == '=') text.remove_suffix(1);
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3 + 3);
    std::uint32_t bits = 0;
    int count = 0;
    for (const char c : text) {
        const std::size_t digit = digits.find(c);
        if (digit == digits.npos) return std::nullopt;
        bits = bits << 6 | std::uint32_t(digit);
        if ((count += 6) < 8) continue;
        count -= 8;
        bytes += char(bits >> count & 0xFFu);
    }
    return bytes;
}

}  // namespace visualiser
