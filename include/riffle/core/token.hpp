#pragma once
#include <cstdint>

#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI {

/// A token of the vocabulary: the index of its logit in a row.
using token_id = std::int32_t;

/// What a chain answers when there is no token to give; last_status() then says why.
RIFFLE_LOCAL inline constexpr token_id null_token = -1;

/// Where an accepted token comes from: the prompt, or the chain (or whoever chose in its place), which moves the draws.
enum class token_origin : std::uint8_t { prompt, generated };

/// One candidate. `p` is scratch between stages; it holds a probability only where a function says so.
/// The layout is that of llama_token_data, so that an array of either can be read as the other.
struct RIFFLE_MAY_ALIAS token_data {
    token_id id;  ///< the index of its logit in a row
    float logit;  ///< -inf = illegal
    float p;      ///< scratch, or a probability from 0 to 1
};
static_assert(sizeof(token_data) == 12);

/// A token and the natural logarithm of its probability.
struct token_logprob {
    token_id id;    ///< the index of its logit in a row
    float logprob;  ///< in nats, 0 = certain
};

}  // namespace riffle
