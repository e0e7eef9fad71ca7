#pragma once
// The tokens of a fake model, and llama.cpp's answers about them.

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "types.h"

struct fake_token {
    std::string text;
    bool control = false;
    bool ends_generation = false;
};

struct fake_vocabulary {
    std::vector<fake_token> tokens;
    llama_token end_of_sequence = -1;
    llama_token end_of_turn = -1;
    bool drops_first_space = false;
    std::vector<llama_token> suppressed;

    std::int32_t size() const { return std::int32_t(tokens.size()); }
    const fake_token& operator[](llama_token id) const { return tokens[std::size_t(id)]; }

    /// The name of a control token is shown only where `special`. As all that write into a buffer of the caller:
    /// answers the length, and minus that, with nothing written, where there is no room for it.
    std::int32_t write_piece(llama_token id, char* buffer, std::int32_t room, bool special) const {
        return write((*this)[id].control && !special ? "" : (*this)[id].text, buffer, room);
    }
    std::int32_t detokenise(const llama_token* ids, std::int32_t count, char* buffer, std::int32_t room,
                            bool special) const {
        std::string all;
        for (std::int32_t i = 0; i < count; ++i)
            if (special || !(*this)[ids[i]].control) all += (*this)[ids[i]].text;
        return write(drops_first_space && !all.empty() && all[0] == ' ' ? all.substr(1) : all, buffer, room);
    }
    /// Into the shortest pieces, from the left: not what riffle does where it has no tokeniser.
    std::int32_t tokenise(const char* text, std::int32_t length, llama_token* ids, std::int32_t room) const {
        std::vector<llama_token> all;
        const std::string words(text, std::size_t(length));
        for (std::size_t at = 0; at < words.size();) {
            const llama_token next = shortest_piece_at(words, at);
            if (next >= 0) all.push_back(next);
            at += next >= 0 ? (*this)[next].text.size() : 1;
        }
        const auto count = std::int32_t(all.size());
        if (count > room) return -count;
        for (std::size_t i = 0; i < all.size(); ++i) ids[i] = all[i];
        return count;
    }

private:
    static std::int32_t write(const std::string& text, char* buffer, std::int32_t room) {
        const auto length = std::int32_t(text.size());
        if (length > room) return -length;
        std::memcpy(buffer, text.data(), text.size());
        return length;
    }
    llama_token shortest_piece_at(const std::string& words, std::size_t at) const {
        llama_token shortest = -1;
        for (llama_token id = 0; id < size(); ++id) {
            const fake_token& token = (*this)[id];
            if (token.control || token.text.empty() || words.compare(at, token.text.size(), token.text) != 0) continue;
            if (shortest < 0 || token.text.size() < (*this)[shortest].text.size()) shortest = id;
        }
        return shortest;
    }
};
