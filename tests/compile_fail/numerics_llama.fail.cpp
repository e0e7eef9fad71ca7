#include <riffle/riffle.hpp>

// expect: riffle: numerics::llama is not there yet; use reproducible or fast
auto wrong = riffle::chain<riffle::llama_exact>(riffle::greedy{});
