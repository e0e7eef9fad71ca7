#pragma once
// riffle: from a row of logits to the next token.
//
// Of the parameters of all stages: a denormal counts as 0, a seed may be anything, min_keep = 0 is 1, and of more than
// there are (k, min_keep, last_n) all are meant. What has no meaning is an error, in the chain's last_status(): NaN,
// and what a stage's own words say; every other value is legal, however great. A logit that is taken beyond the floats
// is illegal below them and the greatest float above.

#include <riffle/chain/any_pipeline.hpp>
#include <riffle/chain/dynamic_chain.hpp>
#include <riffle/chain/pipeline.hpp>
#include <riffle/chain/plan.hpp>
#include <riffle/core/candidates.hpp>
#include <riffle/core/policies.hpp>
#include <riffle/core/result.hpp>
#include <riffle/core/seed.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/token.hpp>
#include <riffle/core/token_sequences.hpp>
#include <riffle/core/token_set.hpp>
#include <riffle/core/vocabulary.hpp>
#include <riffle/core/weights.hpp>
#include <riffle/guidance/classifier_free_guidance.hpp>
#include <riffle/guidance/contrastive_decoding.hpp>
#include <riffle/names/elsewhere.hpp>
#include <riffle/names/stages.hpp>
#include <riffle/samplers/adaptive_p.hpp>
#include <riffle/samplers/allowed_tokens.hpp>
#include <riffle/samplers/banned_sequences.hpp>
#include <riffle/samplers/dist.hpp>
#include <riffle/samplers/dry.hpp>
#include <riffle/samplers/dynamic_temperature.hpp>
#include <riffle/samplers/encoder_repetition.hpp>
#include <riffle/samplers/epsilon_cutoff.hpp>
#include <riffle/samplers/eta_cutoff.hpp>
#include <riffle/samplers/factual_nucleus.hpp>
#include <riffle/samplers/greedy.hpp>
#include <riffle/samplers/gumbel.hpp>
#include <riffle/samplers/infill.hpp>
#include <riffle/samplers/length_penalty.hpp>
#include <riffle/samplers/logit_bias.hpp>
#include <riffle/samplers/mask.hpp>
#include <riffle/samplers/min_k.hpp>
#include <riffle/samplers/min_p.hpp>
#include <riffle/samplers/min_tokens.hpp>
#include <riffle/samplers/mirostat.hpp>
#include <riffle/samplers/mirostat_v2.hpp>
#include <riffle/samplers/no_repeat_ngram.hpp>
#include <riffle/samplers/p_less.hpp>
#include <riffle/samplers/parts/dry_breakers.hpp>
#include <riffle/samplers/penalties.hpp>
#include <riffle/samplers/phrase_ban.hpp>
#include <riffle/samplers/quadratic.hpp>
#include <riffle/samplers/skew.hpp>
#include <riffle/samplers/soft_cap.hpp>
#include <riffle/samplers/tail_free.hpp>
#include <riffle/samplers/temperature.hpp>
#include <riffle/samplers/top_a.hpp>
#include <riffle/samplers/top_h.hpp>
#include <riffle/samplers/top_k.hpp>
#include <riffle/samplers/top_n_sigma.hpp>
#include <riffle/samplers/top_p.hpp>
#include <riffle/samplers/typical.hpp>
#include <riffle/samplers/xtc.hpp>
