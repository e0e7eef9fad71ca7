#include <riffle/riffle.hpp>

auto right = riffle::chain(riffle::greedy{});
