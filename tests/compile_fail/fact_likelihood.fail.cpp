#include <riffle/riffle.hpp>

struct mine {
    static constexpr riffle::facts fact{.narrows = riffle::narrowing::likelihood};
    bool narrows_now() const noexcept { return true; }
    float cut(const riffle::softmax_statistics& of_all) const noexcept { return of_all.maximum; }
};

// expect: riffle: narrowing::likelihood needs `float cut.const softmax_statistics&. const noexcept`
auto wrong = riffle::chain(mine{}, riffle::greedy{});
