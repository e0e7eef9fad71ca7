#pragma once
#include <cstddef>
#include <cstdint>
#include <llama.h>
#include <span>

#include <riffle/constraint/guided.hpp>
#include <riffle/core/candidates.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/token.hpp>
#include <riffle/llama/array/run.hpp>
#include <riffle/llama/context.hpp>

namespace riffle::inline RIFFLE_ABI::llama {

/// The token for an output of an evaluated context, selected and accepted: straight from the context's logits, with no
/// candidate for every token in between. `index` is that of llama_get_logits_ith. Where llama.cpp's samplers in the
/// context's graph have chosen a token, that one is accepted; where they left candidates, it is chosen among those.
/// (For a chain of riffle's that is attached itself, see make_chain, it is llama_sampler_sample: what its graph leaves
/// is for it alone.) null_token and the chain's last_status() when there is none: empty_row where the context has
/// nothing for the index, stage_failed where a stage refuses what was chosen.
///
///     auto chain = with<llama_exact>(top_k{40} | top_p{0.95f} | temperature{0.8f} | dist{.seed = 42});
///     llama_decode(context, batch);
///     llama_token token = riffle::llama::sample(chain, context, -1);
template <class Chain>
token_id sample(Chain& chain, llama_context* context, std::int32_t index) noexcept {
    const detail::output found = detail::output_of(context, index);
    if (found.token < 0 && !found.ids) return chain.sample({found.logits, found.size});
    if (const status room = chain.state().make_room(chain.view(), 1); !room.ok()) {
        chain.state().set_status(room);
        return null_token;
    }
    const token_id token = found.token >= 0 ? found.token : detail::choose_among(chain, found);
    if (token < 0) return token;
    const step s = chain.accept(token);
    if (!s.state.ok()) chain.state().set_status(s.state);
    return s.refused ? null_token : token;
}

/// As the members of a chain with a matcher outside of it (riffle::guided), for an output of an evaluated context.
template <class Chain, class Matcher>
token_id sample(riffle::guided<Chain, Matcher>& both, llama_context* context, std::int32_t index,
                grammar_use when = grammar_use::afterwards) noexcept {
    return both.sample_from(detail::output_of(context, index), when);
}

/// Gives a chain the tokens of a prompt, llama_token as they are: history that moves no draw position.
template <class Chain>
status prompt(Chain& chain, std::span<const llama_token> tokens) noexcept {
    return chain.prompt(tokens);
}

}  // namespace riffle::llama
