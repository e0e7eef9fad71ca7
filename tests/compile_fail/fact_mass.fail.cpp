#include <riffle/riffle.hpp>

struct mine {
    static constexpr riffle::facts fact{.narrows = riffle::narrowing::mass};
    bool narrows_now() const noexcept { return true; }
    std::size_t keeps_at_least() const noexcept { return 1; }
    void apply(riffle::candidates& c) const noexcept { c.keep_greatest(3); }
};

// expect: riffle: narrowing::mass needs `std::uint64_t target.std::uint64_t total. const noexcept`
auto wrong = riffle::chain(mine{}, riffle::greedy{});
