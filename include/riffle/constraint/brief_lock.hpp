#pragma once
#include <atomic>

#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// A lock that is held for microseconds, and for as long as a new state takes where a text can be read in many ways.
/// (std::mutex is not there on platforms without threads, and costs more to include than all that it would guard.)
class brief_lock {
public:
    void lock() noexcept {
        while (is_held_.test_and_set(std::memory_order_acquire)) {
#if defined(__cpp_lib_atomic_wait)
            is_held_.wait(true, std::memory_order_relaxed);
#endif
        }
    }
    void unlock() noexcept {
        is_held_.clear(std::memory_order_release);
#if defined(__cpp_lib_atomic_wait)
        is_held_.notify_one();
#endif
    }

private:
    std::atomic_flag is_held_;
};

/// Holds it for as long as it lives.
class brief_hold {
public:
    explicit brief_hold(brief_lock& lock) noexcept : lock_(lock) { lock_.lock(); }
    brief_hold(const brief_hold&) = delete;
    brief_hold& operator=(const brief_hold&) = delete;
    ~brief_hold() { lock_.unlock(); }

private:
    brief_lock& lock_;
};

}  // namespace riffle::detail
