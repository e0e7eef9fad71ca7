#include <riffle/riffle.hpp>

struct mine {
    static constexpr riffle::facts fact{.draws = true, .selects = riffle::selecting::own};
    void apply(riffle::candidates& c, const riffle::draws&) const noexcept { c.selected = 0; }
};

// expect: riffle: a stage that draws needs a field `seed` and `static constexpr std::uint8_t kind`
auto wrong = riffle::chain(riffle::top_k{}, mine{});
