#include <riffle/riffle.hpp>

struct mine {
    static constexpr riffle::facts fact{.narrows = riffle::narrowing::rank};
    std::size_t rank() const noexcept { return 3; }
    void apply(riffle::candidates& c) const noexcept { c.keep_greatest(3); }
};

// expect: riffle: a stage whose facts say that it narrows needs `bool narrows_now.. const noexcept`
auto wrong = riffle::chain(mine{}, riffle::greedy{});
