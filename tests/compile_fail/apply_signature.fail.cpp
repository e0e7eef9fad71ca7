#include <riffle/riffle.hpp>

struct mine {
    void apply(riffle::candidates* c) const noexcept { c->keep_greatest(3); }
    float bias(riffle::token_id) const noexcept { return 0.0f; }
};

// expect: riffle: apply is `void apply.riffle::candidates&. const noexcept`
auto wrong = riffle::chain(mine{}, riffle::greedy{});
