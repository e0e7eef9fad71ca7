#include <riffle/riffle.hpp>

struct mine {
    struct state {
        float learnt = 0.0f;
    };
    static constexpr riffle::facts fact{.narrows = riffle::narrowing::head, .selects = riffle::selecting::by_mass};
    bool narrows_now() const noexcept { return true; }
    std::size_t rank() const noexcept { return 3; }
    std::size_t rank(const riffle::softmax_statistics&, riffle::candidates&, const state&) const noexcept { return 3; }
    void choose(riffle::candidates& c, const riffle::draws&, const state&) const noexcept { c.selected = 0; }
    riffle::step accept(state&, riffle::token_id, const riffle::last_choice*) const noexcept { return {}; }
};

auto right = riffle::chain(riffle::top_k{}, mine{});
