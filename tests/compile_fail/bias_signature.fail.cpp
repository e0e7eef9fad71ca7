#include <riffle/riffle.hpp>

struct mine {
    double bias(riffle::token_id) const noexcept { return 0.0; }
    void apply(riffle::candidates& c) const noexcept { c.keep_greatest(3); }
};

// expect: riffle: bias is `float bias.riffle::token_id. const noexcept`
auto wrong = riffle::chain(mine{}, riffle::greedy{});
