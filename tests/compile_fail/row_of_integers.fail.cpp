#include <riffle/riffle.hpp>

#include <span>

riffle::any_pipeline c = riffle::chain(riffle::greedy{});
// expect: riffle: a row of logits is float, riffle::float16 or riffle::bfloat16 side by side
auto wrong(std::span<const int> row) { return c.try_sample(row); }
