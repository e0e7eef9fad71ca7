#pragma once
#include <cstddef>
#include <span>

#include <riffle/core/size_arithmetic.hpp>
#include <riffle/core/storage.hpp>
#include <riffle/core/token.hpp>
#include <riffle/core/token_counts.hpp>

namespace riffle::inline RIFFLE_ABI::exact {

/// Memory that one sampler at a time uses within its apply: carries nothing from one call to the next, so a copy starts
/// empty. It grows to what was asked for most and then allocates no more; or it stays in memory of the caller.
class workspace {
public:
    /// Room for `count` objects, aligned to 64 bytes; null when there is no memory. What room() gave before is lost.
    template <class T>
    [[nodiscard]] T* room(std::size_t count) noexcept {
        return reserve(saturating::product(count, sizeof(T))).ok() ? reinterpret_cast<T*>(bytes_.data()) : nullptr;
    }
    /// At least that many bytes. Grows by doubling: the candidates that reach a sampler are more in one step than in
    /// another.
    status reserve(std::size_t bytes) noexcept {
        if (bytes == 0) bytes = 1;
        const std::size_t doubled = saturating::product(bytes_.size(), 2);
        if (!bytes_.borrowed() && bytes > bytes_.size() && bytes < doubled) bytes = doubled;
        return bytes_.reserve(bytes);
    }
    /// From now on these bytes, aligned by the caller to storage::alignment; they must outlive their use.
    void use(std::span<std::byte> bytes) noexcept { bytes_.use(bytes); }

    /// Of the array that is sorted, behind its last element (exact/introsort.hpp).
    static constexpr std::size_t sorting_padding = 32;
    /// What any sampler needs at most: to sort candidates, and to look up biases.
    static constexpr std::size_t bytes_for(std::size_t candidates, std::size_t biases) noexcept {
        using namespace saturating;
        const std::size_t sorting = product(sum(candidates, sorting_padding), sizeof(token_data) + 2 * sizeof(float));
        const std::size_t looking_up = product(token_counts::slots_for(biases), sizeof(token_counts::slot));
        return sorting > looking_up ? sorting : looking_up;
    }

private:
    detail::storage bytes_;
};

}  // namespace riffle::exact
