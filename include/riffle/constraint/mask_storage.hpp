#pragma once
#include <cstdint>

#include <riffle/core/growing_array.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// The words of a mask that a matcher puts together in each step. They mean nothing to a copy, which starts without.
struct mask_storage {
    growing_array<std::uint32_t> words;

    mask_storage() noexcept = default;
    mask_storage(const mask_storage&) noexcept {}
    mask_storage& operator=(const mask_storage&) noexcept { return *this; }
    ~mask_storage() = default;
};

}  // namespace riffle::detail
