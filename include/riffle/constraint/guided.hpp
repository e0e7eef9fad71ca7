#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include <riffle/constraint/constrain.hpp>
#include <riffle/constraint/grammar_use.hpp>
#include <riffle/constraint/guided_steps.hpp>
#include <riffle/constraint/legal_logits.hpp>
#include <riffle/core/size_arithmetic.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI {
namespace detail {

/// A row of logits as what a chain chooses from.
struct whole_row {
    const float* logits = nullptr;
    std::size_t size = 0;
    static constexpr token_id token = null_token;
};
template <class Chain>
token_id peek_output(Chain& chain, const whole_row& from) noexcept {
    return chain.peek({from.logits, from.size});
}

/// A matcher outside of a chain.
template <class Matcher>
struct matcher_guide {
    static_assert(std::is_nothrow_copy_constructible_v<Matcher> && std::is_nothrow_copy_assignable_v<Matcher>,
                  "riffle: a guided copies its matcher in functions that do not throw, so copies must be noexcept");
    constrain<Matcher> stage;

    status problem() const noexcept { return {}; }
    bool takes(token_id token) const noexcept { return stage.matcher.allows(token); }
    step accept(token_id token) noexcept {
        const status can = stage.can_accept(token, token_origin::generated);
        return can.ok() ? stage.matcher.accept(token) : step::refusal(can);
    }
    void reset() noexcept { stage.reset(); }
    std::uint64_t mark() const noexcept { return stage.mark(); }
    bool rollback(std::uint64_t mark) noexcept { return stage.rollback(mark); }
    Matcher here() const noexcept { return stage.matcher; }
    void put_back(const Matcher& here) noexcept { stage.matcher = here; }
    static std::size_t mask_bytes(std::size_t size) noexcept { return saturating::product(size, sizeof(float)); }
    template <class Output>
    const float* mask(const Output& from, std::byte* memory, status& why) const noexcept {
        why = (stage.check)();
        if (!why.ok()) return nullptr;
        auto* const logits = reinterpret_cast<float*>(memory);
        const legal_tokens legal = stage.legal_now();
        if constexpr (requires { from.ids; })
            if (from.ids) {
                for (std::size_t i = 0; i < from.size; ++i)
                    logits[i] = legal.contains(from.ids[i]) ? from.logits[i] : illegal_logit;
                return logits;
            }
        write_legal({from.logits, from.size}, legal, logits);
        return logits;
    }
};

}  // namespace detail

/// A chain with a matcher beside it, as llama.cpp's tools have a grammar. The chain chooses from all tokens; only where
/// the matcher refuses that token are all tokens masked and a second one drawn.
///
///     guided both(top_k{40} | dist{.seed = 1}, grammar_matcher(*g, trie));
///     token_id token = both.sample(logits);                                // looked at afterwards
///     token_id other = both.sample(logits, grammar_use::first);            // as constrain ahead of the chain
///
/// The two are different distributions once a stage of the chain cuts. With F the chain's distribution over all tokens,
/// G the one over the legal tokens alone and F(L) the mass that F has on the legal ones, `first` draws from G;
/// `afterwards` draws a legal token from F, and with probability 1 - F(L) one from G: their total variation distance is
/// F(L) TV(F(.|L), G). (p = .5 illegal, .3, .2 and top_p .8: first gives .6 and .4, afterwards .75 and .25.) They are
/// one and the same for greedy, and where every stage only maps or edits logits. Neither is the model's distribution
/// over whole texts of the language (arXiv 2405.21047): see feasible_mass.
///
/// Under numerics::llama both ways give llama.cpp's tokens. A stage of the chain that learns when it chooses
/// (llama.cpp's mirostat) learns twice where it chooses twice, as there.
///
/// accept(token), prompt(tokens), reset(), mark(), rollback(place), last_step() and last_status() are a chain's, for
/// both at once. Copying copies both. Nothing throws. The cost beyond the chain's: a look at one token; where all are
/// masked, the mask, a copy of the row and the chain once more.
template <class Chain, token_matcher Matcher>
class guided : public detail::guided_steps<Chain, detail::matcher_guide<Matcher>> {
    using base = detail::guided_steps<Chain, detail::matcher_guide<Matcher>>;

public:
    /// A chain, and the matcher beside it, each from where it stands.
    guided(Chain chain, Matcher matcher) noexcept : base(std::move(chain), {{std::move(matcher)}}) {}

    /// The matcher beside the chain; chain() is the other half.
    Matcher& matcher() noexcept { return this->guide().stage.matcher; }
    /// The matcher, for questions alone.
    const Matcher& matcher() const noexcept { return this->guide().stage.matcher; }

    /// The token for a row of logits, accepted by both; null_token and last_status() when there is none.
    token_id sample(std::span<const float> logits, grammar_use when = grammar_use::afterwards) noexcept {
        return this->sample_from(detail::whole_row{logits.data(), logits.size()}, when);
    }
    /// The token that sample would give, and nothing accepted.
    token_id peek(std::span<const float> logits, grammar_use when = grammar_use::afterwards) noexcept {
        return this->peek_from(detail::whole_row{logits.data(), logits.size()}, when);
    }
};

}  // namespace riffle
