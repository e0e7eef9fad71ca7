#pragma once
#include <cstddef>

#include <riffle/core/growing_array.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// What one call of a stream gives out: memory that is used again. A copy has its own, and is empty.
class output_text {
public:
    output_text() noexcept = default;
    output_text(const output_text&) noexcept {}
    output_text& operator=(const output_text&) noexcept { return *this; }
    ~output_text() = default;

    /// Empty, with room for so many bytes; false, and nothing done, where there is no memory.
    [[nodiscard]] bool begin(std::size_t most) noexcept {
        if (!bytes_.reserve(most)) return false;
        bytes_.clear();
        return true;
    }
    /// Within the room that there is.
    void add(const text& more) noexcept { (void)bytes_.append(more.data(), more.size()); }
    text whole() const noexcept { return bytes_.empty() ? text("") : text(bytes_.data(), bytes_.size()); }

private:
    growing_array<char> bytes_;
};

}  // namespace riffle::detail
