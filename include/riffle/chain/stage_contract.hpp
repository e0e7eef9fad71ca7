#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <riffle/chain/stage_state.hpp>
#include <riffle/core/byte_set.hpp>
#include <riffle/core/candidates.hpp>
#include <riffle/core/last_choice.hpp>
#include <riffle/core/context.hpp>
#include <riffle/core/draws.hpp>
#include <riffle/core/facts.hpp>
#include <riffle/core/history.hpp>
#include <riffle/core/legal_tokens.hpp>
#include <riffle/core/row.hpp>
#include <riffle/core/softmax_statistics.hpp>
#include <riffle/wide/moments.hpp>

// What each fact of a stage demands of its members: one concept and one sentence a fact. The plan believes the facts,
// so a stage that says more than it can do is refused here and not found out by its tokens. Then the verbs of a user's
// stage that are nearly riffle's.

namespace riffle::inline RIFFLE_ABI::detail {

/// What a chain keeps for a stage, as the stage's verbs are given it.
template <class S>
struct state_argument {
    using type = nothing_kept;
};
template <class S>
    requires has_state<S>
struct state_argument<S> {
    using type = typename S::state;
};
template <class S>
using state_of = typename state_argument<S>::type;

template <class S>
concept says_when_it_narrows = requires(const S& s) {
    { s.narrows_now() } noexcept -> std::same_as<bool>;
};
template <class S>
concept says_how_many_it_keeps_at_least = requires(const S& s) {
    { s.keeps_at_least() } noexcept -> std::same_as<std::size_t>;
};
template <class S>
concept cuts_by_rank = requires(const S& s) {
    { s.rank() } noexcept -> std::same_as<std::size_t>;
};
template <class S>
concept cuts_by_threshold = requires(const S& s, float maximum) {
    { s.cut(maximum) } noexcept -> std::same_as<float>;
};
template <class S>
concept cuts_by_deviation = requires(const S& s, float maximum, const moments& m) {
    { s.cut(maximum, m) } noexcept -> std::same_as<float>;
};
template <class S>
concept cuts_by_mass = requires(const S& s, std::uint64_t total) {
    { s.target(total) } noexcept -> std::same_as<std::uint64_t>;
};
template <class S>
concept cuts_by_mass_and_context = requires(const S& s, std::uint64_t total, const context& x) {
    { s.target(total, x) } noexcept -> std::same_as<std::uint64_t>;
};
template <class S>
concept cuts_by_likelihood = requires(const S& s, const softmax_statistics& of_all) {
    { s.cut(of_all) } noexcept -> std::same_as<float>;
};
template <class S>
concept cuts_by_likelihood_and_state = requires(const S& s, const softmax_statistics& of_all, const state_of<S>& kept) {
    { s.cut(of_all, kept) } noexcept -> std::same_as<float>;
};
template <class S>
concept searches = requires(const S& s, candidates& c, const softmax_statistics& of_all, float floor) {
    { s.keep(c, of_all, floor) } noexcept -> std::same_as<bool>;
};
template <class S>
concept cuts_by_head =
    requires(const S& s, const softmax_statistics& of_all, candidates& head, const state_of<S>& kept) {
        { s.rank() } noexcept -> std::same_as<std::size_t>;
        { s.rank(of_all, head, kept) } noexcept -> std::same_as<std::size_t>;
    };
template <class S>
concept says_what_is_legal = requires(const S& s) {
    { s.legal_now() } noexcept -> std::same_as<legal_tokens>;
};
template <class S>
concept says_what_is_legal_by_state = has_state<S> && requires(const S& s, const state_of<S>& kept, const context& x) {
    { s.legal_now(kept, x) } noexcept -> std::same_as<legal_tokens>;
};

/// Edits that depend on what was accepted, and on the stage's state where it has one.
template <class S, class Logits>
concept changes = requires(const S& s, Logits& of, const context& x) {
    { s.change(of, x) } noexcept;
} || requires(const S& s, Logits& of, const context& x, const state_of<S>& kept) {
    { s.change(of, x, kept) } noexcept;
};
template <class S>
concept edits_a_few = has_edits<S> || (changes<S, detail::row> && changes<S, candidates>);

template <class S>
concept applies_somehow = has_apply<S> || has_drawing_apply<S> || has_contextual_apply<S>;
template <class S>
concept adjusts_by_softmax =
    requires(const S& s, detail::row& r, const float* block_maxima, const softmax_statistics& of_row) {
        { s.adjust(r, block_maxima, of_row) } noexcept;
    };
template <class S>
concept adjusts_by_map = has_measured_map<S> && requires(const S& s) {
    { s.adjusts_now() } noexcept -> std::same_as<bool>;
};
template <class S>
concept adjusts_somehow = adjusts_by_map<S> || (applies_somehow<S> && adjusts_by_softmax<S>);

template <class S>
concept chooses = requires(const S& s, candidates& c, const draws& random, const state_of<S>& kept) {
    { s.choose(c, random, kept) } noexcept;
};
template <class S>
concept prepares_by_state = requires(const S& s, candidates& c, const state_of<S>& kept) {
    { s.prepare(c, kept) } noexcept;
};
template <class S>
concept shapes = requires(const S& s, candidates& c, const softmax_statistics& of_all, const state_of<S>& kept) {
    { s.shape(of_all, kept) } noexcept;
    { s.weigh(c, of_all, kept) } noexcept -> std::same_as<std::uint64_t>;
};
template <class S>
concept has_random_numbers = requires(const S& s) {
    { std::uint64_t(s.seed) };
    { std::uint8_t(S::kind) };
};
template <class S>
concept learns_from_choices = requires(const S& s, state_of<S>& kept, token_id token, const last_choice* last) {
    { s.accept(kept, token, last) } noexcept -> std::same_as<step>;
};
template <class S>
concept learns_from_history =
    requires(const S& s, state_of<S>& kept, token_id token, const last_choice* last, const history& tokens) {
        { s.accept(kept, token, last, tokens) } noexcept -> std::same_as<step>;
    };

template <class S>
concept accepts_with_origin = requires(S& s, token_id token) { s.accept(token, token_origin::prompt); };
template <class S>
concept answers_a_step = requires(S& s, token_id token) {
    { s.accept(token) } -> std::same_as<step>;
} || requires(S& s, token_id token) {
    { s.accept(token, token_origin::prompt) } -> std::same_as<step>;
};
/// Knows which bytes of the text may come next. Built-in stages only.
template <class S>
concept expects_bytes = has_built_in_facts<S> && requires(const S& s) {
    { s.expected_bytes() } noexcept -> std::same_as<byte_set>;
};
template <class S>
concept asks_plainly = requires(const S& s, token_id token) {
    { s.can_accept(token) } noexcept -> std::same_as<status>;
};
template <class S>
concept asks_with_origin = requires(const S& s, token_id token) {
    { s.can_accept(token, token_origin::prompt) } noexcept -> std::same_as<status>;
};
template <class S>
concept asks_by_state =
    has_state<S> && requires(const S& s, const state_of<S>& kept, token_id token, const history& tokens) {
        { s.can_accept(kept, token, tokens) } noexcept -> std::same_as<status>;
    };

template <class S>
constexpr bool cuts_as_it_says() {
    constexpr facts f = facts_of<S>();
    static_assert(f.narrows == narrowing::no || f.narrows == narrowing::legal || says_when_it_narrows<S>,
                  "riffle: a stage whose facts say that it narrows needs `bool narrows_now() const noexcept`");
    static_assert(f.narrows != narrowing::rank || cuts_by_rank<S>,
                  "riffle: narrowing::rank needs `std::size_t rank() const noexcept`");
    static_assert(f.narrows != narrowing::threshold || (cuts_by_threshold<S> && says_how_many_it_keeps_at_least<S>),
                  "riffle: narrowing::threshold needs `float cut(float maximum) const noexcept` and `std::size_t "
                  "keeps_at_least() const noexcept`");
    static_assert(f.narrows != narrowing::deviation || cuts_by_deviation<S>,
                  "riffle: narrowing::deviation needs `float cut(float maximum, const moments&) const noexcept`");
    static_assert(f.narrows != narrowing::mass ||
                      ((cuts_by_mass<S> || cuts_by_mass_and_context<S>)&&says_how_many_it_keeps_at_least<S>),
                  "riffle: narrowing::mass needs `std::uint64_t target(std::uint64_t total) const noexcept`, or with a "
                  "`const context&` behind, and `std::size_t keeps_at_least() const noexcept`");
    static_assert(f.narrows != narrowing::likelihood ||
                      ((cuts_by_likelihood<S> || cuts_by_likelihood_and_state<S>)&&says_how_many_it_keeps_at_least<S>),
                  "riffle: narrowing::likelihood needs `float cut(const softmax_statistics&) const noexcept`, or with "
                  "a `const state&` behind, and `std::size_t keeps_at_least() const noexcept`");
    static_assert(f.narrows != narrowing::searched || searches<S>,
                  "riffle: narrowing::searched needs `bool keep(candidates&, const softmax_statistics&, float floor) "
                  "const noexcept`");
    static_assert(f.narrows != narrowing::head || (cuts_by_head<S> && has_state<S>),
                  "riffle: narrowing::head needs a nested `state`, `std::size_t rank() const noexcept` and "
                  "`std::size_t rank(const softmax_statistics&, candidates& head, const state&) const noexcept`");
    static_assert((f.narrows == narrowing::legal) == f.masks,
                  "riffle: a stage that masks says narrowing::legal, and no other does");
    static_assert(!f.masks || says_what_is_legal<S> || says_what_is_legal_by_state<S>,
                  "riffle: a stage that masks needs `legal_tokens legal_now() const noexcept`, or `legal_tokens "
                  "legal_now(const state&, const context&) const noexcept` where it has a state");
    return true;
}

template <class S>
constexpr bool changes_logits_as_it_says() {
    constexpr facts f = facts_of<S>();
    static_assert(!f.maps || has_map<S>,
                  "riffle: a stage that maps needs `template <class V> static V map(const V& logit) noexcept`, or with "
                  "`const std::array<V, N>&` behind and `std::array<float, N> parameters() const noexcept` beside it");
    static_assert(!f.monotone || f.maps, "riffle: only a stage that maps can be monotone");
    static_assert(!(f.maps || has_measured_map<S>) || f.narrows == narrowing::no || cuts_by_rank<S>,
                  "riffle: a map that narrows too needs `std::size_t rank() const noexcept`");
    static_assert(!f.edits || edits_a_few<S>,
                  "riffle: a stage that edits needs `std::span<const logit_bias_entry> edits() const noexcept`, or "
                  "`template <class Logits> void change(Logits&, const context&) const noexcept`, with a `const "
                  "state&` behind where it has a state");
    static_assert(!f.dense_edits || has_bias<S>,
                  "riffle: a stage with dense edits needs `float bias(token_id) const noexcept`");
    static_assert(!f.adjusts || adjusts_somehow<S>,
                  "riffle: a stage that adjusts needs `parameters(const softmax_statistics&)` and `bool adjusts_now() "
                  "const noexcept` beside its map, or `void adjust(detail::row&, const float* block_maxima, const "
                  "softmax_statistics&) const noexcept` beside an apply");
    static_assert(!f.applies || f.selects != selecting::no || applies_somehow<S>,
                  "riffle: a stage that applies needs `void apply(candidates&) const noexcept`, or with `const "
                  "draws&` or `const context&` behind");
    return true;
}

template <class S>
constexpr bool chooses_as_it_says() {
    constexpr facts f = facts_of<S>();
    static_assert(!f.draws || !has_built_in_facts<S> || has_random_numbers<S>,
                  "riffle: a stage that draws needs a field `seed` and `static constexpr std::uint8_t kind`");
    static_assert(f.selects == selecting::no || chooses<S> || applies_somehow<S>,
                  "riffle: a selector needs `void apply(candidates&) const noexcept`, or with `const draws&` behind");
    static_assert(f.selects == selecting::no || f.narrows == narrowing::no || (chooses<S> && has_state<S>),
                  "riffle: a selector that narrows needs a nested `state` and `void choose(candidates&, const draws&, "
                  "const state&) const noexcept`, which chooses among what is left");
    static_assert(f.selects != selecting::by_own_distribution || (shapes<S> && prepares_by_state<S> && chooses<S>),
                  "riffle: selecting::by_own_distribution needs `shape(const softmax_statistics&, const state&)`, "
                  "`std::uint64_t weigh(candidates&, const softmax_statistics&, const state&)`, `prepare(candidates&, "
                  "const state&)` and `choose(candidates&, const draws&, const state&)`, const and noexcept");
    static_assert(!has_built_in_facts<S> || !has_state<S> || learns_from_choices<S> || learns_from_history<S>,
                  "riffle: a stage with a state needs `step accept(state&, token_id, const last_choice*) const "
                  "noexcept`, or with `const history&` behind: nothing else may change it");
    return true;
}

/// Whether a stage can do what its facts say; a sentence where not.
template <class S>
constexpr bool keeps_its_facts() {
    return cuts_as_it_says<S>() && changes_logits_as_it_says<S>() && chooses_as_it_says<S>();
}

// A member function with the name of a verb, but not as riffle would call it, is a mistake: it would never be called.

template <class Member>
concept is_function = std::is_member_function_pointer_v<Member> ||
                      (std::is_pointer_v<Member> && std::is_function_v<std::remove_pointer_t<Member>>);
template <class S>
concept names_apply = requires { requires is_function<decltype(&S::apply)>; };
template <class S>
concept names_edits = requires { requires is_function<decltype(&S::edits)>; };
template <class S>
concept names_bias = requires { requires is_function<decltype(&S::bias)>; };
template <class S>
concept names_prepare = requires { requires is_function<decltype(&S::prepare)>; };
template <class S>
concept names_accept = requires { requires is_function<decltype(&S::accept)>; };
template <class S>
concept names_reset = requires { requires is_function<decltype(&S::reset)>; };
template <class S>
concept names_check = requires { requires is_function<decltype(&S::check)>; };
template <class S>
concept checks = requires(const S& s) {
    { (s.check)() } -> std::same_as<status>;
};
template <class S>
concept names_rollback = requires { requires is_function<decltype(&S::rollback)>; };
template <class S>
concept goes_back_to_its_mark = requires(S& s, const S& same) { s.rollback(same.mark()); };
template <class S>
concept names_can_accept = requires { requires is_function<decltype(&S::can_accept)>; };
template <class S>
concept names_map = requires { requires is_function<decltype(&S::map)>; } ||
                    requires { requires is_function<decltype(&S::template map<lanes<4>>)>; };
/// An apply that takes its candidates by value, or const: it could change nothing.
template <class S>
concept applies_to_a_copy =
    names_apply<S> && (
                          requires(const S& s, const candidates& c) { s.apply(c); } ||
                          requires(const S& s, const candidates& c, const draws& d) { s.apply(c, d); });

/// Whether the verbs of a user's stage are riffle's, and not nearly so; a sentence where not.
template <class S>
constexpr bool verbs_are_riffles() {
    if constexpr (!has_built_in_facts<S>) {
        static_assert(!applies_to_a_copy<S>,
                      "riffle: apply takes its candidates by reference, `void apply(riffle::candidates&) const "
                      "noexcept`; what it did to a copy would be lost");
        static_assert(!names_apply<S> || applies_somehow<S>,
                      "riffle: apply is `void apply(riffle::candidates&) const noexcept`, or with `const "
                      "riffle::draws&` behind; this one riffle cannot call");
        static_assert(!names_map<S> || has_map<S>,
                      "riffle: map is `template <class V> static V map(const V& logit) noexcept`, or with `const "
                      "std::array<V, N>&` behind and `std::array<float, N> parameters() const noexcept` beside it; "
                      "this one riffle cannot call");
        static_assert(!names_edits<S> || has_edits<S>,
                      "riffle: edits is `std::span<const riffle::logit_bias_entry> edits() const noexcept`; this one "
                      "riffle cannot call");
        static_assert(!names_can_accept<S> || asks_plainly<S> || asks_with_origin<S>,
                      "riffle: can_accept is `riffle::status can_accept(riffle::token_id) const noexcept`, or with "
                      "`riffle::token_origin` behind; this one riffle cannot call");
        static_assert(!names_bias<S> || has_bias<S>,
                      "riffle: bias is `float bias(riffle::token_id) const noexcept`; this one riffle cannot call");
        static_assert(!names_prepare<S> || has_distribution_of_its_own<S>,
                      "riffle: prepare is `void prepare(riffle::candidates&) const noexcept`; this one riffle cannot "
                      "call");
        static_assert(!names_accept<S> || has_accept<S>,
                      "riffle: accept is `void accept(riffle::token_id) noexcept`, or with `riffle::token_origin` "
                      "behind, and may answer a riffle::step; this one riffle cannot call");
        static_assert(!names_reset<S> || has_reset<S>,
                      "riffle: reset is `void reset() noexcept`; this one riffle cannot call");
        static_assert(!names_check<S> || checks<S>,
                      "riffle: check is `riffle::status check() const noexcept`; this one riffle cannot call");
        static_assert(!names_rollback<S> || goes_back_to_its_mark<S>,
                      "riffle: rollback is `void rollback(mark) noexcept`, or answers a bool, beside `mark() const "
                      "noexcept` that gives what it takes; this one riffle cannot call");
    }
    return true;
}

}  // namespace riffle::detail
