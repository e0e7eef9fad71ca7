#include <riffle/riffle.hpp>

struct mine {
    void apply(riffle::candidates&) const noexcept {}
};

auto right(riffle::dynamic_chain& c) {
    return c.push(mine{});
}
