#pragma once
#include <utility>

#include <riffle/riffle.hpp>

namespace riffle_tests {

/// Any chain, seen and not owned: what is tested of chains in general takes a view and is compiled once, not once for
/// each type of chain.
class chain_view : public riffle::chain_interface<chain_view> {
public:
    chain_view(riffle::stage_table& table, riffle::chain_state& state) : table_(&table), state_(&state) {}

    riffle::stage_table& table() const noexcept { return *table_; }
    riffle::chain_state& state() noexcept { return *state_; }
    const riffle::chain_state& state() const noexcept { return *state_; }

private:
    riffle::stage_table* table_;
    riffle::chain_state* state_;
};

/// The view of a chain, with the table that a pipeline makes when it is asked for one. Lives no longer than the chain.
template <class Chain>
struct table_of {
    decltype(std::declval<Chain&>().table()) stages;
};
template <class Chain>
class view_of : private table_of<Chain>, public chain_view {
public:
    explicit view_of(Chain& chain)
        : table_of<Chain>{chain.table()}, chain_view(table_of<Chain>::stages, chain.state()) {}
    view_of(const view_of&) = delete;
    view_of& operator=(const view_of&) = delete;
};

}  // namespace riffle_tests
