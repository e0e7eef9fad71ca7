#include <riffle/riffle.hpp>

struct first {
    static constexpr bool selects = true;
    void apply(riffle::candidates& c) const noexcept { c.selected = c.empty() ? -1 : 0; }
};

// A user's selector is one too, and a chain within a chain hides nothing.
// expect: riffle: a selector must be the last stage of a chain
auto wrong = riffle::chain(riffle::chain(riffle::top_k{.k = 40}, first{}), riffle::dist{});
