#include <riffle/riffle.hpp>

struct matcher {};

// expect: constrain
// shows: #include <riffle/constraint.hpp>
auto wrong = riffle::constrain{matcher{}};
