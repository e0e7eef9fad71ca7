#include <riffle/riffle.hpp>

#include <span>

riffle::any_pipeline c = riffle::chain(riffle::greedy{});
// expect: riffle: a row of logits is floats side by side
auto wrong(std::span<const unsigned short> row) { return c.try_sample(row); }
