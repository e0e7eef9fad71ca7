#include <riffle/constraint.hpp>
#include <riffle/riffle.hpp>

struct all_are_legal {
    std::vector<std::uint32_t> words = std::vector<std::uint32_t>(1000, ~0u);

    std::span<const std::uint32_t> legal_words() const noexcept { return words; }
    bool allows(riffle::token_id) const noexcept { return true; }
    riffle::step accept(riffle::token_id) { return {}; }
    void reset() noexcept {}
    std::uint64_t mark() const noexcept { return 0; }
    bool rollback(std::uint64_t) noexcept { return true; }
};
// expect: riffle: a matcher has legal_words or legal, allows, accept, reset, mark and rollback, all noexcept, and can be copied
auto wrong = riffle::constrain{all_are_legal()} | riffle::greedy{};
