#pragma once
#include <array>
#include <cstddef>

#include <riffle/chain/plan.hpp>
#include <riffle/chain/stage_contract.hpp>
#include <riffle/chain/stage_functions.hpp>
#include <riffle/chain/stage_state.hpp>
#include <riffle/core/checkpoint.hpp>
#include <riffle/core/facts.hpp>
#include <riffle/core/policies.hpp>

// What a list of stages must satisfy to be a chain: one rule a function, one sentence a rule.

namespace riffle::inline RIFFLE_ABI::detail {

template <class... Stages>
constexpr bool selector_is_last() {
    constexpr std::size_t count = sizeof...(Stages);
    const std::array<bool, count> selects{(facts_of<Stages>().selects != selecting::no)...};
    for (std::size_t i = 0; i + 1 < count; ++i)
        if (selects[i]) return false;
    return true;
}

/// Whether stage i may follow the stages ahead of it: what narrows may leave a constraint nothing. (Others that mask
/// only take away what the constraint would not miss less for it.)
constexpr bool may_constrain(const facts* of, std::size_t i) noexcept {
    for (std::size_t j = 0; of[i].constrains && j < i; ++j)
        if (of[j].narrows != narrowing::no && !of[j].masks) return false;
    return true;
}
template <class... Stages>
constexpr bool constraints_are_ahead() {
    const std::array<facts, sizeof...(Stages)> all{facts_of<Stages>()...};
    for (std::size_t i = 0; i < all.size(); ++i)
        if (!may_constrain(all.data(), i)) return false;
    return true;
}

template <class S>
constexpr bool verbs_are_noexcept() {
    bool all = true;
    if constexpr (requires(const S& s, candidates& c, const draws& d) { s.apply(c, d); })
        all &= requires(const S& s, candidates& c, const draws& d) {
            { s.apply(c, d) } noexcept;
        };
    else if constexpr (requires(const S& s, candidates& c) { s.apply(c); })
        all &= requires(const S& s, candidates& c) {
            { s.apply(c) } noexcept;
        };
    if constexpr (has_edits<S>)
        all &= requires(const S& s) {
            { s.edits() } noexcept;
        };
    if constexpr (has_bias<S>)
        all &= requires(const S& s) {
            { s.bias(token_id{}) } noexcept;
        };
    if constexpr (accepts_with_origin<S>)
        all &= requires(S& s) {
            { s.accept(token_id{}, token_origin::prompt) } noexcept;
        };
    else if constexpr (has_accept<S>)
        all &= requires(S& s) {
            { s.accept(token_id{}) } noexcept;
        };
    if constexpr (has_reset<S>)
        all &= requires(S& s) {
            { s.reset() } noexcept;
        };
    if constexpr (requires(const S& s) { (s.check)(); })
        all &= requires(const S& s) {
            { (s.check)() } noexcept;
        };
    if constexpr (requires(S& s) { s.rollback(s.mark()); })
        all &= requires(S& s) {
            { s.mark() } noexcept;
            { s.rollback(s.mark()) } noexcept;
        };
    if constexpr (maps_with_parameters<S, lanes<4>>)
        all &= requires(const S& s, const lanes<4>& v) {
            { s.parameters() } noexcept;
            { S::map(v, std::array<lanes<4>, parameter_count<S>>{}) } noexcept;
        };
    if constexpr (maps_plainly<S, lanes<4>>)
        all &= requires(const lanes<4>& v) {
            { S::map(v) } noexcept;
        };
    return all;
}

template <class S>
constexpr bool has_one_verb() {
    if constexpr (has_built_in_facts<S>) return true;
    else return has_map<S> + has_edits<S> + has_bias<S> + (has_apply<S> || has_drawing_apply<S>) == 1;
}

template <class Policies>
constexpr bool has_its_arithmetic() {
    if constexpr (Policies::arithmetic != numerics::llama) return true;
    else return requires { sizeof(stage_ops_maker<Policies>); };
}

template <class Policies, class... Stages>
constexpr bool chain_is_well_formed() {
    static_assert(detail::has_its_arithmetic<Policies>(),
                  "riffle: numerics::llama needs #include <riffle/llama_exact.hpp>");
    static_assert(sizeof...(Stages) > 0, "riffle: a chain needs at least one stage");
    static_assert(sizeof...(Stages) <= max_stages, "riffle: a chain has at most 32 stages");
    static_assert((std::is_class_v<Stages> && ...),
                  "riffle: a chain is made of stages, as top_k{.k = 40}; what stands here is no stage");
    if constexpr ((std::is_class_v<Stages> && ...)) {
        static_assert((verbs_are_riffles<Stages>() && ...) && (keeps_its_facts<Stages>() && ...));
        static_assert(
            (stage<Stages> && ...),
            "riffle: a stage needs one of the verbs apply, map, edits or bias, const and with riffle's signatures");
    }
    if constexpr ((stage<Stages> && ...)) {
        static_assert(selector_is_last<Stages...>(), "riffle: a selector must be the last stage of a chain");
        static_assert(
            constraints_are_ahead<Stages...>(),
            "riffle: a constraint must stand ahead of every stage that narrows, which might leave it no legal "
            "token");
        static_assert(
            (verbs_are_noexcept<Stages>() && ...),
            "riffle: the verbs of a stage must be noexcept, because nothing on the way from logits to token throws");
        static_assert(
            (has_one_verb<Stages>() && ...),
            "riffle: a stage has one of the verbs apply, map, edits and bias; make two stages of one that has more");
        static_assert(((!has_accept<Stages> || has_reset<Stages>)&&...),
                      "riffle: a stage with accept needs a reset, so that a chain can begin anew");
        static_assert((stage_state<Policies, Stages>::can_be_saved && ...),
                      "riffle: a stage with accept must be trivially copyable, or have a trivially copyable mark() and "
                      "a rollback(mark), so that a chain can go back");
        static_assert((std::size_t{0} + ... + stage_state<Policies, Stages>::saved) <= checkpoint::stage_bytes,
                      "riffle: what stages with accept keep may take 64 bytes in a mark; give them a smaller mark() "
                      "and a rollback(mark)");
    }
    return true;
}

}  // namespace riffle::detail
