#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include <riffle/core/candidates.hpp>
#include <riffle/core/draws.hpp>
#include <riffle/core/status.hpp>
#include <riffle/math/lanes.hpp>

namespace riffle::inline RIFFLE_ABI {

/// How a stage cuts the candidates down, and so which passes can do it from the row.
enum class narrowing : std::uint8_t {
    no,
    rank,        ///< the k first in rank
    threshold,   ///< logit >= maximum + constant
    deviation,   ///< logit >= maximum - n deviations
    mass,        ///< a share of the total mass
    legal,       ///< a mask
    likelihood,  ///< logit >= a cut that follows from the softmax statistics of all candidates
    searched,    ///< a set that follows from the softmax statistics, looked for from the greatest logit downwards
    head,        ///< the k first in rank, k following from the softmax statistics and the first few
};

/// How a selector chooses.
enum class selecting : std::uint8_t {
    no,
    greatest,             ///< the first in rank
    by_mass,              ///< inverse CDF
    by_noise,             ///< the greatest logit plus noise keyed by token
    by_own_distribution,  ///< inverse CDF of a distribution that the stage makes of the one it meets
    own,                  ///< the stage's own apply sets `selected`
};

/// What the plan has to know of a stage. A user's stage gets its facts from the members it has (facts_of).
struct facts {
    bool edits = false;            ///< changes the logits of a few ids
    bool dense_edits = false;      ///< bias(token_id): may change every logit, one call a token
    bool maps = false;             ///< elementwise map
    bool monotone = false;         ///< that never falls
    bool masks = false;            ///< makes tokens illegal by id
    bool constrains = false;       ///< masks so that a stage that narrows ahead of it might leave it nothing
    bool adjusts = false;          ///< changes logits once their softmax statistics are known: maps, or removes a few
    bool applies = false;          ///< has nothing but a narrow verb: ahead of the bridge it needs a candidate a token
    bool sees_weightless = false;  ///< searches among tokens that weigh nothing too
    bool needs_all = false;        ///< searches among all tokens that weigh something at once, or it finds nothing
    bool needs_sorted = false;     ///< wants its candidates in the order of ranks
    bool needs_p = false;          ///< wants p normalised
    bool keeps_sorted = false;     ///< leaves sorted candidates sorted
    bool draws = false;            ///< takes random numbers
    narrowing narrows = narrowing::no;
    selecting selects = selecting::no;
    std::uint8_t softmax_parts = 0;  ///< the softmax statistics it asks for besides maximum and mass: softmax_part
    friend bool operator==(const facts&, const facts&) = default;

