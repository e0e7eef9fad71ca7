#include <riffle/riffle.hpp>

struct mine {
    void apply(riffle::candidates& c) const noexcept { c.keep_greatest(3); }
    void reset(int) noexcept {}
};

// expect: riffle: reset is `void reset.. noexcept`
auto wrong = riffle::chain(mine{}, riffle::greedy{});
