#include <riffle/riffle.hpp>

// expect: no non-static data member named|does not name a non-static data member|field designator 'n'
auto wrong = riffle::top_k{.n = 40} | riffle::dist{};
