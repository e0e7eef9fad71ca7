#include <riffle/riffle.hpp>

struct mine {
    void apply(riffle::candidates& c) const noexcept { c.keep_greatest(3); }
    bool check() const noexcept { return true; }
};

// expect: riffle: check is `riffle::status check.. const noexcept`
auto wrong = riffle::chain(mine{}, riffle::greedy{});
