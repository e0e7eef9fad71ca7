#pragma once
// riffle: from a row of logits to the next token.

#include <riffle/chain/any_pipeline.hpp>
#include <riffle/chain/dynamic_chain.hpp>
#include <riffle/chain/pipeline.hpp>
#include <riffle/chain/plan.hpp>
#include <riffle/core/candidates.hpp>
#include <riffle/core/policies.hpp>
#include <riffle/core/result.hpp>
#include <riffle/core/seed.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/token.hpp>
#include <riffle/samplers/dist.hpp>
#include <riffle/samplers/greedy.hpp>
#include <riffle/samplers/gumbel.hpp>
#include <riffle/samplers/logit_bias.hpp>
#include <riffle/samplers/mask.hpp>
#include <riffle/samplers/min_p.hpp>
#include <riffle/samplers/penalties.hpp>
#include <riffle/samplers/soft_cap.hpp>
#include <riffle/samplers/temperature.hpp>
#include <riffle/samplers/top_k.hpp>
#include <riffle/samplers/top_n_sigma.hpp>
#include <riffle/samplers/top_p.hpp>
