#include <riffle/riffle.hpp>

struct mine {
    static constexpr riffle::facts fact{.masks = true};
    riffle::legal_tokens legal_now() const noexcept { return {}; }
    void apply(riffle::candidates& c) const noexcept { c.keep_greatest(3); }
};

// expect: riffle: a stage that masks says narrowing::legal, and no other does
auto wrong = riffle::chain(mine{}, riffle::greedy{});
