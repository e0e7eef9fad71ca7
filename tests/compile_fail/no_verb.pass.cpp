#include <riffle/riffle.hpp>

struct mine {
    float strength = 1.0f;
    void apply(riffle::candidates& c) const noexcept { c[0].logit += strength; }
};

auto right = riffle::chain(mine{}, riffle::greedy{});
