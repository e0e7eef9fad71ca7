#include <riffle/riffle.hpp>

auto right = riffle::chain(riffle::top_k{.k = 40}, riffle::temperature{.t = 0.8f}, riffle::dist{});
