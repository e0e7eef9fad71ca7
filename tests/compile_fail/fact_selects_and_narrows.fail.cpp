#include <riffle/riffle.hpp>

struct mine {
    static constexpr riffle::facts fact{.narrows = riffle::narrowing::rank, .selects = riffle::selecting::own};
    bool narrows_now() const noexcept { return true; }
    std::size_t rank() const noexcept { return 3; }
    void apply(riffle::candidates& c) const noexcept { c.selected = 0; }
};

// expect: riffle: a selector that narrows needs a nested `state` and `void choose.candidates&, const draws&, const
// state&. const noexcept`
auto wrong = riffle::chain(riffle::top_k{}, mine{});
