#pragma once
// The fields of a stage, in their order: a stage is an aggregate, so it tells itself how many it has.

#include <cstddef>
#include <tuple>
#include <utility>

namespace riffle_tests::reference {

namespace detail {

struct any_field {
    template <class T>
    operator T() const;
};
template <class S, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
    return requires { S{(void(I), any_field{})...}; };
}
template <class S, std::size_t Count = 8>
constexpr std::size_t count_fields() {
    if constexpr (Count == 0) return 0;
    else if constexpr (takes<S>(std::make_index_sequence<Count>())) return Count;
    else return count_fields<S, Count - 1>();
}

}  // namespace detail

/// A tuple of references to the fields of an aggregate that has at most six.
template <class S>
auto fields_of(S& stage) {
    constexpr std::size_t count = detail::count_fields<std::remove_const_t<S>>();
    static_assert(count <= 6, "more fields than there are names for");
    if constexpr (count == 0) {
        return std::tuple<>();
    } else if constexpr (count == 1) {
        auto& [a] = stage;
        return std::tie(a);
    } else if constexpr (count == 2) {
        auto& [a, b] = stage;
        return std::tie(a, b);
    } else if constexpr (count == 3) {
        auto& [a, b, c] = stage;
        return std::tie(a, b, c);
    } else if constexpr (count == 4) {
        auto& [a, b, c, d] = stage;
        return std::tie(a, b, c, d);
    } else if constexpr (count == 5) {
        auto& [a, b, c, d, e] = stage;
        return std::tie(a, b, c, d, e);
    } else {
        auto& [a, b, c, d, e, f] = stage;
        return std::tie(a, b, c, d, e, f);
    }
}

}  // namespace riffle_tests::reference
