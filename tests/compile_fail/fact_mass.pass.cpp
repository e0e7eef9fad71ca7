#include <riffle/riffle.hpp>

struct mine {
    static constexpr riffle::facts fact{.narrows = riffle::narrowing::mass};
    bool narrows_now() const noexcept { return true; }
    std::size_t keeps_at_least() const noexcept { return 1; }
    std::uint64_t target(std::uint64_t total) const noexcept { return total / 2; }
    void apply(riffle::candidates& c) const noexcept { c.keep_greatest(3); }
};

auto right = riffle::chain(mine{}, riffle::greedy{});
