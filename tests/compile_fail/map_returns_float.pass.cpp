#include <riffle/riffle.hpp>

struct mine {
    template <class V>
    static V map(const V&) noexcept {
        return V(0.0f);
    }
};

auto right = riffle::chain(mine{}, riffle::greedy{});
