#pragma once
// The models that riffle's grammars are compared on with llama.cpp's: one that is written here, and one that the
// environment names.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ggml-backend.h>
#include <llama.h>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/constraint.hpp>
#include <riffle/llama.hpp>

#include "llama/contexts.hpp"

namespace riffle_tests {

/// A model, or a vocabulary alone, as both libraries have it.
class known_model {
public:
    explicit known_model(llama_model* model)
        : model_(model), words_(riffle::llama::vocabulary_of(model)), trie_(words_) {}
    llama_model* model() const { return model_; }
    const llama_vocab* vocab() const { return llama_model_get_vocab(model_); }
    const riffle::vocabulary& words() const { return words_; }
    const riffle::vocabulary_trie& trie() const { return trie_; }
    riffle::token_id size() const { return riffle::token_id(words_.size()); }
    std::string piece(riffle::token_id id) const {
        const riffle::text bytes = words_.piece(id);
        return {bytes.data(), bytes.size()};
    }
    /// The first token with these bytes; null_token where there is none.
    riffle::token_id id_of(const std::string& bytes) const {
        for (riffle::token_id id = 0; id < size(); ++id)
            if (piece(id) == bytes && !words_.is(id, riffle::token_role::control)) return id;
        return riffle::null_token;
    }

private:
    llama_model* model_;
    riffle::vocabulary words_;
    riffle::vocabulary_trie trie_;
};

/// A vocabulary that was written, read by libllama.
inline llama_model* load_vocabulary(const small_pieces& pieces) {
    llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
    const std::string path = testing::TempDir() + "riffle-grammar-vocabulary-" + std::to_string(getpid()) + ".gguf";
    gguf_writer file;
    pieces.write_to(file);
    file.write(path);
    llama_model_params with = llama_model_default_params();
    with.vocab_only = true;
    llama_model* const model = llama_model_load_from_file(path.c_str(), with);
    std::remove(path.c_str());
    if (!model) std::fprintf(stderr, "libllama cannot load the written vocabulary\n"), std::abort();
    return model;
}

/// What grammars meet in a vocabulary: words, parts of JSON, characters of one to four bytes, parts of characters and
/// what lies across them, bytes that no text has, and control tokens whose names are texts that a grammar may want.
inline const known_model& written_vocabulary() {
    static const model_owner owner = [] {
        small_pieces pieces;
        const auto add = [&](const std::string& piece) {  // llama.cpp wants each but once
            if (std::find(pieces.tokens.begin(), pieces.tokens.end(), piece) == pieces.tokens.end()) pieces.add(piece);
        };
        for (char c = ' '; c <= '~'; ++c) add(std::string(1, c));
        // clang-format off
        for (const char* piece :
             {"{\"", "\":", "\": ", "\",", "\"}", "}}", "}]", "],", "[[", "[]", "{}", "true", "false", "null", "tru",
              "e,", "\\\"", "\\u", "\\u00", "\\n", "00", "10", "123", "4567", "-1", ".5", "e+", "1e-9", "\"a\"",
              "a\":", "abc", "ab.", "  ", "    ", "\n- ", "- ", "\n\n", "\t", "\r\n", "O-O", "Nf", "Nf3", "e4", "xd",
              "1. ", "e5 ", "\n2", "(x", "((", ")) ", ")(", "x + ", " = ", "ab-", "12-", "<s", "s>", "<s><s>", "|>",
              "aaaaaaaa", "zzz.", "é", "è", "éa", "aé", "日", "本", "日本", "日本語", "の", "のは", "カ", "、", "α", "αβ", "ω",
              "\u0085", "\u2028", "a\u2028b", "\uFFFD", "\uFFFF", "😀", "😀😁", "\u07FF", "\u0800", "\xC3",
              "\xC3\xA9\xC3", "\xA9", "\xA9x", "a\xC3", "\xE3", "\xE3\x81", "\x81", "\x81\xAE", "\xAE", "日\xE6",
              "\xF0\x9F", "\x98\x80", "\x98", "\xF0", "\xE2\x80", "\xA8", "\303A", "\xC0\xAF", "\xED\xA0\x80",
              "\xE0\x80", "\xF5", "\xFFz", "z\x80", "\xF4\x90", "\xF8\x88\x80\x80\x80", "\xE3\xE3", "\xC2\x80",
              "\xF4\x8F\xBF\xBF", "x\xF0\x9F\x98"})
            // clang-format on
            add(piece);
        pieces.add("<|go|>", small_pieces::control);
        pieces.add("<|stop|>", small_pieces::control);
        pieces.add("<king>", small_pieces::control);
        return model_owner(load_vocabulary(pieces));
    }();
    static const known_model known(owner.get());
    return known;
}

/// The small model with random weights, which texts can be chosen with.
inline const known_model& written_model() {
    static const known_model known(random_model());
    return known;
}

/// The model that RIFFLE_LLAMA_MODEL names, a GGUF file; nullptr where it names none.
inline const known_model* given_model() {
    static const model_owner owner = [] {
        const char* const path = std::getenv("RIFFLE_LLAMA_MODEL");
        if (!path) return model_owner();
        llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
        ggml_backend_load_all();
        return model_owner(llama_model_load_from_file(path, llama_model_default_params()));
    }();
    static const known_model* const known = owner ? new known_model(owner.get()) : nullptr;
    return known;
}
inline constexpr const char* no_model_given = "RIFFLE_LLAMA_MODEL names no model, a GGUF file, that libllama can load";

}  // namespace riffle_tests
