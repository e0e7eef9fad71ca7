#pragma once
#include <array>
#include <cstdint>

#include <riffle/core/by_token.hpp>
#include <riffle/core/choice.hpp>
#include <riffle/core/context.hpp>
#include <riffle/core/facts.hpp>
#include <riffle/core/phrases.hpp>
#include <riffle/core/vocabulary.hpp>

namespace riffle {

/// Bans phrases in the text, however they are split into tokens ("anti-slop"; koboldcpp, exllamav2's banned strings).
/// A phrase can only be seen when it is complete: then accept (last_step() after sample) answers how many tokens to
/// take back, and bans the token that began the phrase at that place.
///
///     token_id t = chain.sample(logits);
///     if (const int back = chain.last_step().rewind) {
///         chain.rewind(std::size_t(back));  // and take as many tokens off the text, and off the model's context
///         continue;                         // with the logits of the place where the phrase began
///     }
///
/// A ban holds for its place alone: for exactly the text before it, whichever way that came to be. So text without the
/// phrase is what it would have been without the ban, and a place where every beginning was banned has no legal token.
/// Other phrases that begin at the same place add to it. The 64 newest bans are remembered.
///
/// `phrases` as bytes, ASCII letters alike in either case unless `same_case`; `vocab` must be given and outlive the
/// chain. Tokens of a prompt are not looked at, and a phrase does not begin in them. A phrase of more than 128 tokens
/// cannot be taken back: rewind then refuses.
///
/// Cost: O(bytes of the token) in accept, O(64) a step; on candidates O(candidates) for each
/// ban of the place.
struct phrase_ban {
    const vocabulary* vocab = nullptr;
    phrase_set phrases{};

    static constexpr const char* name = "phrase_ban";
    static constexpr facts fact{.edits = true};

    /// Where the text stands among the phrases, which a rewind takes back; and the bans, which it does not.
    class state {
    public:
        struct place {
            std::uint32_t node = 0;
            std::uint32_t phrases = 0;  ///< fingerprint of those whose node that is
        };
        place mark() const noexcept { return at; }
        void rollback(const place& m) noexcept { at = m; }

        place at;
        struct ban {
            std::uint64_t line = 0;  ///< hash of the text before the place
            token_id token = null_token;
        };
        std::array<ban, 64> bans{};
        std::uint32_t next = 0;
    };

    template <class Logits>
    void change(Logits& of, const context& x, const state& kept) const noexcept {
        for (const auto& b : kept.bans)
            if (b.token >= 0 && b.line == x.tokens().line())
                change_one(of, b.token, [](float) { return illegal_logit; });
    }

    step accept(state& kept, token_id token, const choice* last, const history& tokens) const noexcept {
        if (last == nullptr || vocab == nullptr) {
            kept.at.node = 0;
            return {};
        }
        if (kept.at.phrases != phrases.fingerprint()) kept.at = {0, phrases.fingerprint()};
        std::size_t longest = 0;  // bytes from the beginning of the phrase to the end of the text
        const text piece = vocab->piece(token);
        for (std::size_t i = 0; i < piece.size(); ++i) {
            kept.at.node = phrases.follow(kept.at.node, piece[i]);
            if (const std::size_t length = phrases.ending_at(kept.at.node)) {
                const std::size_t reach = length + (piece.size() - 1 - i);
                if (reach > longest) longest = reach;
            }
        }
        return longest ? take_back(kept, tokens, longest) : step{};
    }

    status check() const noexcept {
        return vocab || phrases.empty() ? status() : status::invalid(name, "vocab", 0.0, "is no vocabulary");
    }

private:
    step take_back(state& kept, const history& tokens, std::size_t bytes) const noexcept {
        step s;
        std::size_t back = 0;
        for (std::size_t seen = 0; back < tokens.remembered() && seen < bytes; ++back)
            seen += vocab->piece(tokens.recent(back).token).size();
        s.rewind = int(back);
        const std::uint64_t line = back < tokens.remembered() ? tokens.recent(back).line : 0;
        kept.bans[kept.next++ % kept.bans.size()] = {line, tokens.recent(back - 1).token};
        return s;
    }
};

}  // namespace riffle
