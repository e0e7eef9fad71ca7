#pragma once
#include <exception>

#include <riffle/core/status.hpp>

namespace riffle::inline RIFFLE_ABI {

#if defined(__cpp_exceptions)
/// What result::value throws: the status in words.
class error : public std::exception {
public:
    /// Of a status, whose message() it keeps.
    explicit error(const status& state) noexcept : text_(state.message()) {}
    /// The status in words.
    const char* what() const noexcept override { return text_.c_str(); }

private:
    sentence text_;
};
#endif

/// A value, or the reason why there is none.
template <class T>
class result {
public:
    /// A value that counts where the status is ok; else what a failed result holds instead.
    constexpr result(const T& value, const status& state) noexcept : value_(value), state_(state) {}

    /// Whether all went well. Of a token: where a stage reported a failure of its own on accepting it, there is a
    /// token, and it was accepted (see last_step().refused).
    constexpr bool ok() const noexcept { return state_.ok(); }
    /// Whether all went well, for `if (r)`.
    constexpr explicit operator bool() const noexcept { return ok(); }
    /// What went wrong, and what was seen in the row.
    constexpr const status& state() const noexcept { return state_; }
    /// The value; of a failed result what it holds instead (for a token: null_token).
    constexpr const T& operator*() const noexcept { return value_; }
    /// The value, or another one when there is none.
    constexpr T value_or(const T& other) const noexcept { return ok() ? value_ : other; }
    /// The value. Throws riffle::error where exceptions are on; without them a failed result gives the value it holds
    /// (for a token: null_token).
    T value() const {
#if defined(__cpp_exceptions)
        if (!ok()) throw error(state_);
#endif
        return value_;
    }

private:
    T value_;
    status state_;
};

}  // namespace riffle
