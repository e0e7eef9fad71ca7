#include <riffle/riffle.hpp>

#include <vector>

auto c = riffle::penalties{.repeat = 1.1f} | riffle::dist{};
auto right(const std::vector<riffle::token_id>& tokens) { return c.prompt(tokens); }
