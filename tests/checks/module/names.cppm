// A module that hands riffle's names on.
module;
#include <riffle/riffle.hpp>
export module names;

export namespace riffle {
using riffle::dist;
using riffle::operator|;
using riffle::temperature;
using riffle::top_k;
}  // namespace riffle
