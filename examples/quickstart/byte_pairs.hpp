#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <riffle/riffle.hpp>

#include "progress.hpp"

namespace quickstart {

/// Cuts a text into tokens: bytes, and longer strings made by joining the two neighbours that stand side by side
/// most often, again and again (R. Sennrich, B. Haddow, A. Birch, "Neural machine translation of rare words with
/// subword units", ACL 2016). Any bytes can be cut, and joining the tokens gives them back.
class byte_pairs {
public:
    /// Tokens at least: one for each byte.
    static constexpr std::size_t least = 256;
    /// Tokens at most: their ids fit 16 bits.
    static constexpr std::size_t greatest = 65536;

    /// Learns up to `size` tokens; fewer where the text does not repeat itself often enough.
    byte_pairs(std::string_view text, std::size_t size, progress& shown);

    std::size_t size() const noexcept { return strings_.size(); }

    /// The bytes of a token.
    const std::string& operator[](riffle::token_id token) const { return strings_[static_cast<std::size_t>(token)]; }

    std::vector<riffle::token_id> encode(std::string_view text, progress& shown) const;

private:
    using pair = std::uint32_t;  // two ids of 16 bits

    std::vector<riffle::token_id> encode_piece(std::string_view piece) const;

    std::vector<std::string> strings_;
    std::unordered_map<pair, riffle::token_id> joined_;  // two tokens -> the token that joins them
};

}  // namespace quickstart
