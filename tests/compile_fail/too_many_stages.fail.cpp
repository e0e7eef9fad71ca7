#include <riffle/riffle.hpp>

#include <utility>

template <std::size_t... I>
auto chain_of(std::index_sequence<I...>) {
    return riffle::chain((static_cast<void>(I), riffle::temperature{})..., riffle::greedy{});
}

// expect: riffle: a chain has at most 32 stages
auto wrong = chain_of(std::make_index_sequence<32>());
