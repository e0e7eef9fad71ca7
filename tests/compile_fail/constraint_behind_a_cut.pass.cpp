#include <riffle/constraint.hpp>
#include <riffle/riffle.hpp>

const riffle::grammar_matcher matcher;
auto right = riffle::logit_bias{} | riffle::constrain{matcher};
