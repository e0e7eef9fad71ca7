#include <riffle/riffle.hpp>

// expect: riffle: a selector must be the last stage of a chain
auto wrong = riffle::dist{} | riffle::top_k{.k = 40};
