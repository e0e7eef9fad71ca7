#include <riffle/riffle.hpp>

struct mine {
    static constexpr riffle::facts fact{.narrows = riffle::narrowing::searched};
    bool narrows_now() const noexcept { return true; }
    void keep(riffle::candidates& c, const riffle::softmax_statistics&, float) const noexcept { c.keep_greatest(3); }
};

// expect: riffle: narrowing::searched needs `bool keep.candidates&, const softmax_statistics&, float floor. const
// noexcept`
auto wrong = riffle::chain(mine{}, riffle::greedy{});
