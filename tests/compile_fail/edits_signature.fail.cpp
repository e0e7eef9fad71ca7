#include <riffle/riffle.hpp>

struct mine {
    int edits() const noexcept { return 0; }
    void apply(riffle::candidates& c) const noexcept { c.keep_greatest(3); }
};

// expect: riffle: edits is `std::span<const riffle::logit_bias_entry> edits.. const noexcept`
auto wrong = riffle::chain(mine{}, riffle::greedy{});
