#pragma once
#include <cstddef>
#include <cstdint>
#include <llama.h>
#include <span>
#include <utility>

#include <riffle/core/checkpoint.hpp>
#include <riffle/core/size_arithmetic.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/storage.hpp>
#include <riffle/core/token.hpp>
#include <riffle/llama/array/run.hpp>
#include <riffle/llama/context.hpp>
#include <riffle/llama/held_sampler.hpp>

namespace riffle::inline RIFFLE_ABI::llama {

/// Whether a grammar masks tokens before the chain chooses, or looks at what it has chosen.
enum class grammar_use { first, afterwards };

/// A chain with a llama.cpp grammar outside of it, as llama.cpp's own tools have them: the chain chooses, the grammar
/// looks at the one token, and only where it refuses are all tokens masked and is chosen again (a second draw, as
/// there). So a grammar, which takes milliseconds for a vocabulary, mostly costs nothing.
///
///     riffle::llama::guided both(chain, llama_sampler_init_grammar(vocab, text, "root"));
///     token_id token = both.sample(context, -1);
///
/// Owns the grammar; nullptr, what llama_sampler_init_grammar answers for a text that it cannot read, lets no token
/// pass. Any llama_sampler that masks will do. Copying clones both. Nothing throws or aborts (where the grammar throws,
/// exceptions have to be on).
template <class Chain>
class guided {
public:
    guided(Chain chain, llama_sampler* grammar) noexcept : chain_(std::move(chain)), grammar_(grammar) {}

    Chain& chain() noexcept { return chain_; }
    const Chain& chain() const noexcept { return chain_; }
    const llama_sampler* grammar() const noexcept { return grammar_.get(); }

    /// The token for an output of an evaluated context, accepted by both; null_token and last_status() when there is
    /// none.
    token_id sample(llama_context* context, std::int32_t index, grammar_use when = grammar_use::afterwards) noexcept {
        return sample(detail::output_of(context, index), when);
    }
    /// The token for a row of logits, accepted by both; null_token and last_status() when there is none.
    token_id sample(std::span<const float> logits, grammar_use when = grammar_use::afterwards) noexcept {
        return sample(whole(logits), when);
    }
    /// The token that sample would give, and nothing accepted.
    token_id peek(std::span<const float> logits, grammar_use when = grammar_use::afterwards) noexcept {
        return choose(whole(logits), when);
    }

    /// Takes a token that came from elsewhere, as generated. One that the grammar or a stage of the chain refuses is
    /// taken by neither, and the step says stage_failed.
    step accept(token_id token) noexcept {
        const std::uint64_t before = grammar_.accepted();
        if (!grammar_.accept(token)) return refusal();
        const step s = chain_.accept(token);
        if (s.refused) grammar_.rollback(before);
        return s;
    }
    /// Takes the tokens of a prompt: the chain looks back on them, the grammar does not see them.
    status prompt(std::span<const token_id> tokens) noexcept { return chain_.prompt(tokens); }
    /// Both back to the beginning. (llama.cpp's common_sampler_reset leaves the grammar as it is: chain().reset().)
    void reset() noexcept {
        if (grammar_.get()) grammar_.reset();
        chain_.reset();
    }

    /// Where both stand, and the way back, as a chain's own mark and rollback.
    struct place {
        checkpoint of_chain;
        std::uint64_t of_grammar = 0;
    };
    place mark() const noexcept { return {chain_.mark(), grammar_.accepted()}; }
    status rollback(const place& p) noexcept {
        const std::uint64_t now = grammar_.accepted();
        if (p.of_grammar > now) return status_code::mark_unknown;
        if (!grammar_.rollback(p.of_grammar)) return status::failed(status_code::rewind_too_far, "grammar");
        const status s = chain_.rollback(p.of_chain);
        if (!s.ok()) grammar_.rollback(now);
        return s;
    }

    /// Why the last call gave no token.
    const status& last_status() const noexcept { return status_.ok() ? chain_.last_status() : status_; }

private:
    static detail::output whole(std::span<const float> logits) noexcept {
        detail::output all;
        all.logits = logits.data();
        all.size = logits.size();
        return all;
    }
    token_id choose(const detail::output& from, grammar_use when) noexcept {
        status_ = {};
        if (!grammar_.get()) {
            status_ = status::invalid("guided", "grammar", 0, "is no grammar");
            return null_token;
        }
        if (from.token >= 0) return grammar_.takes(from.token) ? from.token : refused();
        if (!reserve(from.size)) return null_token;
        if (when == grammar_use::afterwards) {
            const token_id token = detail::peek_output(chain_, from);
            if (token < 0 || grammar_.takes(token)) return token;
            chain_.retry();
        }
        detail::output masked = from;
        masked.logits = mask(from);
        return masked.logits ? detail::peek_output(chain_, masked) : null_token;
    }
    static step refusal() noexcept { return step::refusal(status::failed(status_code::stage_failed, "grammar")); }
    token_id refused() noexcept {
        status_ = refusal().state;
        return null_token;
    }
    /// For the logits behind the grammar, ahead of the chain's first draw: a step that fails has drawn nothing.
    bool reserve(std::size_t size) noexcept {
        status_ = size == 0 ? status_code::empty_row
                            : memory_.reserve(saturating::product(size, sizeof(token_data) + sizeof(float)));
        return status_.ok();
    }
    /// The logits behind the grammar; nullptr where it fails.
    const float* mask(const detail::output& from) noexcept {
        auto* const tokens = reinterpret_cast<token_data*>(memory_.data());
        auto* const logits = reinterpret_cast<float*>(tokens + from.size);
        for (std::size_t i = 0; i < from.size; ++i) {
            tokens[i] = {from.ids ? from.ids[i] : token_id(i), from.logits[i], 0.0f};
            logits[i] = illegal_logit;
        }
        candidates c{tokens, from.size, -1, false};
        if (!grammar_.apply(c)) {
            refused();
            return nullptr;
        }
        write_by_id(c, from, logits);
        return logits;
    }
    /// A grammar keeps order and number; another sampler may drop tokens, or put them in another order.
    static void write_by_id(const candidates& c, const detail::output& from, float* logits) noexcept {
        for (std::size_t i = 0; i < c.size; ++i) {
            std::size_t place = i;
            if (!from.ids) place = std::size_t(c[i].id);
            else if (from.ids[i] != c[i].id)
                for (place = 0; place < from.size && from.ids[place] != c[i].id;) ++place;
            if (place < from.size) logits[place] = c[i].logit;
        }
    }
    token_id sample(const detail::output& from, grammar_use when) noexcept {
        // memory for the token comes first: a step that fails has drawn nothing
        if (const status room = chain_.state().make_room(chain_.view(), 1); !room.ok()) {
            status_ = room;
            return null_token;
        }
        const token_id token = choose(from, when);
        if (token < 0) return token;
        const step s = accept(token);
        status_ = s.state;
        return s.refused ? null_token : token;
    }

    Chain chain_;
    detail::held_sampler grammar_;
    storage memory_;
    status status_;
};

}  // namespace riffle::llama
