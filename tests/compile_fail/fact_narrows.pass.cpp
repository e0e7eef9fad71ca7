#include <riffle/riffle.hpp>

struct mine {
    static constexpr riffle::facts fact{.narrows = riffle::narrowing::rank};
    bool narrows_now() const noexcept { return true; }
    std::size_t rank() const noexcept { return 3; }
    void apply(riffle::candidates& c) const noexcept { c.keep_greatest(3); }
};

auto right = riffle::chain(mine{}, riffle::greedy{});