    /// Whether a selector cuts or bends the distribution that it draws from.
    constexpr bool makes_its_distribution() const noexcept {
        return narrows != narrowing::no || selects == selecting::by_own_distribution;
    }
};

/// A bias on the logit of one token: added to it; -inf makes the token illegal. Layout of llama_logit_bias.
struct logit_bias_entry {
    token_id token;
    float bias;
};

namespace detail {
class row;
}
class context;
struct softmax_statistics;

namespace detail {

template <class S>
inline constexpr std::size_t parameter_count = std::tuple_size_v<decltype(std::declval<const S&>().parameters())>;
template <class S>
    requires requires(const S& s, const softmax_statistics& l) { s.parameters(l); }
inline constexpr std::size_t parameter_count<S> =
    std::tuple_size_v<decltype(std::declval<const S&>().parameters(std::declval<const softmax_statistics&>()))>;

template <class S, class V>
concept maps_with_parameters = requires(const S& s, const V& v) {
    s.parameters();
    { S::map(v, std::array<V, parameter_count<S>>{}) } -> std::same_as<V>;
};
template <class S, class V>
concept maps_plainly = requires(const V& v) {
    { S::map(v) } -> std::same_as<V>;
};

}  // namespace detail

// The verbs a stage may have. A user's stage has one of apply, map, edits and bias, and may have accept(token), or
// accept(token, origin), beside reset; can_accept(token), or can_accept(token, origin); mark and rollback; and check.
//
// A built-in stage states its facts in a table (`fact`) and, for each fact that needs one, answers what a machine asks
// (chain/stage_contract.hpp has the signatures, and says what is missing):
//
//   narrows    narrows_now(): whether it does with the present parameters; and by
//              rank: rank()
//              threshold: cut(maximum), keeps_at_least()
//              deviation: cut(maximum, moments)
//              mass: target(total), or with a context; keeps_at_least()
//              legal: legal_now()
//              likelihood: cut(softmax_statistics), keeps_at_least()
//              searched: keep(candidates, softmax_statistics, floor)
//              head: rank(), rank(softmax_statistics, first candidates, state)
//   edits      edits(), or change(row or candidates, context); and window() into the history
//   adjusts    parameters(softmax_statistics) and adjusts_now() beside a map; or apply(candidates) and adjust(row,
//   block
//              maxima, softmax_statistics), and adjusts_now(), or with draws, where it may have nothing to do
//   selects    where it narrows too: a state, and choose(candidates, draws, state) among what is left;
//              by_own_distribution: shape(softmax_statistics, state), weigh(candidates, softmax_statistics, state),
//              prepare(candidates, state), and choose
//   draws      kind, the number of its stream (stream_kind), and a field `seed`
//   keeps      a nested `state`, trivially copyable: what the chain keeps for it. Its verbs then take a const state&
//              as their last argument (legal_now(state, context) as its first), and accept(state&, token, choice), or
//              with the history behind, is the only place where that changes; can_accept(state, token, history) says
//              beforehand that it refuses a token
//   all        name; check() for parameters that can be without meaning, check_at_setup(known) for ids among them and
//              for values that nobody means

/// map(value), or map(value, parameters) beside parameters(): elementwise.
template <class S>
concept has_map = detail::maps_with_parameters<S, lanes<4>> || detail::maps_plainly<S, lanes<4>>;
/// map(value, parameters) beside parameters(softmax_statistics): elementwise once the softmax statistics are
/// known. Built-in stages only.
template <class S>
concept has_measured_map =
    requires(const S& s, const softmax_statistics& l) { s.parameters(l); } && requires(const lanes<4>& v) {
        { S::map(v, std::array<lanes<4>, detail::parameter_count<S>>{}) } -> std::same_as<lanes<4>>;
    };
/// edits(): biases for a few ids.
template <class S>
concept has_edits = requires(const S& s) {
    { s.edits() } -> std::convertible_to<std::span<const logit_bias_entry>>;
};
/// bias(id): a bias asked for every token.
template <class S>
concept has_bias = requires(const S& s) {
    { s.bias(token_id{}) } -> std::same_as<float>;
};
/// A nested state that the chain keeps for the stage. Built-in stages only.
template <class S>
concept has_state = requires { typename S::state; };
/// change(row or candidates, context): edits that depend on what was accepted. Built-in stages only.
template <class S>
concept has_contextual_edit = requires(const S& s, detail::row& r, candidates& c, const context& x) {
    s.change(r, x);
    s.change(c, x);
};
/// window(): how many of the accepted tokens it looks back on. Built-in stages only.
template <class S>
concept has_window = requires(const S& s) { s.window(); };
/// apply(candidates, context): the narrow verb of a stage that looks at what was accepted. Built-in stages only.
template <class S>
concept has_contextual_apply = requires(const S& s, candidates& c, const context& x) { s.apply(c, x); };
/// apply(candidates): the narrow verb.
template <class S>
concept has_apply = requires(const S& s, candidates& c) { s.apply(c); };
/// apply(candidates, draws): the narrow verb with random numbers.
template <class S>
concept has_drawing_apply = requires(const S& s, candidates& c, const draws& d) { s.apply(c, d); };
/// accept(token), or accept(token, origin): state of its own.
template <class S>
concept has_accept = requires(S& s, token_id token) { s.accept(token); } ||
                     requires(S& s, token_id token) { s.accept(token, token_origin::prompt); };
/// reset(): back to the beginning.
template <class S>
concept has_reset = requires(S& s) { s.reset(); };
/// A table of facts: a stage of riffle's own.
template <class S>
concept has_built_in_facts = requires {
    { S::fact } -> std::convertible_to<facts>;
};

/// A stage has at least one verb that riffle knows.
template <class S>
concept stage = has_map<S> || has_edits<S> || has_bias<S> || has_contextual_edit<S> || has_apply<S> ||
                has_drawing_apply<S> || has_built_in_facts<S>;

namespace detail {

template <class S>
constexpr bool claims_monotone() {
    if constexpr (requires { S::monotone; }) return S::monotone;
    else return false;
}
template <class S>
constexpr bool claims_selector() {
    if constexpr (requires { S::selects; }) return S::selects;
    else return false;
}
template <class S>
constexpr bool claims_needs_sorted() {
    if constexpr (requires { S::needs_sorted; }) return S::needs_sorted;
    else return false;
}
template <class S>
constexpr bool claims_needs_p() {
    if constexpr (requires { S::needs_p; }) return S::needs_p;
    else return false;
}
template <class S>
constexpr bool claims_keeps_sorted() {
    if constexpr (requires { S::keeps_sorted; }) return S::keeps_sorted;
    else return false;
}
/// A selector that draws by another distribution than the softmax of its candidates, and can make that distribution of
/// them.
template <class S>
concept has_distribution_of_its_own = requires(const S& s, candidates& c) {
    { s.prepare(c) } noexcept;
};

}  // namespace detail

/// The facts of a stage: its own table where it is built in, else what its members say. A user's stage may say
/// `static constexpr bool monotone`, `selects` (its apply sets `selected`), `needs_sorted`, `needs_p` and
/// `keeps_sorted`. A selector may have `void prepare(candidates&) const noexcept`: it gives the candidates the logits
/// of the distribution that apply draws from, for distribution() and logprobs(); without it they show the softmax of
/// what it is given.
template <class S>
constexpr facts facts_of() {
    if constexpr (has_built_in_facts<S>) {
        return S::fact;
    } else {
        facts f;
        f.maps = has_map<S>;
        f.monotone = f.maps && detail::claims_monotone<S>();
        f.edits = !f.maps && has_edits<S>;
        f.dense_edits = !f.maps && !f.edits && has_bias<S>;
        f.applies = !f.maps && !f.edits && !f.dense_edits;
        f.draws = f.applies && has_drawing_apply<S>;
        f.needs_sorted = detail::claims_needs_sorted<S>();
        f.needs_p = detail::claims_needs_p<S>();
        f.keeps_sorted = detail::claims_keeps_sorted<S>();
        if (f.applies && detail::claims_selector<S>()) f.selects = selecting::own;
        return f;
    }
}

}  // namespace riffle
