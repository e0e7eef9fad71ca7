#pragma once
// Inside llama.cpp: needs its llama.h, of any version since September 2024. A chain as a llama_sampler and the other
// way round, tokens straight from a context, vocabularies, and settings that come with a model.

#if !__has_include(<llama.h>)
#include <riffle needs llama.h for riffle/llama.hpp: Debian's libllama-dev, or an install of llama.cpp>
#endif
#include <riffle/llama/backend.hpp>
#include <riffle/llama/guided.hpp>
#include <riffle/llama/sample.hpp>
#include <riffle/llama/sampler.hpp>
#include <riffle/llama/settings.hpp>
#include <riffle/llama/stage.hpp>
#include <riffle/llama/vocabulary.hpp>
#include <riffle/llama_exact.hpp>
#include <riffle/settings.hpp>
