#pragma once
// The numbers at which sizes go wrong: around the size of what there is, and where types of 31, 32, 63 and 64 bits end.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace riffle_tests {

/// Those that `Number` holds, each once, in ascending order of what they are as std::uint64_t. `size` is that of the
/// row.
template <class Number>
std::vector<Number> numbers_around(std::uint64_t size) {
    constexpr std::uint64_t two_31 = std::uint64_t{1} << 31, two_32 = std::uint64_t{1} << 32,
                            two_63 = std::uint64_t{1} << 63;
    // A quarter, an eighth and a sixteenth of what a type holds are what factors of 4, 8 and 16 wrap at.
    constexpr std::uint64_t all[] = {two_31 / 16,
                                     two_31 / 8,
                                     two_31 / 4,
                                     two_31 / 2,
                                     two_31 - 1,
                                     two_31,
                                     two_31 + 1,
                                     two_32 - 1,
                                     two_32,
                                     two_32 + 1,
                                     two_63 / 8,
                                     two_63 / 4,
                                     two_63 / 2,
                                     two_63 - 1,
                                     two_63,
                                     two_63 + 1,
                                     ~std::uint64_t{0} - 7,
                                     ~std::uint64_t{0}};
    std::vector<Number> found;
    const auto add = [&found](std::uint64_t number) {
        if (std::in_range<Number>(number) && (found.empty() || found.back() < Number(number)))
            found.push_back(Number(number));
    };
    for (const std::uint64_t small : {std::uint64_t{0}, std::uint64_t{1}, size - 1, size, size + 1}) add(small);
    for (const std::uint64_t number : all) add(number);
    return found;
}

}  // namespace riffle_tests
