#include <riffle/riffle.hpp>

struct mine {
    static constexpr riffle::facts fact{.edits = true};
    void apply(riffle::candidates& c) const noexcept { c.keep_greatest(3); }
};

// expect: riffle: a stage that edits needs `std::span<const logit_bias_entry> edits.. const noexcept`
auto wrong = riffle::chain(mine{}, riffle::greedy{});
