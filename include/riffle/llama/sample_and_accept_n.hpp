#pragma once
#include <cstddef>
#include <cstdint>
#include <llama.h>
#include <span>

#include <riffle/core/token.hpp>
#include <riffle/llama/context.hpp>
#include <riffle/speculative/verifying/speculator.hpp>
#include <riffle/speculative/verifying/verified.hpp>
#include <riffle/speculative/verifying/verifiers.hpp>

namespace riffle::inline RIFFLE_ABI::llama {

namespace detail {

/// The rows of an evaluated batch where they lie. A row that the context does not have is empty.
template <class Context>
class rows_of_context {
public:
    rows_of_context(Context* of, std::span<const std::int32_t> indices) noexcept
        : context_(of), indices_(indices), columns_(vocabulary_size(of)) {}
    std::size_t size() const noexcept { return indices_.size(); }
    std::span<const float> operator()(std::size_t i) const noexcept {
        const float* const row = llama_get_logits_ith(context_, indices_[i]);
        return row ? std::span<const float>(row, columns_) : std::span<const float>();
    }

private:
    Context* context_;
    std::span<const std::int32_t> indices_;
    std::size_t columns_;
};

}  // namespace detail

/// A round of verification on an evaluated batch: speculator::verify on the context's rows as they lie, with no copy of
/// them. indices[0] is that of llama_get_logits_ith for the token that the text got last, the next ones for the drafted
/// tokens in their order (a tree's nodes by number): draft_batch::indices(). What is decided is accepted by the chain.
/// Fails as verify does, and with empty_row where the context has no logits for an index, as where samplers in its
/// graph take them. `proposed` is a draft or a draft_tree; `ends` are tokens that end the text.
///
///     speculator<rejection> verifier({.seed = 7});
///     const verified& round = llama::sample_and_accept_n(chain, context, batch.indices(), proposed, verifier);
template <class Chain, class Draft, class Verifier>
const verified& sample_and_accept_n(Chain& chain, llama_context* context, std::span<const std::int32_t> indices,
                                    const Draft& proposed, speculator<Verifier>& by,
                                    std::span<const token_id> ends = {}) noexcept {
    return (by.verify)(chain, proposed, detail::rows_of_context<llama_context>(context, indices), ends);
}

/// What became of one round, with the memory of its tokens.
template <class Verifier>
class single_round : public verified {
public:
    /// By sample_and_accept_n.
    template <class Verify>
    single_round(const Verifier& how, Verify verify_by) noexcept : by_(how) {
        static_cast<verified&>(*this) = verify_by(by_);
    }

private:
    speculator<Verifier> by_;
};

/// A round without a speculator that is kept, by `match` or another verifier with its parameters. Allocates. A loop
/// keeps a speculator instead.
///
///     const auto round = llama::sample_and_accept_n(chain, context, batch.indices(), proposed);
template <class Chain, class Draft, class Verifier = match>
single_round<Verifier> sample_and_accept_n(Chain& chain, llama_context* context,
                                           std::span<const std::int32_t> indices, const Draft& proposed,
                                           const Verifier& how = {}, std::span<const token_id> ends = {}) noexcept {
    return {how, [&](speculator<Verifier>& by) -> const verified& {
                return sample_and_accept_n(chain, context, indices, proposed, by, ends);
            }};
}

}  // namespace riffle::llama
