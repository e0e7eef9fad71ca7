#pragma once
#include <cstddef>
#include <new>
#include <span>
#include <utility>

#include <riffle/core/size_arithmetic.hpp>
#include <riffle/core/status.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Bytes of a chain's scratch, on the heap or in memory the caller gives. Scratch carries nothing from one step to the
/// next, so a copy starts empty and the content is lost when it grows.
class storage {
public:
    static constexpr std::size_t alignment = 64;

    storage() noexcept = default;
    storage(const storage&) noexcept {}
    storage& operator=(const storage&) noexcept { return *this; }
    storage(storage&& other) noexcept { swap(other); }
    storage& operator=(storage&& other) noexcept {
        swap(other);
        return *this;
    }
    ~storage() { release(); }

    std::byte* data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }
    bool overlaps(std::span<const std::byte> bytes) const noexcept {
        return share_bytes(data_, size_, bytes.data(), bytes.size());
    }
    bool borrowed() const noexcept { return borrowed_; }
    /// Both get the bytes of the other.
    void trade(storage& other) noexcept { swap(other); }

    /// At least `bytes`. Memory of the caller never turns into heap memory.
    [[nodiscard]] status_code reserve(std::size_t bytes) noexcept {
        if (bytes <= size_) return status_code::ok;
        if (borrowed_) return status_code::storage_too_small;
        if (bytes > largest_object) return status_code::out_of_memory;  // operator new may wrap when it aligns them
        auto* grown = static_cast<std::byte*>(::operator new(bytes, std::align_val_t{alignment}, std::nothrow));
        if (!grown) return status_code::out_of_memory;  // what was there stays in use
        release();
        data_ = grown;
        size_ = bytes;
        return status_code::ok;
    }
    /// From now on these bytes, aligned by the caller to `alignment`; they must outlive their use.
    void use(std::span<std::byte> bytes) noexcept {
        release();
        data_ = bytes.data();
        size_ = bytes.size();
        borrowed_ = true;
    }

private:
    void release() noexcept {
        if (!borrowed_ && data_) ::operator delete(data_, std::align_val_t{alignment});
        data_ = nullptr;
        size_ = 0;
        borrowed_ = false;
    }
    void swap(storage& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(borrowed_, other.borrowed_);
    }
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
    bool borrowed_ = false;
};

}  // namespace riffle::detail
