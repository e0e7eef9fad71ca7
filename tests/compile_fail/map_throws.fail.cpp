#include <riffle/riffle.hpp>

struct mine {
    template <class V>
    static V map(const V& logit) {
        return logit;
    }
};

// expect: riffle: the verbs of a stage must be noexcept, because nothing on the way from logits to token throws
auto wrong = mine{} | riffle::greedy{};
