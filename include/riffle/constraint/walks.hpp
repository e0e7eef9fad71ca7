#pragma once
#include <bit>
#include <cstdint>

#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// What is remembered of the arcs that a walk through a graph has taken.
enum class walk_memory : std::uint8_t {
    nothing,
    count,  ///< how many there were
    set,    ///< which: each of those with a bit comes once at most
};

/// How far a walk has come. Counting: at least and at most so many arcs follow. Of a set: the bits of the arcs taken.
struct walk_progress {
    std::uint32_t least = 0, most = 0;

    static walk_progress of_bits(std::uint64_t bits) noexcept {
        return {std::uint32_t(bits), std::uint32_t(bits >> 32)};
    }
    std::uint64_t bits() const noexcept { return std::uint64_t{most} << 32 | least; }
    friend bool operator==(const walk_progress&, const walk_progress&) = default;
};

/// The bounds of a walk.
struct walk {
    enum : std::uint32_t { unlimited = ~0u };
    enum : std::uint32_t { no_bit = 64 };

    walk_memory memory = walk_memory::count;
    std::uint32_t least = 0, most = unlimited;  ///< arcs; of a set: bits in the end
    std::uint64_t required = 0;                 ///< of a set: bits
    std::uint32_t longest_told_apart = 0;       ///< counting: from so many arcs on, more of them make no difference

    walk_progress begin() const noexcept {
        return memory == walk_memory::count ? walk_progress{least, most} : walk_progress{};
    }
    /// Whether the walk may end here, where the node lets it.
    bool may_end(const walk_progress& now) const noexcept {
        if (memory == walk_memory::count) return now.least == 0;
        const std::uint64_t bits = now.bits();
        return (bits & required) == required && std::uint32_t(std::popcount(bits)) >= least;
    }
    /// Takes an arc; false where it may not be taken.
    bool take(walk_progress& now, std::uint32_t bit) const noexcept {
        if (memory == walk_memory::count) {
            if (now.most == 0) return false;
            if (now.least > 0) --now.least;
            if (now.most != unlimited) --now.most;
            return true;
        }
        if (bit == no_bit) return true;
        const std::uint64_t bits = now.bits(), with = bits | std::uint64_t{1} << bit;
        if (with == bits || std::uint32_t(std::popcount(with | required)) > most) return false;
        now = walk_progress::of_bits(with);
        return true;
    }
};

}  // namespace riffle::detail
