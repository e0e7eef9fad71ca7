#pragma once
#include <algorithm>
#include <cstdint>

#include <riffle/core/by_token.hpp>
#include <riffle/core/context.hpp>
#include <riffle/core/facts.hpp>
#include <riffle/core/repeats.hpp>
#include <riffle/core/token_sequences.hpp>

namespace riffle::inline RIFFLE_ABI {

/// DRY ("don't repeat yourself"): a token that would make the end of the text repeat an earlier passage of n tokens is
/// penalised by multiplier · base^(n - allowed_length), where n >= allowed_length. (p-e-w, text-generation-webui#5677.)
/// Passages do not reach over the breaker that begins last (of several that begin there, the longest), and a breaker of
/// one token is never penalised.
///
/// `multiplier` 0 = off, negative ones encourage; `base` >= 1, below = off; `allowed_length` usual 2, for 0 or less
/// every token that followed any other within the window is penalised, for the number of tokens looked at or more none;
/// `last_n` tokens are looked at, prompt included, 0 = off, -1 = everything since the last reset; `breakers`: token
/// sequences, or dry_breakers(vocabulary, {"\n", ":"}) for texts. NaN and infinities are errors, and last_n below -1.
/// The penalty stays finite: base^n counts as at most 1e38.
///
/// llama.cpp 0.7.0 finds the same repetitions; last_n < 0 is off there.
///
/// Cost: O(last_n · longest breaker · log breakers) a step, whatever the text, the vocabulary and the other parameters.
/// Of 32,767 tokens, 0.2 to 0.7 ms with four short breakers and 1.5 to 2.5 ms with 32,768 of two tokens; about 10 ms
/// with 32,768 of 16 tokens where the whole text is made of what they begin with. Without breakers O(last_n): the
/// repetitions of all positions at once, by the Z-algorithm.
struct dry {
    float multiplier = 0.0f;          ///< of every penalty, finite; 0 is off, below 0 encourages
    float base = 1.75f;               ///< growth of the penalty with each token repeated, finite; below 1 is off
    std::int32_t allowed_length = 2;  ///< the shortest repetition that is penalised, in tokens
    std::int32_t last_n = 64;         ///< tokens looked back at, prompt included; 0 is off, -1 is all
    token_sequences breakers{};       ///< no repetition reaches over one of them; none is no limit

    static constexpr const char* name = "dry";
    static constexpr facts fact{.edits = true};

    bool off() const noexcept { return last_n == 0 || flushed(multiplier) == 0.0f || !(base >= 1.0f); }
    /// See chain/superset_facts.hpp.
    bool keeps_below() const noexcept { return multiplier >= 0.0f; }
    /// How many tokens it looks back; -1 = all.
    std::int32_t window() const noexcept { return off() ? 0 : last_n; }

    template <class Logits>
    void change(Logits& of, const context& x) const noexcept {
        if (off()) return;
        const std::size_t n = x.tokens_in_window(last_n);
        if (std::int64_t(n) <= allowed_length) return;
        const std::size_t reach = since_breaker(x, n);
        if (std::int64_t(reach) < allowed_length) return;
        token_counts repeats =
            x.empty_counts(n);  // of each token, one more than the longest repetition it would extend
        find_repeats(x, n, reach, repeats);
        change_counted(of, repeats,
                       [this](std::int32_t length_and_one) { return logit_edit::taking(penalty(length_and_one - 1)); });
    }

    status(check)() const noexcept {
        if (last_n < -1) return status::invalid(name, "last_n", double(last_n), "is below -1");
        return check_strength();
    }
    template <class Check>
    status check_at_setup(const Check& known) const noexcept {
        return known(name, "breakers", breakers);
    }
    /// Whether multiplier and base have a meaning.
    status check_strength() const noexcept {
        if (!(absolute(lanes<1>(multiplier))[0] <= greatest_logit))
            return status::invalid(name, "multiplier", double(multiplier), "is not a finite number");
        if (!(absolute(lanes<1>(base))[0] <= greatest_logit))
            return status::invalid(name, "base", double(base), "is not a finite number");
        return {};
    }

    /// How many of the newest n tokens stand behind the newest breaker; n when there is none.
    std::size_t since_breaker(const context& x, std::size_t n) const noexcept {
        if (breakers.empty()) return n;
        for (std::size_t i = 0; i < n; ++i) {  // those that begin i back
            const auto token_at = [&](std::size_t offset) { return recent(x, i - offset); };
            if (const std::size_t longest = breakers.longest_beginning(token_at, i + 1)) return i + 1 - longest;
        }
        return n;
    }

    /// Of every passage among the newest n that is the same as the end of the text, and counts as `reach` long at most:
    /// for the token that followed, the longest length plus 1 into `repeats`, where that is allowed_length + 1 or more.
    void find_repeats(const context& x, std::size_t n, std::size_t reach, token_counts& repeats) const noexcept {
        each_repeat(x, n, [&](std::size_t k, std::size_t length) {
            const auto counted = std::int64_t((std::min)(length, reach));
            if (counted < allowed_length) return;
            const token_id next = recent(x, k - 1);
            if (!breakers.contains_alone(next)) repeats.raise(next, std::int32_t(counted) + 1);
        });
    }

private:
    static token_id recent(const context& x, std::size_t back) noexcept { return x.tokens().recent(back).token; }

    /// By repeated squaring: products alone, so that no fused multiply-add can show.
    float penalty(std::int32_t length) const noexcept {
        double power = 1.0, square = double(base);
        for (auto e = std::int64_t{length} - allowed_length; e > 0; e >>= 1) {
            if (e & 1) power = (std::min)(power * square, 1e38);
            square = (std::min)(square * square, 1e38);
        }
        const double product = double(multiplier) * power;
        return float((std::min)((std::max)(product, -3e38), 3e38));
    }
};

}  // namespace riffle
