#include <riffle/riffle.hpp>

struct mine {
    static constexpr riffle::facts fact{.narrows = riffle::narrowing::deviation};
    bool narrows_now() const noexcept { return true; }
    float cut(float maximum) const noexcept { return maximum - 1.0f; }
    void apply(riffle::candidates& c) const noexcept { c.keep_greatest(3); }
};

// expect: riffle: narrowing::deviation needs `float cut.float maximum, const moments&. const noexcept`
auto wrong = riffle::chain(mine{}, riffle::greedy{});
