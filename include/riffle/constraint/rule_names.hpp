#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <riffle/constraint/mixed_hash.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Finds rules by their names: a hash table over the rules of a grammar.
template <class Rules>
class rule_names {
public:
    /// The rule of that name; a new one, without a body, where there is none yet. O(length of the name), on average.
    std::uint32_t find_or_add(Rules& g, const text& name, std::size_t offset) {
        const std::string key(name.data(), name.size());
        const std::size_t slot = slot_of(g, key);
        if (slots_[slot] != 0) return slots_[slot] - 1;
        g.rules.push_back({key, Rules::no_expression, offset});
        slots_[slot] = std::uint32_t(g.rules.size());
        if (2 * g.rules.size() >= slots_.size()) rehash(g);
        return std::uint32_t(g.rules.size() - 1);
    }
    /// rules.size() where there is none.
    std::size_t find(const Rules& g, const text& name) {
        const std::size_t slot = slot_of(g, std::string(name.data(), name.size()));
        return slots_[slot] != 0 ? slots_[slot] - 1 : g.rules.size();
    }

private:
    std::size_t slot_of(const Rules& g, const std::string& name) const {
        std::size_t slot = hash_of(name) & (slots_.size() - 1);
        while (slots_[slot] != 0 && g.rules[slots_[slot] - 1].name != name) slot = (slot + 1) & (slots_.size() - 1);
        return slot;
    }
    void rehash(const Rules& g) {
        slots_.assign(2 * slots_.size(), 0);
        for (std::size_t i = 0; i < g.rules.size(); ++i) slots_[slot_of(g, g.rules[i].name)] = std::uint32_t(i + 1);
    }
    static std::size_t hash_of(const std::string& name) noexcept {
        std::uint64_t hash = name.size();
        for (const char c : name) hash = mixed(hash, std::uint8_t(c));
        return std::size_t(hash);
    }
    std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(64, 0);
};

}  // namespace riffle::detail
