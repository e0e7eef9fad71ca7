#include <riffle/riffle.hpp>

auto c = riffle::top_k{.k = 40} | riffle::dist{};
auto& right = riffle::get<1>(c);
