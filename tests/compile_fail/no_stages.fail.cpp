#include <riffle/riffle.hpp>

// expect: riffle: a chain needs at least one stage
auto wrong = riffle::chain();
