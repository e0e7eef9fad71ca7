#include <riffle/riffle.hpp>

struct lifts {
    float bias(riffle::token_id token) const noexcept { return token == 3 ? 1.0f : 0.0f; }
};
struct keeps {
    void apply(riffle::candidates& c) const noexcept { c.keep_legal(); }
};

auto right = riffle::chain(lifts{}, keeps{}, riffle::greedy{});
