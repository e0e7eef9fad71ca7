#include <riffle/riffle.hpp>

auto c = riffle::top_k{.k = 40} | riffle::dist{};
// expect: riffle: this chain has no such stage
auto& wrong = riffle::get<riffle::top_p>(c);
