#include <riffle/riffle.hpp>

// expect: riffle: numerics::llama needs #include <riffle/llama_exact.hpp>
auto wrong = riffle::chain<riffle::llama_exact>(riffle::greedy{});
