#include <riffle/riffle.hpp>

struct mine {
    int tokens = 0;
    void apply(riffle::candidates&) const noexcept {}
    void accept(riffle::token_id) noexcept { ++tokens; }
    void reset() noexcept { tokens = 0; }
};

auto right = riffle::chain(mine{}, riffle::greedy{});
