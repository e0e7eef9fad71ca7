#include <riffle/riffle.hpp>

#include <vector>

auto c = riffle::penalties{.repeat = 1.1f} | riffle::dist{};
// expect: riffle: a prompt is token ids side by side
auto wrong(const std::vector<long>& tokens) { return c.prompt(tokens); }
