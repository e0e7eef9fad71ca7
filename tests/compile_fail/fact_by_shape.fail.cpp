#include <riffle/riffle.hpp>

struct mine {
    struct state {
        float learnt = 0.0f;
    };
    static constexpr riffle::facts fact{.selects = riffle::selecting::by_own_distribution};
    void choose(riffle::candidates& c, const riffle::draws&, const state&) const noexcept { c.selected = 0; }
    riffle::step accept(state&, riffle::token_id, const riffle::last_choice*) const noexcept { return {}; }
};

// expect: riffle: selecting::by_own_distribution needs `shape.const softmax_statistics&, const state&.`
auto wrong = riffle::chain(riffle::top_k{}, mine{});
