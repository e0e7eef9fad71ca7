#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/core/checkpoint.hpp>
#include <riffle/core/draws.hpp>
#include <riffle/core/growing_array.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/token.hpp>
#include <riffle/speculative/verifying/verified.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// One round of verification as far as it has come: the chain, which accepts tokens as they are decided on, and what
/// the round gives. A round that fails leaves the chain as it was.
template <class Chain>
class round_of {
public:
    round_of(Chain& of, std::size_t drafted, std::span<const token_id> ends, growing_array<token_id>& tokens,
             verified& result) noexcept
        : chain(of), ends_(ends), tokens_(tokens), result_(result), start_(of.mark()) {
        clear_result(drafted);
    }
    round_of(const round_of&) = delete;
    round_of& operator=(const round_of&) = delete;
    /// Whoever holds the result finds the tokens there.
    ~round_of() { result_.tokens = tokens_.part(0, tokens_.size()); }

    Chain& chain;

    /// Where the chain stood when the round began.
    const checkpoint& start() const noexcept { return start_; }
    /// Random numbers of a verifier, of where the chain stands.
    draws numbers(std::uint64_t seed) const noexcept { return numbers_at(seed, chain.state().position()); }
    /// Random numbers of a verifier that looks at positions which it may not accept: those of where the round began. By
    /// their own positions they would be used again in the next round, when what they have led to is known.
    draws numbers_of_round(std::uint64_t seed) const noexcept {
        draw_position at = chain.state().position();
        at.position = start_.position;
        at.attempt = start_.attempt;
        return numbers_at(seed, at);
    }

    /// Fails: chain and result are as if nothing had been done. (The reason may lie in what the chain forgets.)
    void fail(status why) noexcept {
        (void)chain.rollback(start_);
        clear_result(result_.drafted);
        result_.state = why;
    }
    /// Fails for the reason that the chain's last step on a row had.
    void fail_as_chain() noexcept { fail(chain.last_status()); }

    /// Accepts a token as if the chain had chosen it out of the law that it weighed last, and gives it out. False where
    /// the round ends with it, or ahead of it, where a stage refuses it. (What is refused as the first token fails.)
    bool take(token_id token, bool is_drafted, std::int32_t node) noexcept {
        return note(chain.accept_choice(token), token, is_drafted, node);
    }
    /// Gives out a token that the chain has accepted already, which led to `taken`.
    bool note(const step& taken, token_id token, bool is_drafted, std::int32_t node) noexcept {
        if (taken.refused) {
            if (tokens_.empty()) fail(taken.state);
            return false;
        }
        if (!tokens_.push(token)) {
            fail(status_code::out_of_memory);
            return false;
        }
        if (is_drafted) {
            ++result_.accepted;
            result_.node = node;
        }
        result_.finished = taken.finished || is_end(token);
        return !result_.finished && taken.rewind == 0;
    }
    bool is_end(token_id token) const noexcept {
        for (const token_id end : ends_)
            if (end == token) return true;
        return false;
    }

private:
    void clear_result(std::size_t drafted) noexcept {
        tokens_.clear();
        result_ = {};
        result_.drafted = drafted;
    }
    static draws numbers_at(std::uint64_t seed, const draw_position& at) noexcept {
        return {seed, at, stream_of(stream_kind::verification, 0)};
    }

    std::span<const token_id> ends_;
    growing_array<token_id>& tokens_;
    verified& result_;
    checkpoint start_;
};

}  // namespace riffle::detail
