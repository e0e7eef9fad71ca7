#pragma once
#include <cstddef>
#include <cstdint>
#include <llama.h>
#include <string>
#include <type_traits>
#include <vector>

#include <riffle/core/text.hpp>
#include <riffle/core/token.hpp>
#include <riffle/core/vocabulary.hpp>

namespace riffle::inline RIFFLE_ABI::llama {
namespace detail {

/// What has the tokens of a model, in the version at hand: its llama_vocab, since January 2025, or the model itself.
template <class Source>
const auto* source_of_tokens(const Source* source) noexcept {
    if constexpr (requires { llama_model_get_vocab(source); }) return llama_model_get_vocab(source);
    else return source;
}

/// A llama_vocab or an older llama_model, read by the functions of its version.
template <class Source>
class tokens_of {
public:
    explicit tokens_of(const Source* source) noexcept : source_(source) {}

    token_id size() const noexcept {
        if constexpr (requires(const Source* s) { llama_vocab_n_tokens(s); }) return llama_vocab_n_tokens(source_);
        else return llama_n_vocab(source_);
    }
    bool ends_generation(token_id id) const noexcept {
        if constexpr (requires(const Source* s) { llama_vocab_is_eog(s, id); }) return llama_vocab_is_eog(source_, id);
        else return llama_token_is_eog(source_, id);
    }
    token_id end_of_turn() const noexcept {
        if constexpr (requires(const Source* s) { llama_vocab_eot(s); }) return llama_vocab_eot(source_);
        else return llama_token_eot(source_);
    }
    token_id end_of_sequence() const noexcept {
        if constexpr (requires(const Source* s) { llama_vocab_eos(s); }) return llama_vocab_eos(source_);
        else return llama_token_eos(source_);
    }
    /// Into `piece`, whose memory is used again.
    void read_piece(token_id id, bool special, std::string& piece) const {
        if (piece.size() < 64) piece.resize(64);
        int length = llama_token_to_piece(source_, id, piece.data(), std::int32_t(piece.size()), 0, special);
        if (length < 0) {
            piece.resize(std::size_t(-length));
            length = llama_token_to_piece(source_, id, piece.data(), std::int32_t(piece.size()), 0, special);
        }
        piece.resize(length > 0 ? std::size_t(length) : 0);
    }
    /// The length of a token that is a text of its own, as llama.cpp puts texts together.
    std::size_t detokenised_length(token_id id) const {
        char whole[64];
        const int length = llama_detokenize(source_, &id, 1, whole, sizeof whole, false, true);
        return std::size_t(length < 0 ? -length : length);
    }
    /// riffle::vocabulary's tokeniser: no special token is parsed, none is added.
    static std::size_t tokenise(const void* source, text words, token_id* out, std::size_t capacity) {
        const auto* const from = static_cast<const Source*>(source);
        const auto length = std::int32_t(words.size());
        const auto room = std::int32_t(capacity);
        int count = llama_tokenize(from, words.data(), length, out, room, false, false);
        if (count >= 0) return std::size_t(count);
        if (count == INT32_MIN) return 0;                // more than can be counted
        std::vector<token_id> all(std::size_t(-count));  // llama.cpp writes all or none
        count = llama_tokenize(from, words.data(), length, all.data(), std::int32_t(all.size()), false, false);
        for (std::size_t i = 0; i < capacity && count > 0; ++i) out[i] = all[i];
        return count > 0 ? capacity : 0;
    }
    const Source* source() const noexcept { return source_; }

private:
    const Source* source_;
};

}  // namespace detail

/// The tokens of a model as riffle's vocabulary: their texts (special tokens by their names), which of them are control
/// tokens and which end generation, the ends of a turn and of a sequence, and the model's own tokeniser. Takes a
/// llama_vocab or a llama_model, which must outlive the vocabulary. One call a token and question: V = 128,256 takes
/// some 20 ms. Allocates, and may throw what std::vector throws.
template <class Source>
vocabulary vocabulary_of(const Source* model_or_vocab) {
    const detail::tokens_of tokens(detail::source_of_tokens(model_or_vocab));
    vocabulary all;
    std::string named, shown;
    for (token_id id = 0; id < tokens.size(); ++id) {
        tokens.read_piece(id, true, named);
        tokens.read_piece(id, false, shown);
        token_role role = token_role::text;
        if (named != shown) role = role | token_role::control;
        if (tokens.ends_generation(id)) role = role | token_role::end_of_generation;
        all.add(text(named.data(), named.size()), role);
    }
    all.end_of_turn = tokens.end_of_turn();
    all.end_of_sequence = tokens.end_of_sequence();
    all.use_tokeniser(&std::remove_cvref_t<decltype(tokens)>::tokenise, tokens.source());
    return all;
}

/// Whether a token that is a text of its own loses the blank it begins with, as in vocabularies of SentencePiece: what
/// dry_breakers and chain_settings::first_space_is_dropped want to know. `all` is vocabulary_of the same model. O(V) at
/// most.
template <class Source>
bool drops_first_space(const Source* model_or_vocab, const vocabulary& all) {
    const detail::tokens_of tokens(detail::source_of_tokens(model_or_vocab));
    for (token_id id = 0; id < tokens.size(); ++id)
        if (!all.piece(id).empty() && all.piece(id)[0] == ' ' && tokens.detokenised_length(id) < all.piece(id).size())
            return true;
    return false;
}

}  // namespace riffle::llama
