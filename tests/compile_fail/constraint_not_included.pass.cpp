#include <riffle/constraint.hpp>
#include <riffle/riffle.hpp>

auto right(riffle::grammar_matcher matcher) { return riffle::constrain{matcher}; }
