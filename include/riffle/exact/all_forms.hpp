#pragma once
#include <riffle/exact/adaptive_p.hpp>
#include <riffle/exact/dist.hpp>
#include <riffle/exact/dry.hpp>
#include <riffle/exact/dynamic_temperature.hpp>
#include <riffle/exact/greedy.hpp>
#include <riffle/exact/infill.hpp>
#include <riffle/exact/logit_bias.hpp>
#include <riffle/exact/min_p.hpp>
#include <riffle/exact/mirostat.hpp>
#include <riffle/exact/mirostat_v2.hpp>
#include <riffle/exact/penalties.hpp>
#include <riffle/exact/temperature.hpp>
#include <riffle/exact/top_k.hpp>
#include <riffle/exact/top_n_sigma.hpp>
#include <riffle/exact/top_p.hpp>
#include <riffle/exact/typical.hpp>
#include <riffle/exact/xtc.hpp>

namespace riffle::inline RIFFLE_ABI::exact {

template <>
struct forms_are_included<llama_exact> {};

}  // namespace riffle::exact
