#include <riffle/riffle.hpp>

auto c = riffle::top_k{} | riffle::dist{};
// expect: deleted function
auto wrong() { return riffle::explain(c); }
