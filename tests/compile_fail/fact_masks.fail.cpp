#include <riffle/riffle.hpp>

struct mine {
    static constexpr riffle::facts fact{.masks = true, .narrows = riffle::narrowing::legal};
    void apply(riffle::candidates& c) const noexcept { c.keep_greatest(3); }
};

// expect: riffle: a stage that masks needs `legal_tokens legal_now.. const noexcept`
auto wrong = riffle::chain(mine{}, riffle::greedy{});
