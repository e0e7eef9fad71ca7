#include <riffle/riffle.hpp>

auto c = riffle::top_k{} | riffle::dist{};
// expect: deleted function
// shows: include_riffle_explain_hpp|#include <riffle/explain.hpp>
auto wrong() { return riffle::explain(c); }
