#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <riffle/chain/stage_list.hpp>
#include <riffle/core/checkpoint.hpp>
#include <riffle/core/last_choice.hpp>
#include <riffle/core/draws.hpp>
#include <riffle/core/history.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

template <class Stages>
class chain_file;

/// What a chain has accepted, where its draws stand, and the way back. (A template, so that including riffle does not
/// compile it. chain_interface says what each member means to a user.)
template <class Stages>
class basic_chain_history {
public:
    const history& tokens() const noexcept { return tokens_; }
    history& tokens() noexcept { return tokens_; }
    const draw_position& at() const noexcept { return at_; }
    /// What the selector chose last, or nothing.
    void note_choice(const last_choice& chosen) noexcept { choice_ = chosen; }

    // ---- what has been chosen

    /// Takes a token: all of the chain, or nothing of it where a stage refuses. There is room for the token. `led_to`
    /// says what came of it. (It is written where it stays: to copy what was just written costs more than all else.)
    void accept(const Stages& stages, token_id token, token_origin origin, step& led_to) noexcept {
        const bool generated = origin == token_origin::generated;
        led_to = {};
        if (token < 0) return refuse_no_token(token, generated, led_to);
        if (stages.can_be_asked()) {
            if (const status refused = stages.can_accept(token, origin, tokens_); !refused.ok()) {
                led_to = step::refusal(refused);
                return;
            }
        }
        save_after_copying(stages);
        if (generated && !stages.is_exact()) save(stages);
        if (stages.may_refuse()) try_to_take(stages, token, generated, led_to);
        else take(stages, token, generated, led_to);
        if (led_to.refused) return;
        choice_ = {};
        if (generated) {
            ++at_.position;
            at_.attempt = 0;
        }
        save_as_exact(stages);
    }
    void reset(const Stages& stages) noexcept {
        tokens_.clear();
        at_.position = at_.attempt = 0;
        times_shifted_ = 0;
        choice_ = {};
        stages.reset();
        forget_saved_states();
        save_as_exact(stages);
    }
    void retry() noexcept { ++at_.attempt; }
    /// Back to an attempt at this position, as if those after it had not been made.
    void go_back_to(std::uint32_t attempt) noexcept { at_.attempt = attempt; }
    /// Another sequence of the same seeds. llama.cpp's forms begin streams of their own there, which states of before
    /// know nothing of.
    void fork(const Stages& stages, std::uint16_t sequence) noexcept {
        at_.sequence = sequence;
        stages.fork(sequence);
        if (!stages.is_exact()) return;
        forget_saved_states();
        save(stages);
    }

    // ---- going back

    checkpoint mark(const Stages& stages) const noexcept {
        checkpoint m;
        m.prefix_hash = tokens_.prefix_hash();
        m.layout = layout(stages);
        m.tokens = tokens_.written();
        m.position = at_.position;
        m.attempt = at_.attempt;
        stages.save(m.stages.data());
        return m;
    }
    /// `window`: how far the stages look back, -1 for everything; here and below.
    status rollback(const Stages& stages, const checkpoint& m, std::int32_t window) noexcept {
        if (m.layout != layout(stages) || m.tokens > tokens_.written()) return status_code::mark_unknown;
        const std::size_t back = tokens_.written() - m.tokens;
        if (!tokens_.can_pop(back, window)) return status_code::rewind_too_far;
        const std::uint64_t prefix_hash =
            back == tokens_.remembered() ? tokens_.hash_of_none() : tokens_.recent(back).prefix_hash;
        if (m.prefix_hash != prefix_hash) return status_code::mark_unknown;
        if (const status s = restore(stages, m.stages.data()); !s.ok()) return s;
        go_back(back, m.position, m.attempt);
        save_as_exact(stages);  // what the ring holds of this position may be of another text
        return {};
    }
    status rewind(const Stages& stages, std::size_t count, std::int32_t window) noexcept {
        if (count > at_.position || count > rollback_depth) return status_code::rewind_too_far;
        std::size_t back = 0;
        for (std::size_t generated = 0; generated < count; ++back) {
            if (back >= tokens_.remembered()) return status_code::rewind_too_far;
            generated += tokens_.recent(back).generated;
        }
        const std::uint32_t target = at_.position - std::uint32_t(count);
        if (!tokens_.can_pop(back, window)) return status_code::rewind_too_far;
        if (const std::byte* const saved = stages.saved_at(target)) {
            if (target < saved_from_ || saved_to_ - target > Stages::saved_states) return status_code::rewind_too_far;
            if (const status s = restore(stages, saved); !s.ok()) return s;
        }
        go_back(back, target, 0);
        return {};
    }

