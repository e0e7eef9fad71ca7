#include <riffle/riffle.hpp>

auto c = riffle::top_k{.k = 40} | riffle::dist{};
// expect: riffle: the chain has fewer stages
auto& wrong = riffle::get<2>(c);
