#include <riffle/riffle.hpp>

struct mine {
    float strength = 1.0f;
};

// expect: riffle: a stage needs one of the verbs apply, map, edits or bias, const and with riffle's signatures
auto wrong = riffle::chain(mine{}, riffle::greedy{});
