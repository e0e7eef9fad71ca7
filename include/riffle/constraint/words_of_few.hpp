#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/constraint/token_mask.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/storage.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Words of a mask that has ids, in memory of the matcher's own. A copy begins without.
template <class Mask>
class basic_words_of_few {
public:
    basic_words_of_few() noexcept = default;
    basic_words_of_few(const basic_words_of_few&) noexcept {}
    basic_words_of_few& operator=(const basic_words_of_few&) noexcept {
        forget();
        return *this;
    }
    std::span<const std::uint32_t> of(const Mask& mask, std::size_t size) noexcept {
        if (shown_ == &mask) return {words(), size};
        if (none(size).empty()) return {};
        for (const token_id id : mask.ids()) words()[std::size_t(id) / 32] |= 1u << (std::uint32_t(id) % 32);
        shown_ = &mask;
        return {words(), size};
    }
    /// Zeros.
    std::span<const std::uint32_t> none(std::size_t size) noexcept {
        const std::size_t bytes = size * sizeof(std::uint32_t);
        if (memory_.size() < bytes) {
            shown_ = nullptr;
            if (memory_.reserve(bytes) != status_code::ok) return {};
        }
        if (shown_)
            for (const token_id id : shown_->ids()) words()[std::size_t(id) / 32] = 0;
        else std::fill_n(words(), size, 0u);
        shown_ = nullptr;
        return {words(), size};
    }
    /// The mask may be gone.
    void forget() noexcept { shown_ = nullptr; }

private:
    std::uint32_t* words() noexcept { return reinterpret_cast<std::uint32_t*>(memory_.data()); }
    storage memory_;
    const Mask* shown_ = nullptr;
};
using words_of_few = basic_words_of_few<token_mask>;

}  // namespace riffle::detail
