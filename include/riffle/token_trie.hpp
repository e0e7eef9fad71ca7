#pragma once
// One value out of a few, in the tokens of a payload that an application server sends. Needs nlohmann-json, which reads
// the payload.

#if !__has_include(<nlohmann/json.hpp>)
#include <riffle needs nlohmann-json for riffle/token_trie.hpp, version 3.11 or newer: Debian's nlohmann-json3-dev, or nlohmann/json>
#endif
#include <riffle/constraint.hpp>
#include <riffle/constraint/token_trie/parse_token_trie.hpp>
#include <riffle/constraint/token_trie/token_trie_cache.hpp>
