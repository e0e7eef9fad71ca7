#pragma once
// Drafts in llama.cpp: rounds of verification on a context's rows, batches of drafts, and what to take out of its
// memory afterwards. Needs llama.h.

#include <riffle/llama.hpp>
#include <riffle/llama/draft_batch.hpp>
#include <riffle/llama/sample_and_accept_n.hpp>
#include <riffle/speculative.hpp>
