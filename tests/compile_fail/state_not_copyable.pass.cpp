#include <riffle/riffle.hpp>

#include <vector>

struct mine {
    std::vector<riffle::token_id> seen;
    void apply(riffle::candidates&) const noexcept {}
    void accept(riffle::token_id token) noexcept { seen.push_back(token); }
    void reset() noexcept { seen.clear(); }
    std::size_t mark() const noexcept { return seen.size(); }
    void rollback(std::size_t size) noexcept { seen.resize(size); }
};

auto right = riffle::chain(mine{}, riffle::greedy{});
