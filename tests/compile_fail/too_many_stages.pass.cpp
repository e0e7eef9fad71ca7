#include <riffle/riffle.hpp>

#include <utility>

template <std::size_t... I>
auto chain_of(std::index_sequence<I...>) {
    return riffle::chain((static_cast<void>(I), riffle::temperature{})..., riffle::greedy{});
}

auto right = chain_of(std::make_index_sequence<31>());
