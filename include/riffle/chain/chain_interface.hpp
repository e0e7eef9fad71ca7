#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <riffle/chain/chain_state.hpp>
#include <riffle/core/logit_row.hpp>
#include <riffle/core/result.hpp>
#include <riffle/core/size_arithmetic.hpp>

namespace riffle::inline RIFFLE_ABI {
namespace detail {

/// What a step cannot read as a row of logits.
template <class Row>
concept no_row = !std::is_convertible_v<Row, logit_row>;
template <class Tokens>
concept no_prompt = !std::is_convertible_v<Tokens, std::span<const token_id>>;
/// Types that members of a chain speak of. (They depend on the chain, so that including riffle does not compile them.)
template <class Chain>
struct spoken_of_by {
    using law = weighed;
    using bytes = std::span<const std::byte>;
};
template <class Row>
constexpr token_id refuse_row() noexcept {
    static_assert(!no_row<Row>,
                  "riffle: a row of logits is float, riffle::float16 or riffle::bfloat16 side by side (or what has the "
                  "layout of one of these, as _Float16, __bf16 and Eigen's types): a std::vector, an array, a "
                  "riffle::logit_row(pointer, size); convert double and whole numbers first, and look at 16-bit words "
                  "as one of the two");
    return null_token;
}

}  // namespace detail

/// What every chain offers, whether its stages are types (pipeline), were put together at run time (dynamic_chain) or
/// are hidden behind an any_pipeline. `Chain` gives view() and state().
///
/// One thread a chain. No member but fork throws. The first call for a vocabulary, or reserve, allocates; after that
/// only a longer row does, and a window over 4,096 tokens as it fills, or an endless one: reserve says so beforehand.
template <class Chain>
class chain_interface {
public:
    // ---- from logits to token

    /// The token for a row of logits (index = token id), accepted as generated; null_token and last_status() when there
    /// is none. O(V): as many reads of the row as its plan says; up to four more to find the end of a large nucleus.
    /// Logits are floats, or 16 bits each (logit_row): the token is that of the row made floats, bit for bit.
    token_id sample(const logit_row& logits) noexcept {
        require_selector();
        decltype(auto) stages = self().view();
        return self().state().sample(stages, logits);
    }
    /// sample, with the status beside the token.
    result<token_id> try_sample(const logit_row& logits) noexcept {
        const token_id token = sample(logits);
        return {token, last_status()};
    }
    /// The token that sample would give, and nothing accepted. It uses the chain's scratch. (Under numerics::llama it
    /// draws, as applying a llama.cpp chain does: the next call draws anew.)
    token_id peek(const logit_row& logits) noexcept {
        require_selector();
        decltype(auto) stages = self().view();
        return self().state().peek(stages, logits);
    }
    /// Runs the stages in place on candidates, as llama_sampler_apply does: what is left stays in `c`, a selector sets
    /// `c.selected`, which is -1 where nothing was selected, errors included. Nothing is accepted. Logits become
    /// canonical; ids may repeat and stand in any order, but not be negative.
    status apply(candidates& c) noexcept {
        decltype(auto) stages = self().view();
        return self().state().apply(stages, c);
    }

    // ---- rows that are none, in one sentence

    /// Does not compile: this is no row of logits side by side, and a sentence says so.
    template <detail::no_row Row>
    token_id sample(Row&&) noexcept {
        return detail::refuse_row<Row>();
    }
    /// Does not compile: this is no row of logits side by side, and a sentence says so.
    template <detail::no_row Row>
    result<token_id> try_sample(Row&&) noexcept {
        return {detail::refuse_row<Row>(), {}};
    }
    /// Does not compile: this is no row of logits side by side, and a sentence says so.
    template <detail::no_row Row>
    token_id peek(Row&&) noexcept {
        return detail::refuse_row<Row>();
    }
    /// Does not compile: this is no row of logits side by side, and a sentence says so.
    template <detail::no_row Row>
    typename detail::spoken_of_by<Row>::law weigh(Row&&) noexcept {
        detail::refuse_row<Row>();
        return {};
    }
    /// Does not compile: this is no row of logits side by side, and a sentence says so.
    template <detail::no_row Row>
    std::span<const token_data> distribution(Row&&, std::size_t = uncountable) noexcept {
        detail::refuse_row<Row>();
        return {};
    }
    /// Does not compile: this is no row of logits side by side, and a sentence says so.
    template <detail::no_row Row>
    std::span<const token_logprob> logprobs(Row&&, std::size_t, logprobs_of = after) noexcept {
        detail::refuse_row<Row>();
        return {};
    }

