#pragma once
// The model may only say what the program can read: grammars, and chains that keep to them. Needs nobody's library.

#include <riffle/constraint/constrain.hpp>
#include <riffle/constraint/constrain_by_text.hpp>
#include <riffle/constraint/feasible_mass.hpp>
#include <riffle/constraint/forced_tokens.hpp>
#include <riffle/constraint/gbnf.hpp>
#include <riffle/constraint/gbnf_writer.hpp>
#include <riffle/constraint/grammar.hpp>
#include <riffle/constraint/grammar_limits.hpp>
#include <riffle/constraint/grammar_matcher.hpp>
#include <riffle/constraint/grammar_use.hpp>
#include <riffle/constraint/guided.hpp>
#include <riffle/constraint/parsed.hpp>
#include <riffle/constraint/parts/free_text.hpp>
#include <riffle/constraint/parts/literals.hpp>
#include <riffle/constraint/parts/sequences.hpp>
#include <riffle/constraint/regex/parse_regex.hpp>
#include <riffle/constraint/streaming/stop_strings.hpp>
#include <riffle/constraint/streaming/text_stream.hpp>
#include <riffle/constraint/streaming/utf8_stream.hpp>
#include <riffle/constraint/token_trie/token_trie.hpp>
#include <riffle/constraint/token_trie/trie_matcher.hpp>
#include <riffle/constraint/vocabulary_trie.hpp>
#include <riffle/core/byte_set.hpp>
