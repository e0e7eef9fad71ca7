#include <riffle/llama_exact.hpp>

riffle::basic_dynamic_chain<riffle::llama_exact> right;
