#pragma once
#include <concepts>
#include <cstddef>
#include <cstring>

#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI {

/// A view of bytes, made from a literal or from any string or view class. (std::string_view would cost every user a
/// tenth of what including riffle costs.)
class text {
public:
    constexpr text() noexcept = default;
    /// Of `size` bytes, which must outlive it.
    constexpr text(const char* data, std::size_t size) noexcept : data_(data), size_(size) {}
    /// Of a C string, up to the 0 at its end; empty for nullptr.
    text(const char* literal) noexcept : data_(literal), size_(literal ? std::strlen(literal) : 0) {}
    /// Of a std::string, a std::string_view, or whatever else has data() and size(). The bytes must outlive it.
    template <class View>
        requires requires(const View& v) {
            { v.data() } -> std::convertible_to<const char*>;
            { v.size() } -> std::convertible_to<std::size_t>;
        }
    constexpr text(const View& v) noexcept : data_(v.data()), size_(v.size()) {}

    /// The first byte. There may be no 0 behind the last.
    constexpr const char* data() const noexcept { return data_; }
    /// In bytes.
    constexpr std::size_t size() const noexcept { return size_; }
    /// Whether it has no bytes.
    constexpr bool empty() const noexcept { return size_ == 0; }
    /// The first byte, for loops.
    constexpr const char* begin() const noexcept { return data_; }
    /// Behind the last byte.
    constexpr const char* end() const noexcept { return data_ + size_; }
    /// The byte at a place below size(), which is not checked.
    constexpr char operator[](std::size_t i) const noexcept { return data_[i]; }
    /// From `first` on, at most `count` bytes.
    constexpr text part(std::size_t first, std::size_t count = std::size_t(-1)) const noexcept {
        if (first > size_) first = size_;
        return {data_ + first, count < size_ - first ? count : size_ - first};
    }
    /// Whether these are its first bytes; true for an empty head.
    constexpr bool starts_with(const text& head) const noexcept {
        return head.size_ <= size_ && same(data_, head.data_, head.size_);
    }
    /// Whether these bytes stand in it, side by side; true for none. O(size() · what.size()).
    constexpr bool contains(const text& what) const noexcept {
        for (std::size_t i = 0; i + what.size_ <= size_; ++i)
            if (same(data_ + i, what.data_, what.size_)) return true;
        return false;
    }
    /// Whether both have the same bytes.
    friend constexpr bool operator==(const text& a, const text& b) noexcept {
        return a.size_ == b.size_ && same(a.data_, b.data_, a.size_);
    }

private:
    static constexpr bool same(const char* a, const char* b, std::size_t size) noexcept {
        for (std::size_t i = 0; i < size; ++i)
            if (a[i] != b[i]) return false;
        return true;
    }
    const char* data_ = "";
    std::size_t size_ = 0;
};

}  // namespace riffle
