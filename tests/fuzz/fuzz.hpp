#pragma once
// What the fuzz targets share: bytes that somebody else chose, read as numbers, and what is true whatever they are.
// A target is a function over such bytes. libFuzzer calls it (libfuzzer.cpp), and the tests replay what it found
// (replay.cpp).

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include <riffle/riffle.hpp>

namespace riffle_tests::fuzz {

/// The bytes, from the first to the last; zeros behind them.
class input {
public:
    explicit input(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

    bool empty() const { return bytes_.empty(); }
    std::span<const std::uint8_t> rest() const { return bytes_; }

    template <class T>
    T number() {
        std::uint8_t taken[sizeof(T)] = {};
        const std::size_t count = std::min(sizeof(T), bytes_.size());
        if (count > 0) std::memcpy(taken, bytes_.data(), count);
        bytes_ = bytes_.subspan(count);
        return std::bit_cast<T>(taken);
    }
    std::uint8_t byte() { return number<std::uint8_t>(); }
    std::size_t below(std::size_t bound) { return bound <= 256 ? byte() % bound : number<std::uint16_t>() % bound; }

    /// A parameter: an everyday one, or any bits at all.
    float real() {
        const std::uint8_t kind = byte();
        return kind < 200 ? float(kind) / 100.0f - 0.2f : number<float>();
    }
    std::int32_t whole() {
        const std::uint8_t kind = byte();
        return kind < 200 ? std::int32_t(kind) - 4 : number<std::int32_t>();
    }
    /// A window into the history. Longer ones, which cost a history as long, are for other tests.
    std::int32_t window() { return whole() % 1000; }
    std::size_t size() {
        const std::uint8_t kind = byte();
        return kind < 200 ? kind / 8u : number<std::size_t>();
    }

    /// A row of up to 700 logits: a few words over and over, so that a short input makes rows of several blocks.
    std::vector<float> row() {
        std::vector<float> logits(below(701));
        const std::uint8_t kind = byte();
        float words[8];
        for (float& word : words) word = kind % 2 ? number<float>() : float(byte()) / 8.0f - 16.0f;
        for (std::size_t i = 0; i < logits.size(); ++i)
            logits[i] = words[(i * (kind / 2u + 1u)) % 8] - (kind % 4 < 2 ? 0.0f : float(i % 64) / 16.0f);
        return logits;
    }

private:
    std::span<const std::uint8_t> bytes_;
};

/// Ends the program where something that must hold does not.
inline void must(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "fuzz: not so: %s\n", what);
    std::abort();
}

/// A row's token is one of its legal ones, or there is a reason for none.
inline void must_be_token_of(riffle::token_id token, std::span<const float> row, const riffle::status& s) {
    if (token == riffle::null_token) return must(!s.ok(), "where there is no token, the status says why");
    must(s.ok(), "where there is a token, the status is ok");
    must(token >= 0 && std::size_t(token) < row.size(), "the token is in the row");
    must(row[std::size_t(token)] > riffle::illegal_logit, "the token is not one that the row masks");
}

/// Bytes that a problem with settings, or with a grammar beyond its own text, has at most: it is for people to read.
inline constexpr std::size_t longest_problem = 3000;

/// A settings text: read, read again, built, sampled from.
void settings(input in);
/// The settings of another program: read, built, sampled from.
void presets(input in);
/// An array of candidates with any bits, and a chain of any stages.
void candidates(input in);
/// One sequence of calls on a chain as a type, put together at run time, and erased: the three always agree.
void calls(input in);
/// A grammar in GBNF: read, and followed for a few tokens.
void grammar(input in);
/// A regular expression: read as a grammar and as an automaton, which agree about a text.
void pattern(input in);
/// A JSON schema: the bytes as they are, or a schema made by them; compiled, and followed for a few tokens.
void schema(input in);
/// The payload of a token trie: the bytes as they are, or one made by them; read, and walked.
void payload(input in);
/// Triggers, thoughts around them, tokens and ways back.
void triggers(input in);
/// Any sequence of calls of riffle for C.
void c_interface(input in);
/// Tokens, bytes and ways back in one of a few grammars.
void tokens(input in);
/// The file of a saved chain: bytes as they are, or one with a checksum that fits; read, and the chain used.
void load(input in);
/// A file of counted n-grams, riffle's or llama.cpp's: read, and drafted from.
void ngram_cache(input in);
/// Drafts of all drafters and of none, their laws, ends and rows, through every verifier.
void drafts(input in);

}  // namespace riffle_tests::fuzz
