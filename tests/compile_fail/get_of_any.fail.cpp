#include <riffle/riffle.hpp>

// expect: riffle: an any_pipeline hides its stages
auto& wrong(riffle::any_pipeline& c) { return riffle::get<riffle::top_k>(c); }
