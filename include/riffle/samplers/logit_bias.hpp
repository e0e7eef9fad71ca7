#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <riffle/core/facts.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Adds a bias to the logits of some tokens; -inf bans a token. Entries of the same id add up, in order; ids outside
/// the vocabulary are ignored (check(vocabulary_size) of the chain names them).
///
/// No entries = off; a NaN bias is an error.
///
/// Cost: O(entries) a step; wide it keeps changed logits beside the row, and copies a block only where more than 16 of
/// its own change (core/row.hpp). Narrow: O(entries) on candidates in id order, else O(entries * candidates).
/// Ahead of the first stage that narrows, a device under llama_exact, and llama.cpp's graph but under numerics::fast,
/// give the chain the greatest logits alone where there are at most 64 entries, none above 0 and no two of a token;
/// else it has the whole row.
struct logit_bias {
    std::vector<logit_bias_entry> biases;  ///< added in order; -inf bans, NaN is an error, none is off

    static constexpr const char* name = "logit_bias";
    static constexpr facts fact{.edits = true};

    std::span<const logit_bias_entry> edits() const noexcept { return {biases.data(), biases.size()}; }
    /// See chain/superset_facts.hpp. One entry a token: of several llama.cpp adds all where the token stands at the
    /// index of its id, else the first. Many entries are not looked at: each is compared with all before it, and a
    /// device asks this in every step.
    bool keeps_below() const noexcept {
        constexpr std::size_t most = 64;
        if (biases.size() > most) return false;
        for (auto entry = biases.begin(); entry != biases.end(); ++entry) {
            const auto same = [&](const logit_bias_entry& other) { return other.token == entry->token; };
            if (!(entry->bias <= 0.0f) || std::any_of(biases.begin(), entry, same)) return false;
        }
        return true;
    }

    status(check)() const noexcept {
        for (const auto& entry : biases)
            if (entry.bias != entry.bias) return status::invalid(name, "bias", double(entry.bias), "is not a number");
        return {};
    }
    template <class Check>
    status check_at_setup(const Check& known) const noexcept {
        for (const auto& entry : biases)
            if (const status s = known(name, "token", entry.token); !s.ok()) return s;
        return {};
    }
};

}  // namespace riffle
