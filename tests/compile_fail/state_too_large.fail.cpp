#include <riffle/riffle.hpp>

struct mine {
    int counts[20] = {};
    void apply(riffle::candidates&) const noexcept {}
    void accept(riffle::token_id token) noexcept { ++counts[token % 20]; }
    void reset() noexcept { *this = {}; }
};

// expect: riffle: what stages with accept keep may take 64 bytes in a mark; give them a smaller mark.. and a rollback.mark.
auto wrong = riffle::chain(mine{}, riffle::greedy{});
