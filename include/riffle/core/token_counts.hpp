#pragma once
#include <cstddef>
#include <cstdint>

#include <riffle/core/size_arithmetic.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI {

/// How often each token occurs in a window: an open-addressed table in the chain's scratch, built anew for a step, so
/// that nothing has to be kept in step with rollbacks and changed parameters. O(window) to build, O(1) to ask behind
/// settle().
///
/// Whoever chooses the text may choose tokens that share their places in such a table, or fill one half of it. So
/// probes are counted as tokens are placed, and probe lengths summed up where tokens are asked for; where they are more
/// than the table has slots, all tokens are placed anew by another hash function. There are 17 of them, tried in a
/// fixed order, and few tokens collide under several: of a million, fewer than 32,768 do under all of the first eight.
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
        return saturating::power_of_two(saturating::product(tokens, 2));
    }

    void add(token_id token) noexcept {
        slot& home = slots_[home_of(token)];  // most texts repeat their tokens
        ++(home.count && home.token == token ? home : found_or_placed(token)).count;
    }
    /// The token's count becomes at least `count`, which is above 0.
    void raise(token_id token, std::int32_t count) noexcept {
        slot& s = found_or_placed(token);
        if (count > s.count) s.count = count;
    }
    /// To be called before count() is asked of many tokens: a token that was not counted is looked for up to the next
    /// free slot. O(slots).
    void settle() noexcept {
        while (size_ > few_slots && function_ < last_function && probes_of_absent_tokens() > 4 * size_) place_anew();
    }
    std::int32_t count(token_id token) const noexcept { return size_ ? slots_[place_of(token)].count : 0; }
    /// Calls visit(token, count) for each that was counted. (Which slots are free nobody foretells, so no branch asks.)
    template <class Visit>
    void each(Visit visit) const noexcept {
        constexpr std::size_t at_once = 64;
        for (std::size_t first = 0; first < size_; first += at_once) {
            std::uint8_t used[at_once];
            std::size_t n = 0;
            for (std::size_t i = 0; i < at_once && first + i < size_; ++i) {
                used[n] = std::uint8_t(i);
                n += slots_[first + i].count != 0;
            }
            for (std::size_t i = 0; i < n; ++i) visit(slots_[first + used[i]].token, slots_[first + used[i]].count);
        }
    }

private:
    static constexpr std::uint32_t last_function = 16;
    /// In a table of so many no probe is long: 16 slots on average, at worst.
    static constexpr std::size_t few_slots = 128;

    std::size_t next(std::size_t place) const noexcept { return (place + 1) & (size_ - 1); }
    /// Where the search for a token begins: Fibonacci hashing, or after that splitmix64's finaliser.
    std::size_t home_of(token_id token) const noexcept {
        if (function_ == 0) return (std::uint32_t(token) * 0x9E3779B9u) >> 7 & (size_ - 1);
        std::uint64_t h = (std::uint64_t{function_} << 32 | std::uint32_t(token)) * 0x9E3779B97F4A7C15u;
        h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9u;
        h = (h ^ (h >> 27)) * 0x94D049BB133111EBu;
        return std::uint32_t(h ^ (h >> 31)) & (size_ - 1);
    }
    /// The token's slot, or the free one where it would stand.
    std::size_t place_of(token_id token) const noexcept {
        std::size_t i = home_of(token);
        while (slots_[i].count && slots_[i].token != token) i = next(i);
        return i;
    }
    slot& found_or_placed(token_id token) noexcept {
        if (probes_ > size_ && function_ < last_function) place_anew();
        const std::size_t i = place_of(token);
        probes_ += (i - home_of(token)) & (size_ - 1);
        slots_[i].token = token;
        return slots_[i];
    }
    /// By the next function under which probes are short, in the same memory: a count below 0 marks a token that is
    /// still to be placed, and one that is placed where such a token lies takes the slot over and sends the other on.
    RIFFLE_NOINLINE void place_anew() noexcept {
        do {
            ++function_;
            probes_ = 0;
            for (std::size_t i = 0; i < size_; ++i) slots_[i].count = -magnitude(slots_[i].count);
            for (std::size_t i = 0; i < size_ && !has_long_probes(); ++i)
                while (slots_[i].count < 0 && !has_long_probes()) {
                    const slot moved{slots_[i].token, -slots_[i].count};
                    slots_[i].count = 0;
                    std::size_t to = home_of(moved.token);
                    for (; slots_[to].count > 0; to = next(to)) ++probes_;
                    slots_[i] = slots_[to];
                    slots_[to] = moved;
                }
        } while (has_long_probes());
    }
    /// The slots from each slot to the next free one, summed up; 1.5 a slot where half of them are taken at random.
    std::size_t probes_of_absent_tokens() const noexcept {
        std::size_t sum = 0, run = 0;
        for (std::size_t i = 0; i < size_; ++i) {
            run = slots_[i].count ? run + 1 : 0;
            sum += run;
        }
        return sum;
    }
    bool has_long_probes() const noexcept { return probes_ > size_ && function_ < last_function; }
    static std::int32_t magnitude(std::int32_t count) noexcept { return count < 0 ? -count : count; }

    slot* slots_ = nullptr;
    std::size_t size_ = 0;
    std::size_t probes_ = 0;      ///< slots passed over in placing tokens, under this function
    std::uint32_t function_ = 0;  ///< which hash function
};

}  // namespace riffle
