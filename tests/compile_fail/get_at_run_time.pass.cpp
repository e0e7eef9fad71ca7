#include <riffle/riffle.hpp>

auto* right(riffle::dynamic_chain& d) { return d.get_if<riffle::top_k>(0); }
