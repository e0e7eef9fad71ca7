#pragma once
#include <atomic>
#include <cstdint>
#include <utility>

#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// What is owned by as many shared_pointers as point to it, on any number of threads.
class shared_object {
public:
    shared_object() noexcept = default;
    shared_object(const shared_object&) = delete;
    shared_object& operator=(const shared_object&) = delete;

    void retain() const noexcept { owners_.fetch_add(1, std::memory_order_relaxed); }
    /// Whether the last owner has let go.
    bool release() const noexcept { return owners_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
    /// As far as others do not copy or drop it meanwhile.
    std::uint32_t owners() const noexcept { return owners_.load(std::memory_order_acquire); }
    bool has_one_owner() const noexcept { return owners() == 1; }

private:
    mutable std::atomic<std::uint32_t> owners_{0};
};

/// An owner of a shared_object. (std::shared_ptr costs those who include it a tenth of a second, and throws where there
/// is no memory for its count.)
template <class T>
class shared_pointer {
public:
    shared_pointer() noexcept = default;
    /// Of an object without owners, or one that has some; nullptr: none.
    explicit shared_pointer(T* object) noexcept : object_(object) {
        if (object_) object_->retain();
    }
    shared_pointer(const shared_pointer& other) noexcept : shared_pointer(other.object_) {}
    shared_pointer(shared_pointer&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    /// (Not by value: clang 14 forgets to destroy what `= {}` makes for a parameter of that kind.)
    shared_pointer& operator=(const shared_pointer& other) noexcept { return *this = shared_pointer(other); }
    shared_pointer& operator=(shared_pointer&& other) noexcept {
        shared_pointer taken(std::move(other));
        std::swap(object_, taken.object_);
        return *this;
    }
    ~shared_pointer() {
        if (object_ && object_->release()) delete object_;
    }

    T* get() const noexcept { return object_; }
    T* operator->() const noexcept { return object_; }
    T& operator*() const noexcept { return *object_; }
    explicit operator bool() const noexcept { return object_ != nullptr; }
    friend bool operator==(const shared_pointer& a, const shared_pointer& b) noexcept { return a.object_ == b.object_; }

private:
    T* object_ = nullptr;
};

}  // namespace riffle::detail
