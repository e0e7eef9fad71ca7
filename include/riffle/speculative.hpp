#pragma once
// Several tokens for one evaluation of the model: drafts, drafters without a model, and verifiers that leave the law of
// the text as it is, whatever stages the chain has. Needs nobody's library.

#include <riffle/core/logit_rows.hpp>
#include <riffle/speculative/drafters/draft_after.hpp>
#include <riffle/speculative/drafters/drafter.hpp>
#include <riffle/speculative/drafters/first_of.hpp>
#include <riffle/speculative/drafters/learn_round.hpp>
#include <riffle/speculative/drafters/ngram_cache.hpp>
#include <riffle/speculative/drafters/ngram_map.hpp>
#include <riffle/speculative/drafters/prompt_lookup.hpp>
#include <riffle/speculative/drafters/recycled_tokens.hpp>
#include <riffle/speculative/drafters/suffix_automaton.hpp>
#include <riffle/speculative/drafters/suffix_corpus.hpp>
#include <riffle/speculative/drafts/draft.hpp>
#include <riffle/speculative/drafts/draft_from.hpp>
#include <riffle/speculative/drafts/draft_tree.hpp>
#include <riffle/speculative/drafts/legal_drafts.hpp>
#include <riffle/speculative/pacing/controller.hpp>
#include <riffle/speculative/verifying/speculator.hpp>
#include <riffle/speculative/verifying/verified.hpp>
#include <riffle/speculative/verifying/verifiers.hpp>
