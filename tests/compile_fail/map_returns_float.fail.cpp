#include <riffle/riffle.hpp>

struct mine {
    template <class V>
    static float map(const V&) noexcept {
        return 0.0f;
    }
    void apply(riffle::candidates& c) const noexcept { c.keep_greatest(3); }
};

// expect: riffle: map is `template <class V> static V map.const V& logit. noexcept`
auto wrong = riffle::chain(mine{}, riffle::greedy{});
