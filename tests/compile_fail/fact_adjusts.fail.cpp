#include <riffle/riffle.hpp>

struct mine {
    static constexpr riffle::facts fact{.adjusts = true};
    void apply(riffle::candidates& c) const noexcept { c.keep_greatest(3); }
};

// expect: riffle: a stage that adjusts needs `parameters.const softmax_statistics&.` and `bool adjusts_now.. const
// noexcept`
auto wrong = riffle::chain(mine{}, riffle::greedy{});
