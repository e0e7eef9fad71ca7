#include <riffle/llama_exact.hpp>

auto right = riffle::chain<riffle::llama_exact>(riffle::greedy{});
