#include <riffle/riffle.hpp>

struct mine {
    static constexpr riffle::facts fact{.applies = true};
    void apply(riffle::candidates& c) const noexcept { c.keep_greatest(3); }
};

auto right = riffle::chain(mine{}, riffle::greedy{});
