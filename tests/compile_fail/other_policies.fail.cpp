#include <riffle/riffle.hpp>

// (with | the policies of the other chain would hold for both: // only with chain)
// expect: riffle: a chain inside this one has other policies; say which hold for all with chain<...>....
auto wrong = riffle::chain(riffle::chain<riffle::fast>(riffle::top_k{.k = 40}), riffle::greedy{});