    // ---- what has been chosen

    /// Takes a token that came from elsewhere, as generated: the draw position moves, and every stage sees it. One act:
    /// where a stage refuses the token, as where the id is below 0 or memory is missing, the step says `refused`, and
    /// history, position and all stages are as they were.
    step accept(token_id token) noexcept {
        decltype(auto) stages = self().view();
        return self().state().accept(stages, token);
    }
    /// Accepts a token as if the selector had just chosen it, out of the law that weigh() gave last: adaptive_p and
    /// both mirostats learn from the probability that their choice had, so that the chain is then bit for bit as after
    /// a sample that chose this token. Behind anything but weigh, or for a token of weight 0, it is accept(): they
    /// learn nothing. (Under numerics::llama the chain runs on the row once more, which has to be there still:
    /// llama.cpp's samplers change while they choose.)
    step accept_choice(token_id token) noexcept {
        decltype(auto) stages = self().view();
        return self().state().accept_choice(stages, token);
    }
    /// Takes the tokens of a prompt: history without moving the draw position. Stops ahead of a token that a stage
    /// refuses; where there is no memory for all of them, none is taken.
    status prompt(std::span<const token_id> tokens) noexcept {
        decltype(auto) stages = self().view();
        return self().state().prompt(stages, tokens);
    }
    /// Does not compile: these are no token ids side by side, and a sentence says so.
    template <detail::no_prompt Tokens>
    status prompt(Tokens&&) noexcept {
        static_assert(!detail::no_prompt<Tokens>,
                      "riffle: a prompt is token ids side by side: a "
                      "std::vector<riffle::token_id> (std::int32_t), an array, a span of them");
        return {};
    }
    /// Back to the beginning: no history, first draw. Parameters stay.
    void reset() noexcept {
        decltype(auto) stages = self().view();
        self().state().reset(stages);
    }
    /// The next sample draws anew at the same position; accept clears it. For a token that was rejected from outside.
    /// (llama.cpp's forms draw anew each time, unasked.)
    void retry() noexcept { self().state().retry(); }
    /// A copy whose draws are independent of this one's: another sequence of the same seeds. A plain copy is identical,
    /// and sequences do not nest: fork(1).fork(2) is fork(2). (Under numerics::llama they add up, since a fork adds the
    /// sequence to every seed, and begins those streams anew.) Copying specs that own memory may throw, like any copy.
    Chain fork(std::uint16_t sequence) const {
        Chain copy = static_cast<const Chain&>(*this);
        decltype(auto) stages = copy.view();
        copy.state().fork(stages, sequence);
        return copy;
    }

    // ---- going back

    /// Where the chain stands: a position and a few words. O(1).
    checkpoint mark() const noexcept {
        decltype(auto) stages = self().view();
        return self().state().mark(stages);
    }
    /// Back to a mark of this chain or of a copy, exactly, up to 128 tokens. A mark ahead, behind other tokens or
    /// of a chain with other stages is refused, and nothing changes; nor does anything where a stage's own rollback
    /// answers false (stage_stuck). A stage of the user's without its own mark() is put back whole, parameters
    /// included. A mark may be stored: chains with the same stages take it in another run of the program, once they
    /// have accepted the same tokens.
    status rollback(const checkpoint& m) noexcept {
        decltype(auto) stages = self().view();
        return self().state().rollback(stages, m);
    }
    /// Takes back the newest `count` generated tokens, and prompt tokens between them; 128 tokens at most.
    status rewind(std::size_t count) noexcept {
        decltype(auto) stages = self().view();
        return self().state().rewind(stages, count);
    }

    // ---- from one run of a program to the next, and beside a model that forgets

