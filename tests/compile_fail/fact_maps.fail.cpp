#include <riffle/riffle.hpp>

struct mine {
    static constexpr riffle::facts fact{.maps = true};
    void apply(riffle::candidates& c) const noexcept { c.keep_greatest(3); }
};

// expect: riffle: a stage that maps needs `template <class V> static V map.const V& logit. noexcept`
auto wrong = riffle::chain(mine{}, riffle::greedy{});
