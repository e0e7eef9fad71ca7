#include <riffle/riffle.hpp>

auto right = riffle::chain<riffle::fast>(riffle::greedy{});
