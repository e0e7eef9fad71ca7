#include <riffle/riffle.hpp>

auto usual = riffle::top_k{} | riffle::dist{};
auto& right(riffle::any_pipeline& c) { return c = usual, riffle::get<riffle::top_k>(usual); }
