#include <riffle/riffle.hpp>

struct mine {
    static constexpr riffle::facts fact{.dense_edits = true};
    double bias(riffle::token_id) const noexcept { return 0.0; }
};

// expect: riffle: a stage with dense edits needs `float bias.token_id. const noexcept`
auto wrong = riffle::chain(mine{}, riffle::greedy{});
