#include <riffle/riffle.hpp>

struct mine {
    void apply(riffle::candidates& c) const noexcept { c.keep_greatest(3); }
    int mark() const noexcept { return 0; }
    void accept(riffle::token_id) noexcept {}
    void reset() noexcept {}
    void rollback(const char*) noexcept {}
};

// expect: riffle: rollback is `void rollback.mark. noexcept`
auto wrong = riffle::chain(mine{}, riffle::greedy{});
