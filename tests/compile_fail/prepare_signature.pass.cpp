#include <riffle/riffle.hpp>

struct mine {
    static constexpr bool selects = true;
    void prepare(riffle::candidates& c) const noexcept { c.keep_legal(); }
    void apply(riffle::candidates& c) const noexcept { c.selected = 0; }
};

auto right = riffle::chain(riffle::top_k{}, mine{});
