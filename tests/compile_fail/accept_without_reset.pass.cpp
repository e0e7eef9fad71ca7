#include <riffle/riffle.hpp>

struct mine {
    riffle::token_id last = riffle::null_token;
    float bias(riffle::token_id token) const noexcept { return token == last ? -1.0f : 0.0f; }
    void accept(riffle::token_id token) noexcept { last = token; }
    void reset() noexcept { last = riffle::null_token; }
};

auto right = mine{} | riffle::greedy{};
