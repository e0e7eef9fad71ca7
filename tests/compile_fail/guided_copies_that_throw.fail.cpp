#include <riffle/constraint.hpp>
#include <riffle/riffle.hpp>

struct all_are_legal {
    std::vector<std::uint32_t> words = std::vector<std::uint32_t>(1000, ~0u);

    std::span<const std::uint32_t> legal_words() const noexcept { return words; }
    bool allows(riffle::token_id) const noexcept { return true; }
    riffle::step accept(riffle::token_id) noexcept { return {}; }
    void reset() noexcept {}
    std::uint64_t mark() const noexcept { return 0; }
    bool rollback(std::uint64_t) noexcept { return true; }
};
// expect: riffle: a guided copies its matcher in functions that do not throw, so copies must be noexcept
riffle::guided wrong(riffle::chain(riffle::greedy{}), all_are_legal());
