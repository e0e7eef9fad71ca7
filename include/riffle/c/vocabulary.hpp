#pragma once
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

#include <riffle/c/problem.hpp>
#include <riffle/constraint.hpp>
#include <riffle/core/vocabulary.hpp>
#include <riffle/riffle.h>

namespace riffle::inline RIFFLE_ABI::c {

static_assert(std::is_same_v<riffle_token, token_id>);

/// What handles share of a vocabulary.
class vocabulary_data : public riffle::detail::shared_object {
public:
    vocabulary words;
    vocabulary_trie trie;
    riffle_tokeniser tokeniser = nullptr;
    const void* model = nullptr;

    static std::size_t tokenise(const void* self, text bytes, token_id* out, std::size_t capacity) {
        const auto* const of = static_cast<const vocabulary_data*>(self);
        return of->tokeniser(of->model, bytes.data(), bytes.size(), out, capacity);
    }
};
using shared_vocabulary = riffle::detail::shared_pointer<vocabulary_data>;

}  // namespace riffle::c

struct riffle_vocabulary {
    riffle::c::shared_vocabulary data;
};

extern "C" {

riffle_vocabulary* riffle_vocabulary_new_with_tokeniser(const riffle_token_text* tokens, std::size_t count,
                                                        riffle_tokeniser tokeniser, const void* model,
                                                        riffle_problem* problem) {
    using namespace riffle;
    if (count > 0 && !tokens) return c::tell(problem, riffle_bad_argument, "there are no tokens"), nullptr;
    RIFFLE_TRY {
        c::shared_vocabulary made(new c::vocabulary_data());
        for (std::size_t i = 0; i < count; ++i) {
            if (!tokens[i].bytes && tokens[i].size > 0)
                return c::tell(problem, riffle_bad_argument, "a token has a size and no bytes"), nullptr;
            made->words.add(text(tokens[i].bytes ? tokens[i].bytes : "", tokens[i].size),
                            token_role(tokens[i].roles & (riffle_control | riffle_end_of_generation)));
        }
        made->tokeniser = tokeniser;
        made->model = model;
        if (tokeniser) made->words.use_tokeniser(&c::vocabulary_data::tokenise, made.get());
        made->trie = vocabulary_trie(made->words);
        if (!(made->trie.check)().ok()) return c::tell(problem, (made->trie.check)()), nullptr;
        c::tell(problem, riffle_ok, "");
        return new riffle_vocabulary{made};
    }
    RIFFLE_CATCH { return c::tell(problem, riffle_out_of_memory, "out of memory"), nullptr; }
}
riffle_vocabulary* riffle_vocabulary_new(const riffle_token_text* tokens, std::size_t count, riffle_problem* problem) {
    return riffle_vocabulary_new_with_tokeniser(tokens, count, nullptr, nullptr, problem);
}
void riffle_vocabulary_free(riffle_vocabulary* vocabulary) { delete vocabulary; }
std::size_t riffle_vocabulary_size(const riffle_vocabulary* vocabulary) {
    return vocabulary ? vocabulary->data->words.size() : 0;
}
const char* riffle_vocabulary_piece(const riffle_vocabulary* vocabulary, riffle_token token, std::size_t* size) {
    if (size) *size = 0;
    if (!vocabulary || !vocabulary->data->words.contains(token)) return nullptr;
    const riffle::text piece = vocabulary->data->words.piece(token);
    if (size) *size = piece.size();
    return piece.data() ? piece.data() : "";
}
}
