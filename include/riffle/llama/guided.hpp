#pragma once
#include <cstddef>
#include <cstdint>
#include <llama.h>
#include <span>
#include <utility>

#include <riffle/constraint/guided_steps.hpp>
#include <riffle/core/candidates.hpp>
#include <riffle/core/size_arithmetic.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/token.hpp>
#include <riffle/llama/array/run.hpp>
#include <riffle/llama/context.hpp>
#include <riffle/llama/held_sampler.hpp>

namespace riffle::inline RIFFLE_ABI::llama {

using riffle::grammar_use;

namespace detail {

/// A llama_sampler that masks, outside of a chain.
struct sampler_guide {
    held_sampler grammar;

    status problem() const noexcept {
        return grammar.get() ? status() : status::invalid("guided", "grammar", 0, "is no grammar");
    }
    bool takes(token_id token) const noexcept { return grammar.takes(token); }
    step accept(token_id token) noexcept { return grammar.accept(token) ? step() : step::refusal(refusal()); }
    void reset() noexcept {
        if (grammar.get()) grammar.reset();
    }
    std::uint64_t mark() const noexcept { return grammar.accepted(); }
    bool rollback(std::uint64_t mark) noexcept { return grammar.rollback(mark); }
    std::uint64_t here() const noexcept { return grammar.accepted(); }
    void put_back(std::uint64_t here) noexcept { grammar.rollback(here); }
    static std::size_t mask_bytes(std::size_t size) noexcept {
        return saturating::product(size, sizeof(token_data) + sizeof(float));
    }
    const float* mask(const output& from, std::byte* memory, status& why) const noexcept {
        auto* const tokens = reinterpret_cast<token_data*>(memory);
        auto* const logits = reinterpret_cast<float*>(tokens + from.size);
        for (std::size_t i = 0; i < from.size; ++i) {
            tokens[i] = {from.ids ? from.ids[i] : token_id(i), from.logits[i], 0.0f};
            logits[i] = illegal_logit;
        }
        candidates c{tokens, from.size, -1, false};
        if (!grammar.apply(c)) {
            why = refusal();
            return nullptr;
        }
        write_by_id(c, from, logits);
        return logits;
    }

private:
    static status refusal() noexcept { return status::failed(status_code::stage_failed, "grammar"); }
    /// A grammar keeps order and number; another sampler may drop tokens, or put them in another order.
    static void write_by_id(const candidates& c, const output& from, float* logits) noexcept {
        for (std::size_t i = 0; i < c.size; ++i) {
            std::size_t place = i;
            if (!from.ids) place = std::size_t(c[i].id);
            else if (from.ids[i] != c[i].id)
                for (place = 0; place < from.size && from.ids[place] != c[i].id;) ++place;
            if (place < from.size) logits[place] = c[i].logit;
        }
    }
};

}  // namespace detail

/// A chain with a llama.cpp grammar beside it, as in llama.cpp's own tools. The chain chooses; only where the grammar
/// refuses that token are all tokens masked and a second one drawn. So the grammar, which takes milliseconds for a
/// whole vocabulary, is mostly asked about one token. (riffle::guided has one of riffle's, which takes microseconds.)
///
///     riffle::llama::guided both(chain, llama_sampler_init_grammar(vocab, text, "root"));
///     token_id token = both.sample(context, -1);
///
/// Owns the grammar; nullptr, what llama_sampler_init_grammar answers for a text that it cannot read, lets no token
/// pass. Any llama_sampler that masks will do. Copying clones both. Nothing throws or aborts (where the grammar throws,
/// exceptions have to be on).
template <class Chain>
class guided : public riffle::detail::guided_steps<Chain, detail::sampler_guide> {
    using base = riffle::detail::guided_steps<Chain, detail::sampler_guide>;

public:
    /// A chain, and the grammar beside it, which it owns from now on.
    guided(Chain chain, llama_sampler* grammar) noexcept : base(std::move(chain), {detail::held_sampler(grammar)}) {}

    /// The grammar itself, for llama.cpp's functions that look at it; nullptr where there is none.
    const llama_sampler* grammar() const noexcept { return this->guide().grammar.get(); }

    /// The token for an output of an evaluated context, accepted by both; null_token and last_status() when there is
    /// none.
    token_id sample(llama_context* context, std::int32_t index, grammar_use when = grammar_use::afterwards) noexcept {
        return this->sample_from(detail::output_of(context, index), when);
    }
    /// The token for a row of logits, accepted by both; null_token and last_status() when there is none.
    token_id sample(std::span<const float> logits, grammar_use when = grammar_use::afterwards) noexcept {
        return this->sample_from(whole(logits), when);
    }
    /// The token that sample would give, and nothing accepted.
    token_id peek(std::span<const float> logits, grammar_use when = grammar_use::afterwards) noexcept {
        return this->peek_from(whole(logits), when);
    }

private:
    static detail::output whole(std::span<const float> logits) noexcept {
        detail::output all;
        all.logits = logits.data();
        all.size = logits.size();
        return all;
    }
};

}  // namespace riffle::llama
