#include <riffle/riffle.hpp>

struct mine {
    static constexpr riffle::facts fact{.selects = riffle::selecting::greatest};
    void apply(riffle::candidates& c) const noexcept { c.selected = 0; }
};

auto right = riffle::chain(riffle::top_k{}, mine{});
