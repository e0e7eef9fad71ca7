#include <riffle/riffle.hpp>

#include <vector>

auto c = riffle::top_k{.k = 40} | riffle::dist{};
auto right(const std::vector<float>& row) { return c.sample(row); }
