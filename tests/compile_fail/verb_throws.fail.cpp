#include <riffle/riffle.hpp>

struct mine {
    void apply(riffle::candidates&) const {}
};

// expect: riffle: the verbs of a stage must be noexcept, because nothing on the way from logits to token throws
auto wrong = riffle::chain(mine{}, riffle::greedy{});
