#include <riffle/riffle.hpp>

struct mine {
    static constexpr riffle::facts fact{.masks = true, .narrows = riffle::narrowing::legal};
    riffle::legal_tokens legal_now() const noexcept { return {}; }
    void apply(riffle::candidates& c) const noexcept { c.keep_greatest(3); }
};

auto right = riffle::chain(mine{}, riffle::greedy{});
