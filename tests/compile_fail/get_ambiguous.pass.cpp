#include <riffle/riffle.hpp>

const auto c = riffle::temperature{.t = 0.8f} | riffle::top_k{.k = 40} | riffle::temperature{.t = 1.2f};
auto& right = riffle::get<2>(c);
