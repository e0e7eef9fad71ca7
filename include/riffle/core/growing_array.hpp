#pragma once
#include <cstddef>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include <riffle/core/size_arithmetic.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Numbers one behind the other, and room for more where the heap gives it: what std::vector is, but that it answers
/// false where that throws. (A matcher grows what it keeps in the middle of a step, where nothing may throw.)
template <class T>
class growing_array {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    growing_array() noexcept = default;
    growing_array(const growing_array&) = delete;
    growing_array& operator=(const growing_array&) = delete;
    growing_array(growing_array&& other) noexcept { swap(other); }
    growing_array& operator=(growing_array&& other) noexcept {
        growing_array(std::move(other)).swap(*this);
        return *this;
    }
    ~growing_array() { ::operator delete(data_); }

    T* data() noexcept { return data_; }
    const T* data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    std::size_t bytes() const noexcept { return capacity_ * sizeof(T); }
    T* begin() noexcept { return data_; }
    T* end() noexcept { return data_ + size_; }
    const T* begin() const noexcept { return data_; }
    const T* end() const noexcept { return data_ + size_; }
    T& operator[](std::size_t i) noexcept { return data_[i]; }
    const T& operator[](std::size_t i) const noexcept { return data_[i]; }
    T& back() noexcept { return data_[size_ - 1]; }
    std::span<const T> part(std::size_t first, std::size_t count) const noexcept { return {data_ + first, count}; }

    void clear() noexcept { size_ = 0; }
    /// Empty, and without memory.
    void release() noexcept { growing_array().swap(*this); }
    void pop() noexcept { --size_; }
    void shorten(std::size_t size) noexcept { size_ = size; }
    [[nodiscard]] bool push(const T& value) noexcept {
        const T copy = value;  // it may lie in what moves
        if (size_ == capacity_ && !reserve(larger(size_ + 1))) return false;
        ::new (static_cast<void*>(data_ + size_++)) T(copy);
        return true;
    }
    [[nodiscard]] bool append(const T* values, std::size_t count) noexcept {
        if (size_ + count > capacity_ && !reserve(larger(size_ + count))) return false;
        if (count > 0) std::memcpy(static_cast<void*>(data_ + size_), values, count * sizeof(T));
        size_ += count;
        return true;
    }
    [[nodiscard]] bool resize(std::size_t size, const T& value) noexcept {
        if (size > capacity_ && !reserve(size_ > 0 ? larger(size) : size)) return false;
        for (; size_ < size; ++size_) ::new (static_cast<void*>(data_ + size_)) T(value);
        size_ = size;
        return true;
    }
    [[nodiscard]] bool reserve(std::size_t capacity) noexcept {
        if (capacity <= capacity_) return true;
        if (capacity > largest_object / sizeof(T)) return false;
        void* const grown = ::operator new(capacity * sizeof(T), std::nothrow);
        if (!grown) return false;
        if (size_ > 0) std::memcpy(grown, data_, size_ * sizeof(T));
        ::operator delete(data_);
        data_ = static_cast<T*>(grown);
        capacity_ = capacity;
        return true;
    }
    void swap(growing_array& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }

private:
    /// Room for more than is asked for: twice as much, and of a megabyte on a quarter more.
    static std::size_t larger(std::size_t size) noexcept {
        return size * sizeof(T) < (1 << 20) ? 2 * size + 16 : size + size / 4;
    }

    T* data_ = nullptr;
    std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace riffle::detail
