#include <riffle/constraint.hpp>
#include <riffle/riffle.hpp>

const riffle::grammar_matcher matcher;
// expect: riffle: a constraint must stand ahead of every stage that narrows, which might leave it no legal token
auto wrong = riffle::top_k{.k = 40} | riffle::constrain{matcher};
