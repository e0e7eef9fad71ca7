#pragma once
// Vocabularies of real models, or made-up ones of their size.
//
// RIFFLE_VOCABULARIES names a folder with qwen2.rvcb and llama-spm.rvcb.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <riffle/constraint.hpp>
#include <riffle/riffle.hpp>

#include "durations.hpp"
#include "grammar_texts.hpp"
#include "rows.hpp"

namespace vocabularies {

using namespace riffle;

/// u32 magic 0x42435652, version, number of tokens, end; then for each u16 length, u8 flags (1 control, 2 end) and its
/// bytes; little endian. False where there is no such file.
inline bool read_vocabulary(const std::string& path, vocabulary& into) {
    std::FILE* const file = std::fopen(path.c_str(), "rb");
    if (!file) return false;
    std::string bytes;
    char block[65536];
    while (const std::size_t count = std::fread(block, 1, sizeof block, file)) bytes.append(block, count);
    std::fclose(file);
    const auto number_at = [&](std::size_t at, std::size_t size) {
        std::uint32_t number = 0;
        for (std::size_t i = size; i-- > 0;) number = number << 8 | std::uint8_t(bytes[at + i]);
        return number;
    };
    if (bytes.size() < 16 || number_at(0, 4) != 0x42435652u) return false;
    const std::size_t count = number_at(8, 4);
    std::size_t at = 16;
    for (std::size_t i = 0; i < count && at + 3 <= bytes.size(); ++i) {
        const std::size_t size = number_at(at, 2);
        const std::uint32_t flags = number_at(at + 2, 1);
        if (at + 3 + size > bytes.size()) return false;
        token_role role = token_role::text;
        if ((flags & (1u | 8u)) != 0) role = role | token_role::control;
        if ((flags & 2u) != 0) role = role | token_role::end_of_generation;
        into.add(std::string_view(bytes).substr(at + 3, size), role);
        at += 3 + size;
    }
    return into.size() == count;
}
/// Bytes, numbers, spaces, punctuation in twos and threes, characters of other scripts, and words of syllables, with a
/// space ahead, with a capital, and their beginnings.
inline vocabulary made_up_vocabulary(std::size_t size) {
    vocabulary all;
    std::unordered_set<std::string> known;
    const auto add = [&](const std::string& piece) {
        if (all.size() + 1 < size && known.insert(piece).second) all.add(piece);
    };
    for (int byte = 0; byte < 256; ++byte) add(std::string(1, char(byte)));
    for (int n = 0; n < 1000; ++n) add(std::to_string(n));
    for (std::size_t n = 1; n <= 32; ++n) {
        add(std::string(n, ' '));
        add(std::string(n, '\n'));
        add("\n" + std::string(n, ' '));
    }
    const std::string punctuation = "\"',.:;!?()[]{}<>/\\|=+-*&%$#@_~`\n ";
    for (const char a : punctuation)
        for (const char b : punctuation) add({a, b});
    rows::generator random(11);
    for (std::size_t i = 0; i < size / 40; ++i) {
        std::string three;
        for (int j = 0; j < 3; ++j) three += punctuation[random.next() % punctuation.size()];
        add(three);
    }
    const auto character = [](std::uint32_t c) {
        if (c < 0x800) return std::string{char(0xC0 | c >> 6), char(0x80 | (c & 63))};
        return std::string{char(0xE0 | c >> 12), char(0x80 | (c >> 6 & 63)), char(0x80 | (c & 63))};
    };
    for (std::size_t i = 0; i < size / 6; ++i) {
        const std::uint32_t first[] = {0x3B1, 0x430, 0x4E00, 0x4E00, 0x3041}, width[] = {24, 32, 8000, 8000, 80};
        const std::size_t script = random.next() % 5;
        std::string word;
        for (std::size_t n = 1 + random.next() % 4; n-- > 0;)
            word += character(first[script] + std::uint32_t(random.next() % width[script]));
        add(word);
    }
    for (std::uint64_t seed = 100; all.size() + 1 < size; ++seed)
        for (std::string word : grammar_texts::made_words(1000, seed)) {
            add(word);
            add(" " + word);
            add(word.substr(0, word.size() / 2 + 1));
            word[0] = char(word[0] - 'a' + 'A');
            add(word);
            add(" " + word);
        }
    all.add("</s>", token_role::control | token_role::end_of_generation);
    return all;
}

/// A vocabulary, its trie, and how a text is split: into the longest tokens, from the left.
class model {
public:
    model(const char* file, std::size_t size) : name_(size > 100000 ? "152k" : "32k") {
        const char* const folder = std::getenv("RIFFLE_VOCABULARIES");
        is_real_ = folder && read_vocabulary(std::string(folder) + "/" + file, words_);
        if (!is_real_) words_ = made_up_vocabulary(size);
        trie_ = vocabulary_trie(words_);
        require((trie_.check)().ok(), "a vocabulary without a trie");
        for (token_id id = 0; std::size_t(id) < words_.size(); ++id) {
            const text piece = words_.piece(id);
            if (words_.ends_generation(id)) end_ = id;
            if (piece.empty() || words_.is(id, token_role::control | token_role::end_of_generation)) continue;
            by_text_.try_emplace(std::string(piece.data(), piece.size()), id);
            longest_ = (std::max)(longest_, piece.size());
        }
    }
    const std::string& name() const { return name_; }
    bool is_real() const { return is_real_; }
    const vocabulary& words() const { return words_; }
    const vocabulary_trie& trie() const { return trie_; }
    token_id end() const { return end_; }

    std::vector<token_id> split(const std::string& words) const {
        std::vector<token_id> found;
        for (std::size_t at = 0; at < words.size(); at += words_.piece(found.back()).size())
            found.push_back(longest_at(words, at));
        return found;
    }
    token_id longest_at(const std::string& words, std::size_t at) const {
        std::size_t size = (std::min)(longest_, words.size() - at);
        auto entry = by_text_.find(words.substr(at, size));
        while (entry == by_text_.end() && size > 1) entry = by_text_.find(words.substr(at, --size));
        require(entry != by_text_.end(), "a vocabulary without some byte");
        return entry->second;
    }

private:
    std::string name_;
    vocabulary words_;
    vocabulary_trie trie_;
    std::unordered_map<std::string, token_id> by_text_;
    std::size_t longest_ = 1;
    token_id end_ = null_token;
    bool is_real_ = false;
};
inline model& large() {
    static model m("qwen2.rvcb", 151936);
    return m;
}
inline model& small() {
    static model m("llama-spm.rvcb", 32000);
    return m;
}

}  // namespace vocabularies
