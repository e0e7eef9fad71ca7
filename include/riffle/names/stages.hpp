#pragma once
// The names that chains are written with, and no others: `using namespace riffle::stages;` where a program has a
// status or a context of its own, which `using namespace riffle;` would make ambiguous. riffle.hpp includes it.
// constrain needs riffle/constraint.hpp besides. Stages are among the names: a program with a mask or an infill of its
// own takes names one by one, as `using riffle::stages::top_k;`.

#include <riffle/chain/any_pipeline.hpp>
#include <riffle/chain/dynamic_chain.hpp>
#include <riffle/chain/pipeline.hpp>
#include <riffle/core/policies.hpp>
#include <riffle/core/token.hpp>
#include <riffle/names/elsewhere.hpp>
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

namespace riffle::inline RIFFLE_ABI::stages {

// ---- stages
using riffle::adaptive_p;
using riffle::allowed_tokens;
using riffle::banned_sequences;
using riffle::dist;
using riffle::dry;
using riffle::dynamic_temperature;
using riffle::encoder_repetition;
using riffle::epsilon_cutoff;
using riffle::eta_cutoff;
using riffle::factual_nucleus;
using riffle::greedy;
using riffle::gumbel;
using riffle::infill;
using riffle::length_penalty;
using riffle::logit_bias;
using riffle::mask;
using riffle::min_k;
using riffle::min_p;
using riffle::min_tokens;
using riffle::mirostat;
using riffle::mirostat_v2;
using riffle::no_repeat_ngram;
using riffle::p_less;
using riffle::penalties;
using riffle::phrase_ban;
using riffle::quadratic;
using riffle::skew;
using riffle::soft_cap;
using riffle::tail_free;
using riffle::temperature;
using riffle::top_a;
using riffle::top_h;
using riffle::top_k;
using riffle::top_n_sigma;
using riffle::top_p;
using riffle::typical;
using riffle::xtc;

// ---- constrain
using riffle::constrain;

// ---- chains
using riffle::any_pipeline;
using riffle::basic_dynamic_chain;
using riffle::chain;
using riffle::dynamic_chain;
using riffle::fast;
using riffle::get;
using riffle::llama_exact;
using riffle::reproducible;
using riffle::with;
using riffle::operator|;

// ---- tokens
using riffle::null_token;
using riffle::token_id;

}  // namespace riffle::stages