    /// How many bytes save writes at present: 64 or so, 12 for each token that stages look back on, and what stages
    /// keep for each of the last 128.
    std::size_t saved_bytes() const noexcept {
        decltype(auto) stages = self().view();
        return self().state().saved_bytes(stages);
    }
    /// Writes into the first saved_bytes() bytes what the chain has accepted, where its draws stand and what its stages
    /// keep, so that load on a chain of the same stages goes on from there: beside an engine's own prompt cache. The
    /// same bytes on every machine (of a stage of the user's, those that it is made of). Parameters and seeds are not
    /// among them, nor are last_step() and last_status(). storage_too_small where `to` has less; invalid_parameter
    /// where a stage of the user's has no `static constexpr const char* name`.
    status save(std::span<std::byte> to) const noexcept {
        decltype(auto) stages = self().view();
        return self().state().save(stages, to.data(), to.size());
    }
    /// Goes on where a chain of the same stages, in the same order, was saved; parameters stay as they are here. Marks
    /// that were made before it was saved are taken then, and rewind goes back as far. Refused, and nothing has
    /// changed: invalid_parameter for bytes that are no such file, that were changed, cut off or added (a checksum
    /// finds accidents, not forgers), of a newer version or of other stages; out_of_memory or storage_too_small.
    ///
    /// Of stages that have a mark of their own, such as constraints and samplers of llama.cpp's, there is nothing in
    /// the file: a mark is only a place in what they remember. They accept the saved text again, where this chain has
    /// accepted nothing yet and the file has all of the text, which is as much as stages look back on, and at least 129
    /// tokens. Where it is longer, let the chain accept it first; stage_failed says so.
    status load(typename detail::spoken_of_by<Chain>::bytes from) noexcept {
        decltype(auto) stages = self().view();
        return self().state().load(stages, {from.data(), from.size()});
    }
    /// The model no longer sees `count` tokens of the text, from the `first` on (0 = the oldest): after a context
    /// shift. Stages that look back see what is left (penalties, dry, bans of n-grams); those that follow the text by
    /// themselves go on as they are (constraints, phrase_ban, averages), and draws too. Marks of before are refused
    /// from now on, and rewind ends here where stages keep something. invalid_parameter, and nothing changed, where the
    /// text has not as many. Without this call nothing changes in a shift, as in llama.cpp. O(tokens that stages look
    /// back on).
    status forget(std::size_t first, std::size_t count) noexcept {
        decltype(auto) stages = self().view();
        return self().state().forget(stages, first, count);
    }

    // ---- looking closer

