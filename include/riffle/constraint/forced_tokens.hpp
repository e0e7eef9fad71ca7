#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include <riffle/constraint/grammar_matcher.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI {
namespace detail {

/// The tokens of some bytes in the middle of a text. Tokenisers of SentencePiece put a blank ahead of what they take
/// for the beginning of one; behind a line feed they do not.
template <class Tokenise>
std::vector<token_id> tokens_in_text(const vocabulary_trie& trie, Tokenise& tokenise, const std::string& bytes) {
    const auto all = tokenise(text(bytes));
    if (all.begin() == all.end() || text(bytes).starts_with(trie.piece(*all.begin()))) return {all.begin(), all.end()};
    const std::string behind = "\n" + bytes;
    const auto longer = tokenise(text(behind));
    std::string head;
    auto next = longer.begin();
    while (next != longer.end() && head != "\n" && head != " \n") {
        head.append(trie.piece(*next).data(), trie.piece(*next).size());
        ++next;
    }
    return {next, longer.end()};
}

}  // namespace detail

/// The bytes that must follow, as the tokens in which the model's own tokeniser spells them: `tokenise(text)` gives a
/// list of ids, as vocabulary::tokenise does. To be evaluated in one batch and accepted one by one, as the tokens of
/// forced_run. Empty where nothing is certain. `most_bytes`: of the text looked at, 0 for none.
///
/// forced_run is exact: it has a token only where no other is legal, and sampling would have given those tokens. Bytes
/// are certain more often than tokens are (`"name": ` can be split in many ways), so this function gives more. It takes
/// the tokeniser's split, which the model met in training. The text is what sampling would have given, but its split
/// may be another one, so later logits differ a little.
///
/// The run ends before a token that a longer legal one could replace which goes beyond the forced bytes: there the
/// model shall choose (llguidance: token healing).
///
/// Throws what tokenise and std::vector throw. Cost: reading the bytes twice, the tokeniser, and a mask a token.
template <class Tokenise>
std::vector<token_id> forced_tokens(const grammar_matcher& at, Tokenise tokenise, std::size_t most_bytes = 4096) {
    const std::string bytes = at.forced_bytes(most_bytes);
    std::vector<token_id> run;
    if (bytes.empty()) return run;
    grammar_matcher ahead = at;
    text left = bytes;
    for (const token_id token : detail::tokens_in_text(at.trie(), tokenise, bytes)) {
        const text piece = at.trie().piece(token);
        const bool is_next = !piece.empty() && left.starts_with(piece);  // it may have spelt another text
        if (!is_next || ahead.goes_beyond(left) || ahead.accept(token).refused) break;
        run.push_back(token);
        left = left.part(piece.size());
    }
    return run;
}

}  // namespace riffle
