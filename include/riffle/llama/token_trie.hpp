#pragma once
#include <cstdint>
#include <cstdio>
#include <llama.h>
#include <span>
#include <string>
#include <utility>

#include <riffle/constraint/constrain.hpp>
#include <riffle/constraint/parsed.hpp>
#include <riffle/constraint/token_trie/parse_token_trie.hpp>
#include <riffle/constraint/token_trie/token_trie.hpp>
#include <riffle/constraint/token_trie/token_trie_cache.hpp>
#include <riffle/constraint/token_trie/trie_matcher.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/token.hpp>
#include <riffle/llama/sampler.hpp>
#include <riffle/llama/vocabulary.hpp>
#include <riffle/llama_exact.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::llama {
namespace detail {

/// The last problem of a thread. (Without a destructor: one of a thread would keep a plugin in memory.)
RIFFLE_LOCAL inline thread_local constinit sentence problem_of_thread{};

inline void set_last_problem(const char* why) noexcept {
    std::snprintf(problem_of_thread.data(), sentence::capacity, "%s", why);
}

/// Whether a token of a model is a control token, or ends generation.
template <class Source>
class special_in_model {
public:
    special_in_model(const Source* source, bool allowed) : tokens_(source), allowed_(allowed) {}
    bool operator()(token_id token) {
        if (allowed_) return false;
        if (tokens_.ends_generation(token)) return true;
        tokens_.read_piece(token, true, named_);
        tokens_.read_piece(token, false, shown_);
        return named_ != shown_;
    }

private:
    tokens_of<Source> tokens_;
    bool allowed_;
    std::string named_, shown_;
};

/// Modes of token_trie_sampler.
inline auto drawn_from_trie(const trie_matcher& matcher) { return riffle::chain<llama_exact>(constrain{matcher}); }
inline auto greatest_of_trie(const trie_matcher& matcher) {
    return riffle::chain<llama_exact>(constrain{matcher}, greedy{});
}
using drawn_trie_chain = decltype(drawn_from_trie(std::declval<const trie_matcher&>()));
using greatest_trie_chain = decltype(greatest_of_trie(std::declval<const trie_matcher&>()));

inline llama_sampler* sampler_of_trie(const parsed<token_trie>& trie, int mode) noexcept {
    RIFFLE_TRY {
        if (!trie) {
            set_last_problem(trie.problem().message().c_str());
            return nullptr;
        }
        if (mode != 0 && mode != 1) {
            set_last_problem("token_trie_sampler: a mode is 0 (the greatest) or 1 (drawn)");
            return nullptr;
        }
        if (trie->size() == 0) {
            set_last_problem(riffle::detail::no_leaves().message().c_str());
            return nullptr;
        }
        const sampler_options options{.name = "token-trie", .needs_legal = true};
        const trie_matcher matcher(*trie);
        llama_sampler* const made = mode == 0 ? make_sampler(greatest_of_trie(matcher), options)
                                              : make_sampler(drawn_from_trie(matcher), options);
        set_last_problem(made ? "" : "out of memory");
        return made;
    }
    RIFFLE_CATCH {
        set_last_problem("out of memory");
        return nullptr;
    }
}

}  // namespace detail

/// Why the last token_trie_sampler of this thread answered nullptr, as `in where: sentence`; empty where it did not.
inline sentence last_problem() noexcept { return detail::problem_of_thread; }

/// The payload of an application server (see parse_token_trie) as a llama_sampler, to be added to a chain ahead of all
/// that narrow. Whoever has it frees it (llama_sampler_free), a chain that it was added to included.
///
///     llama_sampler* trie = riffle::llama::token_trie_sampler(vocab, payload_json, 1);
///     if (trie) llama_sampler_chain_add(chain, trie);       // else: last_problem() says why, and a grammar may do
///
/// In each step the logits of tokens that do not go on with a value become -inf, and the others stay as they are, in
/// their order; once a value is there, all stay. `mode` 0 also selects the greatest, like llama.cpp's greedy: it may
/// stand alone, and samplers behind it may select another one. `mode` 1 leaves selecting to the chain. With one
/// descriptor it begins with the value; with several it waits until select of its matcher (see change_trie).
///
/// nullptr where the payload cannot be read or has no leaves, has a token that the model lacks, a control token or one
/// that ends generation, and for other modes; last_problem() says why. Tokens that are accepted before the first apply
/// are a prompt's; a run of forced tokens is accepted by accept_forced. Where no legal token has a logit above -inf,
/// one candidate of -inf is left, and accepting it changes nothing. Clones share the trie, and reset goes back to the
/// beginning of a value. A CPU sampler: llama.cpp runs the ones behind it on the processor, too. Needs llama.h of any
/// version since September 2024, as make_sampler.
template <class Vocab>
llama_sampler* token_trie_sampler(const Vocab* vocab, const char* payload_json, int mode,
                                  const token_trie_options& options = {}) noexcept {
    if (!vocab || !payload_json) {
        detail::set_last_problem("token_trie_sampler: there is no vocabulary, or no payload");
        return nullptr;
    }
    const parsed<token_trie> read = riffle::detail::read_in_memory<token_trie>([&] {
        const auto* const source = detail::source_of_tokens(vocab);
        const detail::tokens_of tokens(source);
        detail::special_in_model special(source, options.allow_special);
        return riffle::detail::read_payload<riffle::detail::token_trie_data>(
            text(payload_json), tokens.size(), [&special](token_id token) { return special(token); }, options);
    });
    return detail::sampler_of_trie(read, mode);
}
/// Of a trie that was read, or came from a cache: for payloads that come again.
inline llama_sampler* token_trie_sampler(const token_trie& trie, int mode) noexcept {
    return detail::sampler_of_trie(parsed<token_trie>(trie), mode);
}

/// The matcher in such a sampler, to look at its status() and leaf(); nullptr for other samplers. Valid until the next
/// call with the sampler.
inline const trie_matcher* trie_of(const llama_sampler* sampler) noexcept {
    if (const auto* const c = chain_of<detail::greatest_trie_chain>(sampler)) return &get<0>(*c).matcher;
    if (const auto* const c = chain_of<detail::drawn_trie_chain>(sampler)) return &get<0>(*c).matcher;
    return nullptr;
}
/// Accepts tokens of trie_of(sampler)->forced_run(), which were not sampled: none of them counts as a prompt's, nor as
/// accepted twice. (llama_sampler_accept cannot know. Other samplers of a chain are told by that.) Why one is refused:
/// it and those behind it are not accepted; invalid_parameter for other samplers.
inline status accept_forced(llama_sampler* sampler, std::span<const token_id> tokens) noexcept {
    if (chain_of<detail::greatest_trie_chain>(sampler))
        return accept_forced<detail::greatest_trie_chain>(sampler, tokens);
    return accept_forced<detail::drawn_trie_chain>(sampler, tokens);
}
/// Calls change(trie_matcher&) with the matcher in such a sampler: to select a descriptor, or to clear it. False for
/// other samplers. What is selected so is inside of a text, never of a prompt.
template <class Change>
bool change_trie(llama_sampler* sampler, Change change) {
    const auto changed = [&](auto& chain) {
        change(get<0>(chain).matcher);
        return true;
    };
    return change_chain<detail::greatest_trie_chain>(sampler, changed) ||
           change_chain<detail::drawn_trie_chain>(sampler, changed);
}

}  // namespace riffle::llama
