#pragma once
// Modules that the compiler made, by name.

#include <cstdint>
#include <span>

namespace riffle_tests {

struct named_module {
    const char* name;
    std::span<const std::uint32_t> words;
};
/// Of chains of every kind, as spirv_v has them.
std::span<const named_module> compiled_modules();

}  // namespace riffle_tests
