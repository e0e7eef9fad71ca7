#include <riffle/riffle.hpp>

struct mine {
    template <class V>
    static V map(const V& logit) noexcept {
        return logit;
    }
};

auto right = riffle::chain(mine{}, riffle::greedy{});
