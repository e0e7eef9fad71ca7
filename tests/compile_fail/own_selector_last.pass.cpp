#include <riffle/riffle.hpp>

struct first {
    static constexpr bool selects = true;
    void apply(riffle::candidates& c) const noexcept { c.selected = c.empty() ? -1 : 0; }
};

auto right = riffle::chain(riffle::chain(riffle::top_k{.k = 40}, riffle::temperature{}), first{});
