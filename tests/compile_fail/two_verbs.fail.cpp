#include <riffle/riffle.hpp>

struct mine {
    float bias(riffle::token_id token) const noexcept { return token == 3 ? 1.0f : 0.0f; }
    void apply(riffle::candidates& c) const noexcept { c.keep_legal(); }
};

// expect: riffle: a stage has one of the verbs apply, map, edits and bias; make two stages of one that has more
auto wrong = riffle::chain(mine{}, riffle::greedy{});
