#pragma once
#include <utility>

#include <riffle/riffle.hpp>

namespace riffle_tests {

/// Any chain, seen and not owned: what is tested of chains in general takes a view and is compiled once, not once for
/// each type of chain.
class chain_view : public riffle::chain_interface<chain_view> {
public:
    chain_view(const riffle::stage_list& stages, riffle::chain_state& state) : stages_(&stages), state_(&state) {}

    const riffle::stage_list& view() const noexcept { return *stages_; }
    riffle::chain_state& state() noexcept { return *state_; }
    const riffle::chain_state& state() const noexcept { return *state_; }

private:
    const riffle::stage_list* stages_;
    riffle::chain_state* state_;
};

/// The view of a chain, with the list of stages that a pipeline makes when it is asked for one. Lives no longer than the
/// chain.
template <class Chain>
struct list_of {
    decltype(std::declval<Chain&>().view()) stages;
};
template <class Chain>
class view_of : private list_of<Chain>, public chain_view {
public:
    explicit view_of(Chain& chain)
        : list_of<Chain>{chain.view()}, chain_view(list_of<Chain>::stages, chain.state()) {}
    view_of(const view_of&) = delete;
    view_of& operator=(const view_of&) = delete;
};

}  // namespace riffle_tests
