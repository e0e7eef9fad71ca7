#include <riffle/riffle.hpp>

struct mine {
    void apply(riffle::candidates& c) const noexcept { c.keep_greatest(3); }
    int mark() const noexcept { return 0; }
    void accept(riffle::token_id) noexcept {}
    void reset() noexcept {}
    void rollback(int) noexcept {}
};

auto right = riffle::chain(mine{}, riffle::greedy{});
