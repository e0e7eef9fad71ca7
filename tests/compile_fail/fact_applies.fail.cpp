#include <riffle/riffle.hpp>

struct mine {
    static constexpr riffle::facts fact{.applies = true};
};

// expect: riffle: a stage that applies needs `void apply.candidates&. const noexcept`
auto wrong = riffle::chain(mine{}, riffle::greedy{});
