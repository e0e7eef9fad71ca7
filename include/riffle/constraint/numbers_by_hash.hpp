#pragma once
#include <cstddef>
#include <cstdint>

#include <riffle/core/growing_array.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Finds things that are numbered from 0, by their hash. The things lie elsewhere.
template <class Number>
class basic_numbers_by_hash {
public:
    static constexpr Number none = Number(-1);

    std::size_t bytes() const noexcept { return slots_.bytes(); }
    /// Room for one more than so many; hash_of(number) tells where those go that are there. False without memory.
    template <class HashOf>
    bool make_room(std::size_t count, HashOf hash_of) noexcept {
        if (2 * (count + 1) <= slots_.size()) return true;
        growing_array<Number> grown;
        if (!grown.resize(slots_.empty() ? 64 : 2 * slots_.size(), 0)) return false;
        slots_.swap(grown);
        for (std::size_t i = 0; i < count; ++i) add(hash_of(Number(i)), Number(i));
        return true;
    }
    /// The number of that hash for which is_it(number); none where there is none.
    template <class IsIt>
    Number find(std::uint64_t hash, IsIt is_it) const noexcept {
        for (std::size_t i = place_of(hash); slots_[i] != 0; i = place_of(i + 1))
            if (is_it(slots_[i] - 1)) return slots_[i] - 1;
        return none;
    }
    void add(std::uint64_t hash, Number number) noexcept {
        std::size_t i = place_of(hash);
        while (slots_[i] != 0) i = place_of(i + 1);
        slots_[i] = number + 1;
    }

private:
    std::size_t place_of(std::uint64_t hash) const noexcept { return std::size_t(hash) & (slots_.size() - 1); }

    growing_array<Number> slots_;  ///< from 1, 0 where there is none; as many as a power of two
};
using numbers_by_hash = basic_numbers_by_hash<std::uint32_t>;

}  // namespace riffle::detail
