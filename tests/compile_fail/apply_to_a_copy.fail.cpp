#include <riffle/riffle.hpp>

struct mine {
    void apply(riffle::candidates c) const noexcept { c.keep_greatest(3); }
};

// expect: riffle: apply takes its candidates by reference
auto wrong = riffle::chain(mine{}, riffle::greedy{});
