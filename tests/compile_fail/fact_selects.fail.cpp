#include <riffle/riffle.hpp>

struct mine {
    static constexpr riffle::facts fact{.selects = riffle::selecting::greatest};
};

// expect: riffle: a selector needs `void apply.candidates&. const noexcept`
auto wrong = riffle::chain(riffle::top_k{}, mine{});
