#include <riffle/riffle.hpp>

const auto c = riffle::temperature{.t = 0.8f} | riffle::top_k{.k = 40} | riffle::temperature{.t = 1.2f};
// expect: riffle: this stage occurs more than once; say which by its place, get<0>.chain. being the first stage
auto& wrong = riffle::get<riffle::temperature>(c);
