#include <riffle/riffle.hpp>

struct mine {
    struct state {
        float learnt = 0.0f;
    };
    static constexpr riffle::facts fact{.selects = riffle::selecting::own};
    void choose(riffle::candidates& c, const riffle::draws&, const state&) const noexcept { c.selected = 0; }
};

// expect: riffle: a stage with a state needs `step accept.state&, token_id, const last_choice\*. const noexcept`
auto wrong = riffle::chain(riffle::top_k{}, mine{});
