#include <riffle/explain.hpp>
#include <riffle/riffle.hpp>

#include <vector>

auto c = riffle::top_k{} | riffle::dist{};
auto right() { return riffle::explain(c); }
auto right_too(std::vector<float>& row) { return riffle::explain(c, row); }
