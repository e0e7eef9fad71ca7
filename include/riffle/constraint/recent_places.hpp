#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include <riffle/core/status.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Where a matcher stood after each of its last 129 tokens.
template <class Place>
class recent_places {
public:
    static constexpr std::size_t rollback_depth = 128;

    /// At the beginning of a text.
    void begin(const Place& at) noexcept {
        ring_[0] = at;
        accepted_ = oldest_ = 0;
    }
    const Place& now() const noexcept { return ring_[std::size_t(accepted_ % ring_.size())]; }
    void push(const Place& at) noexcept {
        ring_[std::size_t(++accepted_ % ring_.size())] = at;
        if (accepted_ > oldest_ + rollback_depth) oldest_ = accepted_ - rollback_depth;
    }
    /// In place of now().
    void change(const Place& at) noexcept { ring_[std::size_t(accepted_ % ring_.size())] = at; }
    /// How many were pushed.
    std::uint64_t mark() const noexcept { return accepted_; }
    /// Whether rollback would go to a mark, or why not.
    status can_go_to(std::uint64_t mark) const noexcept {
        if (mark > accepted_) return status_code::mark_unknown;
        if (mark < oldest_) return status_code::rewind_too_far;
        return {};
    }
    const Place& at(std::uint64_t mark) const noexcept { return ring_[std::size_t(mark % ring_.size())]; }
    void go_to(std::uint64_t mark) noexcept { accepted_ = mark; }

private:
    std::array<Place, rollback_depth + 1> ring_{};
    std::uint64_t accepted_ = 0;
    std::uint64_t oldest_ = 0;  ///< whose place is kept
};

}  // namespace riffle::detail
