#include <riffle/riffle.hpp>

struct mine {
    void apply(riffle::candidates&) const {}
};

// A chain put together at run time takes no other stages than a pipeline.
// expect: riffle: the verbs of a stage must be noexcept, because nothing on the way from logits to token throws
auto wrong(riffle::dynamic_chain& c) {
    return c.push(mine{});
}
