#include <riffle/riffle.hpp>

// expect: riffle: get needs a chain that is a type; of one put together at run time d.get_if<S>\(i\)
auto& wrong(riffle::dynamic_chain& d) { return riffle::get<riffle::top_k>(d); }
