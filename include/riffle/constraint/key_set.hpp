#pragma once
#include <cstddef>
#include <cstdint>

#include <riffle/core/growing_array.hpp>
#include <riffle/constraint/mixed_hash.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// A hash set of numbers of 64 bits; to clear it takes no time.
template <class Key>
class key_set {
public:
    enum class outcome : std::uint8_t { added, was_there, no_memory };

    void clear() noexcept {
        size_ = 0;
        if (++round_ == 0) {
            for (auto& s : slots_) s.round = 0;
            round_ = 1;
        }
    }
    /// Empty, and without memory.
    void release() noexcept {
        slots_.release();
        size_ = 0;
    }
    std::size_t size() const noexcept { return size_; }
    outcome add(Key key) noexcept {
        if (2 * (size_ + 1) > slots_.size() && !grow()) return outcome::no_memory;
        for (std::size_t i = std::size_t(mixed(0, key));; ++i) {
            slot& s = slots_[i & (slots_.size() - 1)];
            if (s.round != round_) {
                s = {key, round_};
                ++size_;
                return outcome::added;
            }
            if (s.key == key) return outcome::was_there;
        }
    }

private:
    struct slot {
        Key key = 0;
        std::uint32_t round = 0;
    };
    bool grow() noexcept {
        growing_array<slot> old;
        old.swap(slots_);
        if (!slots_.resize(old.empty() ? 64 : 2 * old.size(), {})) {
            slots_.swap(old);
            return false;
        }
        size_ = 0;
        for (const slot& s : old)
            if (s.round == round_) add(s.key);
        return true;
    }
    growing_array<slot> slots_;
    std::size_t size_ = 0;
    std::uint32_t round_ = 1;
};

}  // namespace riffle::detail
