#include <riffle/riffle.hpp>

struct mine {
    static constexpr riffle::facts fact{.edits = true};
    std::span<const riffle::logit_bias_entry> edits() const noexcept { return {}; }
};

auto right = riffle::chain(mine{}, riffle::greedy{});
