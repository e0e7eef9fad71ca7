#pragma once
#include <cstdint>

#include <riffle/core/by_token.hpp>
#include <riffle/core/context.hpp>
#include <riffle/core/facts.hpp>
#include <riffle/core/repeats.hpp>

namespace riffle::inline RIFFLE_ABI {

/// No n-gram twice: a token that would complete a sequence of n tokens that the text already has is banned. (Paulus,
/// Xiong, Socher 2017, arXiv 1705.04304, section 2.5; fairseq and transformers' NoRepeatNGram.)
///
/// `n` <= 0 = off; n = 1 bans every token seen, and more than the text has nothing. `last_n` tokens are looked at,
/// prompt included; -1 = everything since the last reset; below -1 is an error.
///
/// Cost: O(last_n) a step, whatever n, the text and the vocabulary.
struct no_repeat_ngram {
    std::int32_t n = 3;        ///< tokens of a sequence that may not come twice; 0 or below is off
    std::int32_t last_n = -1;  ///< tokens looked back at, prompt included; -1 is all

    static constexpr const char* name = "no_repeat_ngram";
    static constexpr facts fact{.edits = true};

    std::int32_t window() const noexcept { return n > 0 ? last_n : 0; }

    template <class Logits>
    void change(Logits& of, const context& x) const noexcept {
        const std::size_t size = x.tokens_in_window(last_n);
        if (n <= 0 || size < std::size_t(n)) return;
        const std::size_t begun = std::size_t(n) - 1;  // tokens of the n-gram that stand at the end of the text
        token_counts banned = begun == 0 ? x.count_recent(last_n) : x.empty_counts(size);
        if (begun > 0)
            each_repeat(x, size, [&](std::size_t k, std::size_t length) {
                if (length >= begun) banned.raise(x.tokens().recent(k - 1).token, 1);
            });
        change_counted(of, banned, [](std::int32_t) { return logit_edit::banning(); });
    }

    status(check)() const noexcept {
        return last_n >= -1 ? status() : status::invalid(name, "last_n", double(last_n), "is below -1");
    }
};

}  // namespace riffle
