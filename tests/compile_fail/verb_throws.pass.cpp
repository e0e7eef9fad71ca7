#include <riffle/riffle.hpp>

struct mine {
    void apply(riffle::candidates&) const noexcept {}
};

auto right = riffle::chain(mine{}, riffle::greedy{});
