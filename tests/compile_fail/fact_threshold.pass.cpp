#include <riffle/riffle.hpp>

struct mine {
    static constexpr riffle::facts fact{.narrows = riffle::narrowing::threshold};
    bool narrows_now() const noexcept { return true; }
    std::size_t keeps_at_least() const noexcept { return 1; }
    float cut(float maximum) const noexcept { return maximum - 1.0f; }
    void apply(riffle::candidates& c) const noexcept { c.keep_greatest(3); }
};

auto right = riffle::chain(mine{}, riffle::greedy{});
