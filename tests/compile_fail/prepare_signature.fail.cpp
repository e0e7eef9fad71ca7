#include <riffle/riffle.hpp>

struct mine {
    static constexpr bool selects = true;
    void prepare(riffle::candidates& c) { c.keep_legal(); }
    void apply(riffle::candidates& c) const noexcept { c.selected = 0; }
};

// expect: riffle: prepare is `void prepare.riffle::candidates&. const noexcept`
auto wrong = riffle::chain(riffle::top_k{}, mine{});
