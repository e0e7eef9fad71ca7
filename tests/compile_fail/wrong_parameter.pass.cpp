#include <riffle/riffle.hpp>

auto right = riffle::top_k{.k = 40} | riffle::dist{};
