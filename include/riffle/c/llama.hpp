#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/c/problem.hpp>
#include <riffle/c/vocabulary.hpp>
#include <riffle/llama_token_trie.hpp>
#include <riffle/riffle_llama.h>

extern "C" {

riffle_vocabulary* riffle_vocabulary_new_llama(const struct llama_vocab* vocab, riffle_problem* problem) {
    using namespace riffle;
    if (!vocab) return c::tell(problem, riffle_bad_argument, "there is no vocabulary"), nullptr;
    RIFFLE_TRY {
        c::shared_vocabulary made(new c::vocabulary_data());
        made->words = riffle::llama::vocabulary_of(vocab);
        made->trie = vocabulary_trie(made->words);
        if (!(made->trie.check)().ok()) return c::tell(problem, (made->trie.check)()), nullptr;
        c::tell(problem, riffle_ok, "");
        return new riffle_vocabulary{made};
    }
    RIFFLE_CATCH { return c::tell(problem, riffle_out_of_memory, "out of memory"), nullptr; }
}
struct llama_sampler* riffle_llama_token_trie_sampler(const struct llama_vocab* vocab, const char* payload_json,
                                                      std::int32_t mode) {
    return riffle::llama::token_trie_sampler(vocab, payload_json, mode);
}
const char* riffle_llama_last_problem(void) { return riffle::llama::detail::problem_of_thread.c_str(); }
std::int32_t riffle_llama_token_trie_select(struct llama_sampler* sampler, const char* path) {
    const riffle::trie_matcher* const here = riffle::llama::trie_of(sampler);
    if (!here || !path) return riffle_bad_argument;
    riffle::trie_matcher there = *here;  // where there is no such path the sampler hears nothing of it
    if (const riffle::status can = (there.select)(path); !can.ok()) return std::int32_t(can.code());
    riffle::llama::change_trie(sampler, [&](riffle::trie_matcher& m) { (void)(m.select)(path); });
    return riffle_ok;
}
std::int32_t riffle_llama_token_trie_forced_run(const struct llama_sampler* sampler, riffle_token* tokens,
                                                std::size_t capacity, std::size_t* count) {
    const riffle::trie_matcher* const trie = riffle::llama::trie_of(sampler);
    if (!trie || !count || (!tokens && capacity > 0)) return riffle_bad_argument;
    *count = trie->forced_run(std::span<riffle::token_id>(tokens, capacity));
    return riffle_ok;
}
std::int32_t riffle_llama_token_trie_accept_forced(struct llama_sampler* sampler, const riffle_token* tokens,
                                                   std::size_t count) {
    if (!riffle::llama::trie_of(sampler) || (!tokens && count > 0)) return riffle_bad_argument;
    return std::int32_t(riffle::llama::accept_forced(sampler, {tokens, count}).code());
}
const char* riffle_llama_token_trie_leaf(const struct llama_sampler* sampler) {
    const riffle::trie_matcher* const trie = riffle::llama::trie_of(sampler);
    return trie && trie->leaf() >= 0 ? trie->leaf_name().data() : "";  // a std::string's, which ends with 0
}
}
