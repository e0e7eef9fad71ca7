#include <riffle/riffle.hpp>

struct mine {
    static constexpr riffle::facts fact{.adjusts = true};
    void apply(riffle::candidates& c) const noexcept { c.keep_greatest(3); }
};

// expect: riffle: a stage that adjusts needs `parameters.const softmax_statistics&.` beside its map
auto wrong = riffle::chain(mine{}, riffle::greedy{});
