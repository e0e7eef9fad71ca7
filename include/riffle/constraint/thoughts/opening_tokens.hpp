#pragma once
#include <cstddef>
#include <cstdint>

#include <riffle/constraint/thoughts/thought_rules.hpp>
#include <riffle/constraint/token_tree.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Tokens below nodes of the vocabulary's tree that lie side by side; as deep as tokens are long.
template <class Visit>
void walk_opening(const thought_rules& rules, std::uint32_t tag, bool is_ahead, std::size_t begin, std::size_t end,
                  Visit& visit) noexcept {
    const auto& tree = rules.trie->tree();
    const auto& tags = rules.begins;
    for (std::size_t i = begin; i < end; i += tree.nodes[i].size()) {
        const char byte = char(tree.nodes[i].byte());
        const std::size_t last = i + tree.nodes[i].size();
        const std::uint32_t longer = tags.step({tag}, byte).of_words;
        const bool goes_on = tags.depth({longer}) == tags.depth({tag}) + 1;
        if (!goes_on && !(is_ahead && is_space(byte))) continue;
        if (goes_on && tags.has_fired({longer})) {
            for (std::uint32_t t = tree.first_of[i]; t < tree.first_of[last]; ++t) visit(tree.tokens[t]);
            continue;
        }
        if (tree.nodes[i].token() != token_tree::no_token) visit(token_id(tree.nodes[i].token()));
        walk_opening(rules, goes_on ? longer : 0, !goes_on, i + 1, last, visit);
    }
}

/// The tokens that go on with a tag that begins thoughts, of which so much has come, or where nothing has come, with
/// white space ahead of it; calls visit(token) for each, whether all of its bytes are right or not.
template <class Visit>
void each_opening(const thought_rules& rules, std::uint32_t tag, Visit visit) noexcept {
    const auto& tree = rules.trie->tree();
    walk_opening(rules, tag, tag == 0, 0, tree.nodes.size(), visit);
    const auto try_one = [&](token_id token) {
        text behind;
        if (std::uint32_t at = tag; rules.goes_on_opening(token, at, behind)) visit(token);
    };
    for (const auto& d : tree.duplicates) try_one(d.token);
    for (const token_id token : rules.trie->control_tokens()) try_one(token);
    for (const token_id token : rules.trie->long_tokens()) try_one(token);
}

}  // namespace riffle::detail
