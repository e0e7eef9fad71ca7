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
    constexpr text(const char* data, std::size_t size) noexcept : data_(data), size_(size) {}
    text(const char* literal) noexcept : data_(literal), size_(literal ? std::strlen(literal) : 0) {}
    template <class View>
        requires requires(const View& v) {
            { v.data() } -> std::convertible_to<const char*>;
            { v.size() } -> std::convertible_to<std::size_t>;
        }
    constexpr text(const View& v) noexcept : data_(v.data()), size_(v.size()) {}

    constexpr const char* data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr bool empty() const noexcept { return size_ == 0; }
    constexpr const char* begin() const noexcept { return data_; }
    constexpr const char* end() const noexcept { return data_ + size_; }
    constexpr char operator[](std::size_t i) const noexcept { return data_[i]; }
    /// From `first` on, at most `count` bytes.
    constexpr text part(std::size_t first, std::size_t count = std::size_t(-1)) const noexcept {
        if (first > size_) first = size_;
        return {data_ + first, count < size_ - first ? count : size_ - first};
    }
    constexpr bool starts_with(const text& head) const noexcept {
        return head.size_ <= size_ && same(data_, head.data_, head.size_);
    }
    constexpr bool contains(const text& what) const noexcept {
        for (std::size_t i = 0; i + what.size_ <= size_; ++i)
            if (same(data_ + i, what.data_, what.size_)) return true;
        return false;
    }
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
