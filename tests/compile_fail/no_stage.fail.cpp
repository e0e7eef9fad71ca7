#include <riffle/riffle.hpp>

// only with chain
// expect: riffle: .*is no stage
auto wrong = riffle::chain(riffle::top_k{.k = 40}, 0.8f, riffle::dist{});
