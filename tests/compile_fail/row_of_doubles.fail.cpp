#include <riffle/riffle.hpp>

#include <vector>

auto c = riffle::top_k{.k = 40} | riffle::dist{};
// expect: riffle: a row of logits is float, riffle::float16 or riffle::bfloat16 side by side
auto wrong(const std::vector<double>& row) { return c.sample(row); }