    /// The text loses tokens, and marks of before are those of another.
    void shift(const Stages& stages, std::size_t first, std::size_t count) noexcept {
        tokens_.forget(first, count);
        ++times_shifted_;
        choice_ = {};
        forget_saved_states();
        save_as_exact(stages);
    }
    /// States saved so far do not fit the stages any more: rewind does not go behind this point.
    void forget_saved_states() noexcept { saved_from_ = saved_to_ = at_.position; }
    /// llama.cpp's forms change when they are applied, so what they are at a position is saved as soon as the position
    /// is reached; others change when a token is accepted, and are saved before that.
    void save_as_exact(const Stages& stages) noexcept {
        if (stages.is_exact()) save(stages);
    }
    /// A copy may stand elsewhere than the original did: llama.cpp's clone of adaptive_p draws from the beginning
    /// again.
    void note_copy() noexcept { copied_ = true; }
    void save_after_copying(const Stages& stages) noexcept {
        if (std::exchange(copied_, false)) save_as_exact(stages);
    }

private:
    friend class chain_file<Stages>;
    using saved_state = std::array<std::byte, checkpoint::stage_bytes>;

    /// Of marks: those of before a shift are told apart.
    std::uint32_t layout(const Stages& stages) const noexcept {
        return times_shifted_ == 0 ? stages.layout() : layout_with(stages.layout(), times_shifted_);
    }
    RIFFLE_NOINLINE static void refuse_no_token(token_id token, bool generated, step& led_to) noexcept {
        led_to = step::refusal(status::invalid(generated ? "accept" : "prompt", "token", double(token),
                                               "is below 0, so it is no token", status_code::not_a_token));
    }
    /// Answers which stages have been given the token.
    std::uint32_t take(const Stages& stages, token_id token, bool generated, step& led_to) noexcept {
        tokens_.push(token, generated);
        return stages.accept(token, generated ? &choice_ : nullptr, tokens_, led_to);
    }
    /// Where a stage only finds out by taking it: if it refuses, the history is put back, and the stages that were
    /// given the token. (Others are not touched: to go back to where they are would undo what they did since the last
    /// token.)
    RIFFLE_NOINLINE void try_to_take(const Stages& stages, token_id token, bool generated, step& led_to) noexcept {
        const auto end = tokens_.end_to_restore();
        saved_state before;
        stages.save(before.data());
        const std::uint32_t given = take(stages, token, generated, led_to);
        if (!led_to.refused) return;
        tokens_.restore_end(end);
        if (const status put_back = stages.restore(before.data(), given); !put_back.ok()) led_to.state = put_back;
    }
    void save(const Stages& stages) noexcept {
        if (std::byte* const place = stages.saved_at(at_.position)) {
            stages.save(place);
            saved_to_ = (std::max)(saved_to_, at_.position + 1);
        }
    }
    /// Where a stage could not go back, all are as they were, and the status says so.
    static status restore(const Stages& stages, const std::byte* from) noexcept {
        saved_state now;
        stages.save(now.data());
        const status s = stages.restore(from);
        if (!s.ok()) stages.restore(now.data());
        return s;
    }
    void go_back(std::size_t tokens, std::uint32_t position, std::uint32_t attempt) noexcept {
        for (std::size_t i = 0; i < tokens; ++i) tokens_.pop();
        at_.position = position;
        at_.attempt = attempt;
        choice_ = {};
    }

    history tokens_;
    draw_position at_;
    last_choice choice_;
    std::uint32_t times_shifted_ = 0;
    std::uint32_t saved_from_ = 0, saved_to_ = 0;  ///< positions whose states the ring has held
    bool copied_ = false;                          ///< and nothing has happened since
};

}  // namespace riffle::detail
