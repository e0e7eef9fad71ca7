#include <riffle/riffle.hpp>

#include <vector>

struct mine {
    std::vector<riffle::token_id> seen;
    void apply(riffle::candidates&) const noexcept {}
    void accept(riffle::token_id token) noexcept { seen.push_back(token); }
    void reset() noexcept { seen.clear(); }
};

// expect: riffle: a stage with accept must be trivially copyable, or have a trivially copyable mark.. and a rollback.mark., so that a chain can go back
auto wrong = riffle::chain(mine{}, riffle::greedy{});
