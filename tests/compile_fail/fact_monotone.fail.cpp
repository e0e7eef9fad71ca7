#include <riffle/riffle.hpp>

struct mine {
    static constexpr riffle::facts fact{.monotone = true, .applies = true};
    void apply(riffle::candidates& c) const noexcept { c.keep_greatest(3); }
};

// expect: riffle: only a stage that maps can be monotone
auto wrong = riffle::chain(mine{}, riffle::greedy{});
