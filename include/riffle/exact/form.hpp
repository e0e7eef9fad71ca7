#pragma once
#include <cstdint>

#include <riffle/core/candidates.hpp>
#include <riffle/core/context.hpp>
#include <riffle/core/policies.hpp>
#include <riffle/core/row.hpp>
#include <riffle/core/status.hpp>
#include <riffle/exact/workspace.hpp>

namespace riffle::inline RIFFLE_ABI::exact {

/// What a form may look at and use besides its candidates.
struct form_context {
    const context& past;  ///< what was accepted
    workspace& memory;    ///< scratch within one apply
};

/// How llama.cpp 0.7.0 runs the sampler that a stage describes, exactly: the same order of candidates, the same bits of
/// logits and p, the same size and sorted flag, the same selected index and the same random words drawn. What riffle's
/// own form of a stage promises (ties to the lowest id, nothing below -inf chosen) does not hold here; where the two
/// differ llama.cpp is right. Exact means: as a build of llama.cpp for x86-64 with libstdc++, on the same C library.
///
/// A specialisation is a set of static functions:
///
///     struct state {...};     only where the sampler has any; explicit state(const Spec&)
///     static status_code apply(const Spec&, state&, candidates&, form_context&) noexcept;
///     static void accept(const Spec&, state&, token_id) noexcept;    only where it does something; may answer a step
///     static void reset(const Spec&, state&) noexcept;
///     struct mark {...};      trivially copyable: what has to be kept to come back to a state between two tokens
///     static mark save(const state&) noexcept;
///     static void restore(const Spec&, state&, const mark&) noexcept;
///
/// Those without state have `apply(const Spec&, candidates&, form_context&)` and nothing else. A copy of a state is
/// llama.cpp's clone; a move keeps everything.
///
/// check(const Spec&), a status, says which parameters have no meaning there; without it the stage's own check does.
///
/// A form may have a second one, on the row of logits, for chains in which all tokens are still there:
///
///     static row_answer apply_to_row(const Spec&, state&, full_row&, candidates& found,
///                                    const context&) noexcept;
///
/// It either changes the row as llama.cpp would change its candidates (stays), or leaves in `found` what llama.cpp
/// would have left (narrowed; a selector has set `selected`), or answers undecided, with row and state as they were:
/// then llama.cpp's way is gone, from this stage on, with a candidate for every token.
///
/// apply answers no_legal_token where llama.cpp would abort (no candidates), or would sort NaN, which is undefined: a
/// logit that came in is never NaN, but inf - inf and inf / inf are. It answers out_of_memory when the workspace finds
/// none. A selector's choice may be illegal (-inf): llama.cpp's would be too. Whoever runs a chain looks at it.
template <class Spec>
struct form;

/// Whether a stage has one.
template <class Spec>
concept has_form = requires { sizeof(form<Spec>); };

/// What became of a row.
enum class row_answer : std::uint8_t { stays, narrowed, undecided };

}  // namespace riffle::exact
