#include <riffle/riffle.hpp>

struct mine {
    int counts[16] = {};
    void apply(riffle::candidates&) const noexcept {}
    void accept(riffle::token_id token) noexcept { ++counts[token % 16]; }
    void reset() noexcept { *this = {}; }
};

auto right = riffle::chain(mine{}, riffle::greedy{});
