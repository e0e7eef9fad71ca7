#pragma once
#include <riffle/gpu/host/dynamic_on_device.hpp>
#include <riffle/riffle.hpp>

#include "chain/own_stages.hpp"
#include "reference/agreement.hpp"

namespace riffle_tests {

/// All stages that have a form on the device, and some that have not; a user's own among them.
using known_stages = riffle::gpu::dynamic_on_device<
    riffle::greedy, riffle::dist, riffle::gumbel, riffle::temperature, riffle::soft_cap, riffle::top_k, riffle::top_p,
    riffle::min_p, riffle::top_n_sigma, riffle::logit_bias, riffle::penalties, riffle::mask, riffle::epsilon_cutoff,
    riffle::eta_cutoff, riffle::quadratic, riffle::xtc, riffle::dry, riffle::no_repeat_ngram, riffle::banned_sequences,
    riffle::allowed_tokens, riffle::min_tokens, riffle::length_penalty, riffle::encoder_repetition, riffle::phrase_ban,
    riffle::typical, riffle::top_a, riffle::tail_free, riffle::dynamic_temperature, riffle::adaptive_p, stretched,
    folded_over, centred, bowl, overflowing, softened, inverted, slanted, keep_even>;

/// Put together at run time, behind a short prompt.
template <class... Stages>
riffle::dynamic_chain prompted_chain(const Stages&... stages) {
    riffle::dynamic_chain chain;
    ((void)chain.push(stages), ...);
    (void)chain.prompt(short_prompt);
    return chain;
}

}  // namespace riffle_tests
