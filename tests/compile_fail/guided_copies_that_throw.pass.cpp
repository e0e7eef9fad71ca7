#include <array>

#include <riffle/constraint.hpp>
#include <riffle/riffle.hpp>

struct all_are_legal {
    std::array<std::uint32_t, 1000> words{~0u};

    std::span<const std::uint32_t> legal_words() const noexcept { return words; }
    bool allows(riffle::token_id) const noexcept { return true; }
    riffle::step accept(riffle::token_id) noexcept { return {}; }
    void reset() noexcept {}
    std::uint64_t mark() const noexcept { return 0; }
    bool rollback(std::uint64_t) noexcept { return true; }
};
riffle::guided right(riffle::chain(riffle::greedy{}), all_are_legal());
