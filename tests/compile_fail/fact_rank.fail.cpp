#include <riffle/riffle.hpp>

struct mine {
    static constexpr riffle::facts fact{.narrows = riffle::narrowing::rank};
    bool narrows_now() const noexcept { return true; }
    void apply(riffle::candidates& c) const noexcept { c.keep_greatest(3); }
};

// expect: riffle: narrowing::rank needs `std::size_t rank.. const noexcept`
auto wrong = riffle::chain(mine{}, riffle::greedy{});
