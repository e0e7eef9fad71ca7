#include <riffle/riffle.hpp>

struct mine {
    float bias(riffle::token_id) const noexcept { return 0.0f; }
    int apply = 0;  // a field may have any name
};

auto right = riffle::chain(mine{}, riffle::greedy{});
