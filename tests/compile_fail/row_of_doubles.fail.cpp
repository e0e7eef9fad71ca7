#include <riffle/riffle.hpp>

#include <vector>

auto c = riffle::top_k{.k = 40} | riffle::dist{};
// expect: riffle: a row of logits is floats side by side
auto wrong(const std::vector<double>& row) { return c.sample(row); }