    /// The law of the next token in integers, as the selector would draw: for whoever verifies drafts, scores tokens or
    /// searches. Selectors that bend the distribution (skew, adaptive_p, mirostat) give the one they draw from, greedy
    /// its one token, gumbel the softmax, a selector of the user's what its prepare() leaves, or the softmax of what it
    /// would choose from. Costs about as much as peek. Nothing is accepted, drawn or learnt, under numerics::llama
    /// neither. Empty (total() is 0), and the reason in last_status(), where sample would give no token. Valid until
    /// the next call that takes a row or a token, and as long as the row is left alone.
    ///
    /// Under numerics::llama the weights are riffle's integers of the logits that llama.cpp's samplers leave: its
    /// probabilities but for 2^-23 of each. Under numerics::fast sums of blocks are rounded.
    typename detail::spoken_of_by<Chain>::law weigh(const logit_row& logits) noexcept {
        require_selector();
        decltype(auto) stages = self().view();
        return self().state().weigh(stages, logits);
    }
    /// What the last step on a row materialised, in the order of ranks, p normalised over it: at least the chosen
    /// token. The chosen token alone where the selector took it from the row: where nothing narrows before it, and
    /// where more than tuning::many_survivors tokens were left to it (distribution() has them). Empty after a
    /// failed step. Valid until the next call that takes a row or candidates.
    std::span<const token_data> survivors() noexcept { return self().state().survivors(); }
    /// The distribution of the next token after the chain, sparse: its n first in rank, or all, in the order of ranks,
    /// p normalised over all; for greedy its one token. Where a selector is the user's own, the softmax of what it
    /// would choose from. Same validity. (Whoever needs the law and no order asks weigh(), which costs less.)
    std::span<const token_data> distribution(const logit_row& logits, std::size_t n = uncountable) noexcept {
        decltype(auto) stages = self().view();
        return self().state().distribution(stages, logits, n);
    }
    /// The n likeliest tokens with their log-probabilities, before the chain (the row as it is) or after it; fewer
    /// where no others are legal, or weigh anything. Tokens more than 20.8 nats under the maximum add nothing to the
    /// sum. Same validity.
    std::span<const token_logprob> logprobs(const logit_row& logits, std::size_t n,
                                            logprobs_of which = after) noexcept {
        decltype(auto) stages = self().view();
        return self().state().logprobs(stages, logits, n, which);
    }
    /// What was wrong in the last step on a row or on candidates, also where there is a token, and what it saw in them.
    const status& last_status() const noexcept { return self().state().last_status(); }
    /// What accepting the last token led to; nothing where the last sample gave none.
    const step& last_step() const noexcept { return self().state().last_step(); }
    /// Under numerics::llama: of how many rows this chain has chosen a token, and for how many of them it had to make a
    /// candidate for every token, as llama.cpp does, because the quicker way could not decide. Both 0 under other
    /// numerics.
    replay_counts replays() const noexcept { return self().state().machine().replays(); }
    /// The plan that present parameters lead to, for rows of `row_size` logits.
    plan present_plan(std::size_t row_size = 1u << 17) const noexcept {
        decltype(auto) stages = self().view();
        return stages.plan_for_row(row_size);
    }

    // ---- setting up

    /// Whether the chain suits a vocabulary of that many tokens: the first parameter without meaning, or else the first
    /// id that a stage names (a bias, a ban, a breaker, an end) and that vocabulary does not have, or a share below 0,
    /// which keeps one token. Steps do not need it: parameters are looked at in each, and ids outside a row are
    /// ignored. O(ids named).
    status(check)(std::size_t vocabulary_size) const noexcept {
        decltype(auto) stages = self().view();
        const status s = (stages.check)();
        return s.ok() ? stages.check_at_setup(vocabulary_size) : s;
    }

    // ---- memory

    /// Allocates for rows of `row_size` logits, so that sampling them allocates nothing; and for `tokens` accepted
    /// tokens, for chains with last_n = -1, or beyond 2^20, which keep them all. row_too_long over 2^31 - 1 logits;
    /// out_of_memory or storage_too_small where there is not as much, or over 2^31 - 1 tokens.
    status reserve(std::size_t row_size, std::size_t tokens = 0) noexcept {
        decltype(auto) stages = self().view();
        return self().state().reserve(stages, row_size, tokens);
    }
    /// Bytes that use_storage needs for rows of `row_size` logits; `tokens` as in reserve. The greatest std::size_t
    /// where no memory is enough: over 2^31 - 1 logits or tokens, or more bytes than a std::size_t counts.
    std::size_t scratch_bytes(std::size_t row_size, std::size_t tokens = 0) const noexcept {
        decltype(auto) stages = self().view();
        return self().state().scratch_bytes(stages, row_size, tokens);
    }
    /// From now on the chain lives in memory of the caller and never on the heap: a greater row gets storage_too_small.
    /// The bytes must outlive the chain's use and not overlap those in use before; copies of the chain go to the heap,
    /// and assigning to this one stays here. The history is kept.
    status use_storage(std::span<std::byte> bytes, std::size_t row_size, std::size_t tokens = 0) noexcept {
        decltype(auto) stages = self().view();
        return self().state().use_storage(stages, bytes, row_size, tokens);
    }

private:
    Chain& self() noexcept { return static_cast<Chain&>(*this); }
    const Chain& self() const noexcept { return static_cast<const Chain&>(*this); }
    static constexpr void require_selector() noexcept {
        if constexpr (requires { Chain::has_selector; })
            static_assert(
                Chain::has_selector,
                "riffle: sample and peek need a selector as the last stage (greedy, dist, gumbel, or your own)");
    }
};

}  // namespace riffle
