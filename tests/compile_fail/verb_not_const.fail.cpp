#include <riffle/riffle.hpp>

struct mine {
    int calls = 0;
    void apply(riffle::candidates&) noexcept { ++calls; }
};

// expect: riffle: a stage needs one of the verbs apply, map, edits or bias, const and with riffle's signatures
auto wrong = riffle::chain(mine{}, riffle::greedy{});
