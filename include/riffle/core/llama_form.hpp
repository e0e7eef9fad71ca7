#pragma once
#include <riffle/core/candidates.hpp>
#include <riffle/core/context.hpp>
#include <riffle/core/policies.hpp>
#include <riffle/core/row.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/workspace.hpp>

namespace riffle::inline RIFFLE_ABI::exact {

/// What a form may look at and use besides its candidates.
struct surroundings {
    const context& past;  ///< what was accepted
    workspace& memory;    ///< scratch within one apply
};

/// How llama.cpp 0.7.0 runs the sampler that a stage describes, exactly: the same order of candidates, the same bits of
/// logits and p, the same size and sorted flag, the same selected index and the same random words drawn. What riffle's
/// own form of a stage promises (ties to the lowest id, nothing below -inf chosen) does not hold here; where the two
/// differ the peer is right. Exact means: as a build of llama.cpp for x86-64 with libstdc++, on the same C library.
///
/// A specialisation is a set of static functions:
///
///     struct state {...};     only where the sampler has any; explicit state(const Spec&)
///     static status_code apply(const Spec&, state&, candidates&, surroundings&) noexcept;
///     static void accept(const Spec&, state&, token_id) noexcept;    only where it does something; may answer a step
///     static void reset(const Spec&, state&) noexcept;
///     struct mark {...};      trivially copyable: what has to be kept to come back to a state between two tokens
///     static mark save(const state&) noexcept;
///     static void restore(const Spec&, state&, const mark&) noexcept;
///
/// Those without state have `apply(const Spec&, candidates&, surroundings&)` and nothing else. A copy of a state is the
/// peer's clone; a move keeps everything.
///
/// check(const Spec&), a status, says which parameters have no meaning there; without it the stage's own check does.
///
/// A form may have a second one, on the row of logits, for chains in which all tokens are still there:
///
///     static row_answer apply_to_row(const Spec&, state&, wide::llama_row&, candidates& found, const context&)
///     noexcept;
///
/// It either changes the row as the peer would change its candidates (stays), or leaves in `found` what the peer would
/// have left (narrowed; a selector has set `selected`), or answers undecided, with row and state as they were: then the
/// peer's way is gone, from this stage on, with a candidate for every token.
///
/// apply answers no_legal_token where the peer would abort (no candidates), or would sort NaN, which is undefined: a
/// logit that came in is never NaN, but inf - inf and inf / inf are. It answers out_of_memory when the workspace finds
/// none. A selector's choice may be illegal (-inf): the peer's would be too. Whoever runs a chain looks at it.
template <class Spec>
struct form;

/// What became of a row.
enum class row_answer { stays, narrowed, undecided };

/// Defined where the forms are: a chain under numerics::llama asks for them.
template <class Policies>
struct forms_are_included;

}  // namespace riffle::exact

namespace riffle::inline RIFFLE_ABI::detail {

/// Whether a chain with these policies runs a stage as llama.cpp does.
template <class Policies, class S>
inline constexpr bool runs_as_llama = false;
template <class Policies, class S>
    requires(Policies::arithmetic == numerics::llama && requires { sizeof(exact::form<S>); })
inline constexpr bool runs_as_llama<Policies, S> = true;

}  // namespace riffle::detail
