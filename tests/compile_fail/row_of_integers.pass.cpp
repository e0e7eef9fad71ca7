#include <riffle/riffle.hpp>

#include <span>

riffle::any_pipeline c = riffle::chain(riffle::greedy{});
auto right(std::span<const float> row) { return c.try_sample(row); }
