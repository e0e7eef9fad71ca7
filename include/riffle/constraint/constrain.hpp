#pragma once
#include <concepts>
#include <cstdint>
#include <span>

#include <riffle/core/byte_set.hpp>
#include <riffle/core/facts.hpp>
#include <riffle/core/legal_tokens.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI {

/// What constrain asks of a type: which tokens are legal next, and to be told which came. grammar_matcher is one; a
/// user's own will do.
///
///     std::span<const std::uint32_t> legal_words() const noexcept;   // packed, lowest bit first, 1 = legal
///     bool allows(token_id) const noexcept;      // whether accept would take it
///     step accept(token_id) noexcept;            // changes nothing where it refuses
///     void reset() noexcept;
///     std::uint64_t mark() const noexcept;
///     status rollback(std::uint64_t) noexcept;   // or bool: whether it went back; 128 tokens are asked for at most
///
/// In place of legal_words, or beside it, it may have `legal_tokens legal() const noexcept`, which saves counting: all
/// tokens, words or ids, with their number. It may also have `status check() const noexcept`, asked ahead of each step
/// (a failure is the step's), and `status can_accept(token_id) const noexcept`, why it would refuse. Where its mark is
/// all that it knows, so that rollback goes back behind reset(), `static constexpr bool marks_are_whole = true` says so:
/// triggered and budgeted begin texts anew, and else refuse to go back behind that. Spans that it
/// gives out stay valid until the next call of any member. A `guided` copies it in functions that do not throw: there
/// its copies must not throw either.
template <class M>
concept token_matcher = std::copyable<M> && requires(const M& m, M& changed, token_id token, std::uint64_t mark) {
    requires requires {
        { m.legal() } noexcept -> std::same_as<legal_tokens>;
    } || requires {
        { m.legal_words() } noexcept -> std::convertible_to<std::span<const std::uint32_t>>;
    };
    { m.allows(token) } noexcept -> std::same_as<bool>;
    { changed.accept(token) } noexcept -> std::same_as<step>;
    { changed.reset() } noexcept;
    { m.mark() } noexcept -> std::same_as<std::uint64_t>;
    { bool(changed.rollback(mark)) } noexcept;
};

/// Masks that another engine makes (llguidance, XGrammar): the words are read in place in each step, never copied. The
/// engine has to refresh them before each step, and to be told of accepted tokens and of rollbacks by its own calls:
/// here every token is accepted, and going back does nothing.
struct legal_words_view {
    /// Packed, lowest bit first, 1 = legal; a missing tail = illegal. Must outlive the chain.
    std::span<const std::uint32_t> words;
    /// Nothing is kept, so nothing is lost by reset().
    static constexpr bool marks_are_whole = true;

    legal_words_view() noexcept = default;
    /// Of words that another engine writes, which must outlive the chain.
    legal_words_view(std::span<const std::uint32_t> of) noexcept : words(of) {}
    /// XGrammar's words have a sign.
    legal_words_view(std::span<const std::int32_t> of) noexcept
        : words(reinterpret_cast<const std::uint32_t*>(of.data()), of.size()) {}

    /// The words as the engine left them.
    std::span<const std::uint32_t> legal_words() const noexcept { return words; }
    /// Whether its bit is set: guided asks before a token is accepted.
    bool allows(token_id token) const noexcept { return legal_tokens::of_words(words).contains(token); }
    /// The words may be those of the next step already.
    status can_accept(token_id) const noexcept { return {}; }
    /// Takes any token, and changes nothing.
    step accept(token_id) noexcept { return {}; }
    /// Changes nothing: the engine has to be reset by its own call.
    void reset() noexcept {}
    /// Always 0: nothing is kept from token to token.
    std::uint64_t mark() const noexcept { return 0; }
    /// Always true, and changes nothing.
    bool rollback(std::uint64_t) noexcept { return true; }
};

