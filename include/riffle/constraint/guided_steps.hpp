#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <riffle/constraint/grammar_use.hpp>
#include <riffle/core/checkpoint.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/storage.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// A chain and a guide outside of it: what riffle::guided and riffle::llama::guided have in common. A guide has
///
///     status problem() const noexcept;         // why nothing can be asked of it
///     bool takes(token_id) noexcept;           // whether accept would
///     step accept(token_id) noexcept;
///     void reset() noexcept;
///     std::uint64_t mark() const noexcept;
///     bool rollback(std::uint64_t) noexcept;
///     auto here() const noexcept;              // what put_back(here) brings it back with, from further back
///     static std::size_t mask_bytes(std::size_t size) noexcept;
///     const float* mask(const Output&, std::byte* memory, status& why) noexcept;   // the logits behind it
///
/// and an Output `size`, `token` (chosen elsewhere already, or null_token), a `peek_output(chain, output)` beside it,
/// and `logits`, which may be replaced.
template <class Chain, class Guide>
class guided_steps {
public:
    Chain& chain() noexcept { return chain_; }
    const Chain& chain() const noexcept { return chain_; }

    /// Takes a token that came from elsewhere, as generated. One that the grammar or a stage of the chain refuses is
    /// taken by neither, and the step says why.
    step accept(token_id token) noexcept {
        const std::uint64_t before = guide_.mark();
        last_step_ = guide_.accept(token);
        if (last_step_.refused) return last_step_;
        const step of_chain = chain_.accept(token);
        if (of_chain.refused) {
            guide_.rollback(before);
            return last_step_ = of_chain;
        }
        last_step_.join(of_chain);
        return last_step_;
    }
    /// Takes the tokens of a prompt: the chain looks back on them, the grammar does not see them.
    status prompt(std::span<const token_id> tokens) noexcept { return chain_.prompt(tokens); }
    /// Both back to the beginning. (llama.cpp's common_sampler_reset leaves the grammar as it is: chain().reset().)
    void reset() noexcept {
        guide_.reset();
        chain_.reset();
        last_step_ = {};
    }

    /// Where both stand, and the way back, as a chain's own mark and rollback.
    struct place {
        checkpoint of_chain;
        std::uint64_t of_grammar = 0;
    };
    place mark() const noexcept { return {chain_.mark(), guide_.mark()}; }
    status rollback(const place& p) noexcept {
        if (p.of_grammar > guide_.mark()) return status_code::mark_unknown;
        const auto here = guide_.here();
        if (!guide_.rollback(p.of_grammar)) return status::failed(status_code::rewind_too_far, "grammar");
        const status s = chain_.rollback(p.of_chain);
        if (!s.ok()) guide_.put_back(here);
        return s;
    }

    /// What came of the last token that was taken or refused: whether the grammar says that the text is finished.
    const step& last_step() const noexcept { return last_step_; }
    /// Why the last call gave no token.
    const status& last_status() const noexcept { return status_.ok() ? chain_.last_status() : status_; }

    // ---- for riffle's own use

    template <class Output>
    token_id sample_from(const Output& from, grammar_use when) noexcept {
        // memory for the token comes first: a step that fails has drawn nothing
        if (const status room = chain_.state().make_room(chain_.view(), 1); !room.ok()) {
            status_ = room;
            return null_token;
        }
        const token_id token = peek_from(from, when);
        if (token < 0) return token;
        const step s = accept(token);
        status_ = s.state;
        return s.refused ? null_token : token;
    }
    template <class Output>
    token_id peek_from(const Output& from, grammar_use when) noexcept {
        status_ = guide_.problem();
        if (!status_.ok()) return null_token;
        if (from.token >= 0) return guide_.takes(from.token) ? from.token : refused();
        status_ = from.size == 0 ? status_code::empty_row : memory_.reserve(Guide::mask_bytes(from.size));
        if (!status_.ok()) return null_token;
        if (when == grammar_use::first) return choose_legal(from);
        const token_id token = peek_output(chain_, from);
        if (token < 0 || guide_.takes(token)) return token;
        // The second draw is another one; the next call begins with the first again.
        const std::uint32_t attempt = chain_.state().attempt();
        chain_.retry();
        const token_id legal = choose_legal(from);
        chain_.state().go_back_to(attempt);
        return legal;
    }

protected:
    guided_steps(Chain chain, Guide guide) noexcept : chain_(std::move(chain)), guide_(std::move(guide)) {}

    Guide& guide() noexcept { return guide_; }
    const Guide& guide() const noexcept { return guide_; }

private:
    template <class Output>
    token_id choose_legal(Output from) noexcept {
        from.logits = guide_.mask(from, memory_.data(), status_);
        return from.logits ? peek_output(chain_, from) : null_token;
    }
    token_id refused() noexcept {
        status_ = status::failed(status_code::stage_failed, "grammar");
        return null_token;
    }

    Chain chain_;
    Guide guide_;
    storage memory_;  ///< for logits behind the grammar
    status status_;
    step last_step_;
};

}  // namespace riffle::detail
