#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <riffle/constraint/parsed.hpp>
#include <riffle/constraint/shared_pointer.hpp>
#include <riffle/constraint/token_trie/payload_reader.hpp>
#include <riffle/constraint/token_trie/token_trie.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/vocabulary.hpp>

namespace riffle::inline RIFFLE_ABI {
namespace detail {

template <class Data, class IsSpecial>
parsed<token_trie> read_payload(const text& payload, std::int32_t vocabulary_size, IsSpecial is_special,
                                const token_trie_options& options) {
    parse_problem problem;
    if (payload.size() > options.text_bytes) {
        problem.sentence = "the payload is longer than the limit allows";
        return parsed<token_trie>(std::move(problem));
    }
    const void* const zero = payload.empty() ? nullptr : std::memchr(payload.data(), 0, payload.size());
    if (zero != nullptr) {  // the parser would take it for the end
        set_place(problem, payload, std::size_t(static_cast<const char*>(zero) - payload.data()));
        problem.sentence = "this is not JSON";
        return parsed<token_trie>(std::move(problem));
    }
    shared_pointer<Data> made(new Data());
    made->vocabulary_size = vocabulary_size;
    payload_reader<Data, IsSpecial> reader(*made, vocabulary_size, is_special, options);
    const std::string_view view(payload.data(), payload.size());
    if (!nlohmann::json::sax_parse(view.begin(), view.end(), &reader)) {
        if (reader.is_placed()) set_place(problem, payload, reader.offset());
        else problem.where = reader.where();
        problem.sentence = reader.problem() ? reader.problem() : "this is not JSON";
        return parsed<token_trie>(std::move(problem), reader.warnings());
    }
    if (!options.model_id.empty() && !(text(made->model) == options.model_id)) {
        problem.where = "/modelId";
        problem.sentence = "the payload is for another model, \"" + made->model + '"';
        return parsed<token_trie>(std::move(problem), reader.warnings());
    }
    if (!reader.has_leaves()) {
        problem = no_leaves();
        problem.where = "/descriptors";
        return parsed<token_trie>(std::move(problem), reader.warnings());
    }
    return parsed<token_trie>(token_trie(shared_pointer<const Data>(made.get())), reader.warnings());
}

}  // namespace detail

/// Reads the payload that an application server sends with a request: the values that a model may write in some places,
/// in tokens.
///
///     {"modelId": "eliza-1-4b", "descriptors": [
///         {"path": "action", "leaves": [{"name": "REPLY", "tokens": [815, 41]}, {"name": "STOP", "tokens": [902]}]}]}
///
/// What is missing, or of another type, a token that a vocabulary of `vocabulary_size` tokens has not, and a name that
/// stands twice in an object are problems: `where` is a JSON pointer, and the whole is refused. Where the text is no
/// JSON, `line` and `column` say where reading stopped. Other names are passed over. Leaves without tokens are left
/// out, with a warning (sixteen at most, and one that counts the others); where no leaf is left, that is a problem
/// (has_no_leaves), which callers may take for "nothing is constrained". Order, and spaces, mean nothing. Names of one
/// token list become one leaf, that of the smallest name.
///
/// Nothing throws; out of memory is a problem without a place. O(bytes log bytes); 30 actions take some 20
/// microseconds.
template <class Trie = token_trie>
parsed<Trie> parse_token_trie(const text& payload, std::int32_t vocabulary_size,
                              const token_trie_options& options = {}) noexcept {
    return detail::read_in_memory<Trie>([&] {
        return detail::read_payload<detail::token_trie_data>(payload, vocabulary_size, detail::nothing_special(),
                                                             options);
    });
}
/// For a vocabulary, of which control tokens and those that end generation are refused too, unless they are allowed.
template <class Trie = token_trie>
parsed<Trie> parse_token_trie(const text& payload, const vocabulary& words,
                              const token_trie_options& options = {}) noexcept {
    return detail::read_in_memory<Trie>([&] {
        return detail::read_payload<detail::token_trie_data>(
            payload, std::int32_t(words.size()), detail::special_in_vocabulary{words, options.allow_special}, options);
    });
}

}  // namespace riffle