/// What a matcher leaves legal.
template <token_matcher Matcher>
legal_tokens legal_tokens_of(const Matcher& matcher) noexcept {
    if constexpr (requires { matcher.legal(); }) return matcher.legal();
    else return legal_tokens::of_words(matcher.legal_words());
}

/// Leaves only the tokens that a matcher says are legal: a grammar's, or whatever else is a token_matcher.
///
///     auto c = constrain{grammar_matcher(*g, trie)} | penalties{} | top_k{40} | dist{.seed = 1};
///     get<constrain<grammar_matcher>>(c).matcher.forced_run();
///
/// It stands ahead of every stage that narrows; a chain in another order does not compile, or is chain_malformed where
/// it is put together at run time. It owns the matcher, and copies of the chain have their own.
///
/// Tokens of a prompt are not the matcher's. A generated token that it does not allow is refused (stage_failed, and
/// nothing has changed in the chain); step::finished is the matcher's. Where check() of the matcher fails, as at a dead
/// end, no token is chosen, and last_status() says why. In a mark it takes 8 bytes.
///
/// Under numerics::llama it does to the candidates what llama.cpp's grammar does: -inf, and none removed.
///
/// Cost: the matcher's, and: where few tokens are legal, only their logits are read; otherwise the blocks of the row
/// that hold an illegal token are copied.
template <class Matcher>
struct constrain {
    static_assert(token_matcher<Matcher>,
                  "riffle: a matcher has legal_words or legal, allows, accept, reset, mark and rollback, "
                  "all noexcept, and can be copied (see token_matcher)");
    Matcher matcher;  ///< reached by get<constrain<Matcher>>(chain).matcher; belongs to this chain alone

    static constexpr const char* name = "constrain";  ///< in statuses, plans and reports
    /// What plans are made from.
    static constexpr facts fact{.masks = true, .constrains = true, .keeps_sorted = true, .narrows = narrowing::legal};

    /// The tokens that the matcher leaves in this step.
    legal_tokens legal_now() const noexcept { return legal_tokens_of(matcher); }

    /// Which bytes may come next, where the matcher knows: for explain.
    byte_set expected_bytes() const noexcept
        requires requires(const Matcher& m) {
            { m.expected_bytes() } noexcept -> std::same_as<byte_set>;
        }
    {
        return matcher.expected_bytes();
    }

    /// Why no token can be chosen: the matcher's own check(); ok where it has none.
    status(check)() const noexcept {
        if constexpr (requires { (matcher.check)(); }) return (matcher.check)();
        else return {};
    }
    /// Why the matcher would refuse a generated token; ok for all of a prompt.
    status can_accept(token_id token, token_origin origin) const noexcept {
        if (origin == token_origin::prompt) return {};
        if constexpr (requires { matcher.can_accept(token); }) return matcher.can_accept(token);
        else return matcher.allows(token) ? status() : status::failed(status_code::stage_failed, name);
    }
    /// Tells the matcher of a generated token; those of a prompt pass it by.
    step accept(token_id token, token_origin origin) noexcept {
        return origin == token_origin::prompt ? step() : matcher.accept(token);
    }
    /// Takes the matcher back to the beginning of a text.
    void reset() noexcept { matcher.reset(); }
    /// Where the matcher stands: its 8 bytes of a chain's mark.
    std::uint64_t mark() const noexcept { return matcher.mark(); }
    /// Takes the matcher back to a mark of its own; false where it cannot.
    bool rollback(std::uint64_t mark) noexcept { return bool(matcher.rollback(mark)); }
};
template <class Matcher>
constrain RIFFLE_NOTHING(Matcher)->constrain<Matcher>;
constrain RIFFLE_NOTHING(std::span<const std::uint32_t>)->constrain<legal_words_view>;
constrain RIFFLE_NOTHING(std::span<const std::int32_t>)->constrain<legal_words_view>;

}  // namespace riffle
