#pragma once
#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include <riffle/core/text.hpp>
#include <riffle/core/token_sequences.hpp>
#include <riffle/core/vocabulary.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI {

/// The breakers of dry for strings ("\n", ":", "\"", "*"): the sequences of tokens in whose text a string may occur.
/// A token that contains the string breaks alone; a token that ends as the string begins breaks when the rest follows,
/// as the vocabulary's tokeniser splits it. As llama.cpp does it: of a string the first 40 bytes count, of its rest the
/// first 20 tokens. But of strings only the first 256 count, and none behind those with which there are 2^18 sequences:
/// a list may be what somebody sent, and has as many sequences as strings and pieces have ends in common, millions for
/// some hundred strings.
///
/// `first_space_is_dropped`: a piece counts without the space that it begins with. That is how llama.cpp sees the
/// tokens of models that put a space ahead of every text (SentencePiece, tokenizer.ggml.add_space_prefix), as it writes
/// each token as a text of its own: for its tokens say true there.
///
/// Reads every piece of the vocabulary once a string, 5 to 15 ms for 128,000 of them, and tokenises each of its ends
/// once, which reads all pieces once more for each token where the vocabulary has no tokeniser. Throws what std::vector
/// throws. (A template, so that including riffle does not compile it.)
template <class Id>
basic_token_sequences<Id> dry_breakers(const basic_vocabulary<Id>& v, std::span<const text> strings,
                                       bool first_space_is_dropped = false) {
    constexpr std::size_t longest_string = 40, longest_rest = 20;
    constexpr std::size_t most_strings = 256, most_sequences = std::size_t{1} << 18;
    std::vector<std::vector<Id>> sequences;
    for (const text& whole : strings.first((std::min)(strings.size(), most_strings))) {
        if (sequences.size() >= most_sequences) break;
        const text string = whole.part(0, longest_string);
        if (string.empty()) continue;
        std::vector<std::vector<Id>> rests(longest_string);  // behind so many bytes
        bool tokenised[longest_string] = {};
        for (Id id = 0; std::size_t(id) < v.size(); ++id) {
            text piece = v.piece(id);
            if (first_space_is_dropped && piece.starts_with(" ")) piece = piece.part(1);
            if (piece.contains(string)) {
                sequences.push_back({id});
                continue;
            }
            for (std::size_t at = 0; at < piece.size(); ++at) {
                const text end = piece.part(at);
                if (!string.starts_with(end)) continue;
                std::vector<Id>& rest = rests[end.size()];
                if (!std::exchange(tokenised[end.size()], true)) rest = v.tokenise(string.part(end.size()));
                if (rest.size() > longest_rest) rest.resize(longest_rest);
                sequences.push_back({id});
                for (const Id next : rest) sequences.back().push_back(next);
            }
        }
    }
    return basic_token_sequences<Id>(std::move(sequences));
}
template <class Id>
basic_token_sequences<Id> dry_breakers(const basic_vocabulary<Id>& v, std::initializer_list<text> strings,
                                       bool first_space_is_dropped = false) {
    return dry_breakers(v, std::span<const text>(strings.begin(), strings.size()), first_space_is_dropped);
}

}  // namespace riffle
