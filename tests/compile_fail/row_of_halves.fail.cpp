#include <riffle/riffle.hpp>

#include <span>

#if defined(__FLT16_MAX__) && !defined(__clang__)
using half = _Float16;
#else
using half = unsigned short;  // its bits
#endif

riffle::any_pipeline c = riffle::chain(riffle::greedy{});
// expect: riffle: a row of logits is floats side by side
auto wrong(std::span<const half> row) { return c.try_sample(row); }
