#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include <riffle/core/by_token.hpp>
#include <riffle/core/last_choice.hpp>
#include <riffle/core/context.hpp>
#include <riffle/core/facts.hpp>
#include <riffle/core/numbers_in_bytes.hpp>
#include <riffle/core/phrases.hpp>
#include <riffle/core/vocabulary.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Bans phrases in the text, however they are split into tokens ("anti-slop"; koboldcpp, exllamav2's banned strings). A
/// phrase can only be seen when it is complete: then accept (last_step() after sample) answers how many tokens to take
/// back, and bans the token that began the phrase at that place.
///
///     token_id t = chain.sample(logits);
///     if (const int back = chain.last_step().rewind) {
///         chain.rewind(std::size_t(back));  // and take as many tokens off the text, and off the model's context
///         continue;                         // with the logits of the place where the phrase began
///     }
///
/// A ban holds for its place alone: for exactly the text before it, whichever way that came to be. So text without the
/// phrase is what it would have been without the ban, and a place where every beginning was banned has no legal token.
/// Other phrases that begin at the same place add to it. 64 bans are remembered: first those of places that the text
/// has left are forgotten, then the oldest. Going back ends: where a place has 64 bans, or after 10,000 times without a
/// longer text, a phrase stays in the text, and last_step().state is stage_failed.
///
/// `phrases` as bytes, ASCII letters alike in either case unless `same_case`; `vocab` must be given and outlive the
/// chain. Tokens of a prompt are not looked at, and a phrase does not begin in them. A phrase of more than 128 tokens
/// cannot be taken back: rewind then refuses.
///
/// Cost: in accept O(bytes of the token) as an average over the text, since one byte may undo what many have begun: at
/// worst as many steps as the longest phrase has bytes, each a comparison with every byte that goes on from there
/// (256). Where a phrase is complete, O(its tokens) and a look at 64 bans and 128 tokens. O(64) a step; on candidates
/// O(candidates) for each ban of the place.
struct phrase_ban {
    const vocabulary* vocab = nullptr;  ///< the bytes of tokens; must be given, and outlive the chain
    phrase_set phrases{};               ///< what must not come, as bytes; none is off

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
            std::uint64_t prefix_hash = 0;  ///< hash of the text before the place
            token_id token = null_token;
            friend constexpr bool operator==(const ban&, const ban&) noexcept = default;
        };
        const ban* begin() const noexcept { return bans_.data(); }
        const ban* end() const noexcept { return bans_.data() + count_; }
        /// False where all bans are of this place.
        bool remember(const ban& b, const history& tokens) noexcept {
            for (const ban& known : *this)
                if (known == b) return true;
            if (count_ == bans_.size() &&
                !forget_oldest([&](const ban& old) { return !is_within_reach(old.prefix_hash, tokens); }) &&
                !forget_oldest([&](const ban& old) { return old.prefix_hash != b.prefix_hash; }))
                return false;
            bans_[count_++] = b;
            return true;
        }
        /// A token more. What the caller takes back on its own does not count.
        void advance() noexcept {
            if (behind_ > 0) --behind_;
            else attempts_ = 0;
        }
        bool go_back(std::size_t tokens) noexcept {
            behind_ += tokens;
            return ++attempts_ <= 10000;
        }


        // What a mark leaves out, for a chain that is saved.

        std::size_t numbers() const noexcept { return 5 + 3 * std::size_t(count_); }
        void write(detail::file_writer& to) const noexcept {
            to.put(count_);
            to.put_both(behind_);
            to.put_both(attempts_);
            for (const ban& b : *this) {
                to.put_both(b.prefix_hash);
                to.put(std::uint32_t(b.token));
            }
        }
        bool read(const detail::bytes_of_file& from, bool changes) noexcept {
            detail::file_reader in(from);
            if (in.left() < 5) return false;
            const std::uint32_t count = in.next();
            if (count > bans_.size() || in.left() != 4 + 3 * std::size_t{count}) return false;
            if (!changes) return true;
            count_ = count;
            behind_ = in.next_both();
            attempts_ = in.next_both();
            for (std::uint32_t i = 0; i < count; ++i) {
                bans_[i].prefix_hash = in.next_both();
                bans_[i].token = token_id(in.next());
            }
            return true;
        }

    private:
        template <class Which>
        bool forget_oldest(Which which) noexcept {
            for (std::uint32_t i = 0; i < count_; ++i) {
                if (!which(bans_[i])) continue;
                for (--count_; i < count_; ++i) bans_[i] = bans_[i + 1];
                return true;
            }
            return false;
        }
        /// Whether a rewind leads there.
        static bool is_within_reach(std::uint64_t prefix_hash, const history& tokens) noexcept {
            for (std::size_t back = 0; back <= rollback_depth; ++back) {
                if (back == tokens.remembered())
                    return prefix_hash == tokens.hash_of_none() && back == tokens.written();
                if (tokens.recent(back).prefix_hash == prefix_hash) return true;
            }
            return false;
        }

        std::array<ban, 64> bans_{};  ///< oldest first
        std::uint32_t count_ = 0;
        std::uint64_t behind_ = 0;    ///< tokens that the text is shorter than it once was, by this stage's doing
        std::uint64_t attempts_ = 0;  ///< how often it was shortened since it was that long
    };

    template <class Logits>
    void change(Logits& of, const context& x, const state& kept) const noexcept {
        for (const auto& b : kept)
            if (b.prefix_hash == x.tokens().prefix_hash()) change_one(of, b.token, logit_edit::banning());
    }

    step accept(state& kept, token_id token, const last_choice* last, const history& tokens) const noexcept {
        if (last == nullptr || vocab == nullptr) {
            kept.at.node = 0;
            return {};
        }
        kept.advance();
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

    status(check)() const noexcept {
        return vocab || phrases.empty() ? status() : status::invalid(name, "vocab", 0.0, "is no vocabulary");
    }

private:
    step take_back(state& kept, const history& tokens, std::size_t bytes) const noexcept {
        step s;
        std::size_t back = 0;
        for (std::size_t seen = 0; back < tokens.remembered() && seen < bytes; ++back)
            seen += vocab->piece(tokens.recent(back).token).size();
        const std::uint64_t prefix_hash =
            back < tokens.remembered() ? tokens.recent(back).prefix_hash : tokens.hash_of_none();
        if (kept.remember({prefix_hash, tokens.recent(back - 1).token}, tokens) && kept.go_back(back))
            s.rewind = int(back);
        else s.state = status::failed(status_code::stage_failed, name);
        return s;
    }
};

}  // namespace riffle
