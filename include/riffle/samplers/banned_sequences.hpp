#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include <riffle/core/by_token.hpp>
#include <riffle/core/context.hpp>
#include <riffle/core/facts.hpp>

namespace riffle::inline RIFFLE_ABI {

/// A sequence of tokens and what is added to the logit of its last one where the text ends with the others; -inf bans.
struct biased_sequence {
    std::vector<token_id> tokens{};  ///< the last one is biased where the text ends with those before it
    float bias = illegal_logit;      ///< added to its logit; -inf bans, NaN is an error
};

/// Bans or biases sequences of tokens: the last token of a sequence, where the text (prompt included) ends with those
/// before it; always for a sequence of one. Biases of the same token add up, in order. (transformers' NoBadWords and
/// SequenceBias; that one overlooks a sequence one longer than the text, which is matched here.)
///
/// No sequences = off; empty ones are skipped, ids outside the vocabulary ignored; a NaN bias is an error.
///
/// Cost: O(tokens in all sequences) a step, whatever the vocabulary; on candidates O(candidates) for each that stands.
struct banned_sequences {
    std::vector<biased_sequence> sequences{};  ///< none is off; empty ones are skipped

    static constexpr const char* name = "banned_sequences";
    static constexpr facts fact{.edits = true};

    std::int32_t window() const noexcept {
        std::size_t longest = 1;
        for (const auto& s : sequences)
            if (s.tokens.size() > longest) longest = s.tokens.size();
        return std::int32_t((std::min)(longest - 1, std::size_t((std::numeric_limits<std::int32_t>::max)())));
    }

    template <class Logits>
    void change(Logits& of, const context& x) const noexcept {
        for (const auto& s : sequences) {
            if (s.tokens.empty() || !begun(s.tokens, x)) continue;
            change_one(of, s.tokens.back(), logit_edit::adding(flushed(s.bias)));
        }
    }

    status (check)() const noexcept {
        for (const auto& s : sequences)
            if (s.bias != s.bias) return status::invalid(name, "bias", double(s.bias), "is not a number");
        return {};
    }
    template <class Check>
    status check_at_setup(const Check& known) const noexcept {
        for (const auto& s : sequences)
            if (const status found = known(name, "tokens", s.tokens); !found.ok()) return found;
        return {};
    }

private:
    static bool begun(const std::vector<token_id>& tokens, const context& x) noexcept {
        const std::size_t before_last = tokens.size() - 1;
        if (before_last > x.tokens().remembered()) return false;
        for (std::size_t back = 0; back < before_last; ++back)
            if (x.tokens().recent(back).token != tokens[before_last - 1 - back]) return false;
        return true;
    }
};

}  // namespace riffle
