#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/core/size_arithmetic.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI {

/// How often each token occurs in a window: an open-addressed table in the chain's scratch, built anew for a step, so
/// that nothing has to be kept in step with rollbacks and changed parameters. O(window) to build, O(1) to ask.
class token_counts {
public:
    struct slot {
        token_id token;
        std::int32_t count;  ///< 0 = free
    };

    token_counts() noexcept = default;
    /// `table` must hold slots_for(number of tokens added).
    token_counts(slot* table, std::size_t size) noexcept : slots_(table), size_(size) {
        for (std::size_t i = 0; i < size_; ++i) slots_[i] = {0, 0};
    }
    /// Half full at most.
    static constexpr std::size_t slots_for(std::size_t tokens) noexcept {
        return saturating::power_of_two(saturating::sum(saturating::product(tokens, 2), 1));
    }

    void add(token_id token) noexcept {
        slot& s = find(token);
        s.token = token;
        ++s.count;
    }
    /// The token's count becomes at least `count`, which is above 0.
    void raise(token_id token, std::int32_t count) noexcept {
        slot& s = find(token);
        s.token = token;
        if (count > s.count) s.count = count;
    }
    std::int32_t count(token_id token) const noexcept { return size_ ? find(token).count : 0; }
    /// All slots; those with count 0 are free.
    std::span<const slot> all_slots() const noexcept { return {slots_, size_}; }

private:
    slot& find(token_id token) const noexcept {
        std::size_t i = (std::uint32_t(token) * 0x9E3779B9u) >> 7 & (size_ - 1);
        while (slots_[i].count && slots_[i].token != token) i = (i + 1) & (size_ - 1);
        return slots_[i];
    }
    slot* slots_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace riffle
