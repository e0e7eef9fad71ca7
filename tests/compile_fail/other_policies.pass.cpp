#include <riffle/riffle.hpp>

auto right = riffle::chain<riffle::fast>(riffle::chain<riffle::fast>(riffle::top_k{.k = 40}), riffle::greedy{});
