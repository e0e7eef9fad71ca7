#pragma once
// The payload of a token trie as a llama_sampler: needs llama.h and nlohmann-json.

#include <riffle/llama.hpp>
#include <riffle/llama/token_trie.hpp>
#include <riffle/token_trie.hpp>
