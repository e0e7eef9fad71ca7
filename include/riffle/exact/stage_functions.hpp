#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <type_traits>

#include <riffle/chain/stage_functions.hpp>
#include <riffle/chain/stage_ops.hpp>
#include <riffle/chain/stage_state.hpp>
#include <riffle/core/candidates.hpp>
#include <riffle/core/context.hpp>
#include <riffle/core/policies.hpp>
#include <riffle/core/status.hpp>
#include <riffle/exact/form.hpp>
#include <riffle/exact/full_row.hpp>
#include <riffle/exact/workspace.hpp>
#include <riffle/wide/candidate_row.hpp>

// What stages answer in chains under numerics::llama: those that have a form run by it, others as in any chain.

namespace riffle::inline RIFFLE_ABI::detail {

/// What the form of a stage keeps: generators and averages.
template <class Policies, class S>
    requires(Policies::arithmetic == numerics::llama && exact::has_form<S> &&
             requires { typename exact::form<S>::state; })
struct stage_state<Policies, S> {
    using form = exact::form<S>;
    using type = typename form::state;
    using mark = typename form::mark;
    static constexpr bool changes = true;
    static constexpr bool has_generator = requires(S& spec) { spec.seed += 1; };
    static constexpr bool can_be_saved = std::is_trivially_copyable_v<mark>;
    static constexpr std::size_t saved = sizeof(mark);
    static constexpr bool is_read_again = false;

    static type begin(const S& spec) noexcept { return type(spec); }
    static void reset(S& spec, type& kept) noexcept { form::reset(spec, kept); }
    /// Another seed, and its stream from the beginning.
    static void fork(S& spec, type& kept, std::uint16_t sequence) noexcept {
        mark m = form::save(kept);
        m.words = 0;
        spec.seed += sequence;
        form::reset(spec, kept);
        form::restore(spec, kept, m);
    }
    static void save(const S&, const type& kept, std::byte* to) noexcept {
        const mark m = form::save(kept);
        std::memcpy(to, &m, sizeof m);
    }
    static bool restore(const S& spec, type& kept, const std::byte* from) noexcept {
        mark m = form::save(kept);
        std::memcpy(&m, from, sizeof m);
        form::restore(spec, kept, m);
        return true;
    }
};

template <class Policies, class S>
    requires(Policies::arithmetic == numerics::llama && has_built_in_facts<S> && has_state<S> && !exact::has_form<S>)
struct stage_state<Policies, S> : own_state<S> {};

/// What a stage answers in such a chain, whether it has a form or not.
template <class Policies, class S>
struct exact_functions : stage_functions<Policies, S> {
    using base = stage_functions<Policies, S>;
    using base::spec;

    static std::size_t spare_bytes(const stage_ref& s, std::size_t candidates) noexcept {
        std::size_t biases = 0;
        if constexpr (requires { spec(s).edits(); }) biases = std::size(spec(s).edits());
        return exact::workspace::bytes_for(candidates, biases);
    }
    /// Of a stage without a form, behind others that may have made NaN and left their flag standing.
    static status_code narrow(const stage_ref& s, candidates& c, const context& x) noexcept {
        wide::make_candidates_canonical(c);
        c.sorted = c.sorted && std::is_sorted(c.begin(), c.end(), ranks_before);
        return base::narrow(s, c, x);
    }
};

/// What a stage that has a form answers.
template <class Policies, class S>
struct form_functions : exact_functions<Policies, S> {
    using base = stage_functions<Policies, S>;
    using base::spec;
    using base::spec_to_change;
    using base::state_to_change;
    using form = exact::form<S>;
    static constexpr bool has_check = requires(const S& s) { (form::check)(s); };

    static status(check)(const stage_ref& s) noexcept { return (form::check)(spec(s)); }
    /// A window of -1 is off in llama.cpp.
    static std::int32_t window(const stage_ref& s) noexcept { return (std::max)(base::window(s), std::int32_t{0}); }
    /// What is kept changes here, as it does there.
    static status_code narrow(const stage_ref& s, candidates& c, const context& x) noexcept {
        exact::workspace memory;
        memory.use(x.spare());
        exact::form_context around{x, memory};
        if constexpr (requires { form::apply(spec(s), c, around); }) return form::apply(spec(s), c, around);
        else return form::apply(spec(s), state_to_change(s), c, around);
    }
    static exact::row_answer apply_to_row(const stage_ref& s, exact::full_row& r, candidates& found,
                                          const context& x) noexcept {
        if constexpr (requires { form::apply_to_row(spec(s), state_to_change(s), r, found, x); })
            return form::apply_to_row(spec(s), state_to_change(s), r, found, x);
        else return form::apply_to_row(spec(s), r, found, x);
    }
    static step accept(const stage_ref& s, token_id token, const last_choice*, const history&) noexcept {
        if constexpr (requires { step(form::accept(spec_to_change(s), state_to_change(s), token)); })
            return form::accept(spec_to_change(s), state_to_change(s), token);
        else if constexpr (requires { form::accept(spec_to_change(s), state_to_change(s), token); })
            form::accept(spec_to_change(s), state_to_change(s), token);
        return {};
    }
};

/// A form that says what the stage's state is says what accepting does to it; other stages say that themselves.
template <class S>
concept form_keeps_state = requires { typename exact::form<S>::state; };

template <class Policies>
    requires(Policies::arithmetic == numerics::llama)
struct stage_ops_maker<Policies> {
    template <class S, maps_written_out>
    static constexpr stage_ops make() {
        stage_ops ops;
        add_facts<Policies, S>(ops);
        add_state_functions<Policies, S, form_keeps_state<S>>(ops);
        add_superset_functions<Policies, S>(ops);
        ops.spare_bytes = exact_functions<Policies, S>::spare_bytes;
        if constexpr (!exact::has_form<S>) {
            ops.narrow = exact_functions<Policies, S>::narrow;
        } else {
            using functions = form_functions<Policies, S>;
            if constexpr (functions::has_check) ops.check = functions::check;
            if constexpr (has_window<S>) ops.window = functions::window;
            ops.narrow = functions::narrow;
            if constexpr (requires { &exact::form<S>::apply_to_row; }) ops.apply_to_row = functions::apply_to_row;
            if constexpr (form_keeps_state<S>) ops.accept = functions::accept;
        }
        return ops;
    }
    template <class S>
    static status(check)(const S& stage) noexcept {
        if constexpr (exact::has_form<S>)
            if constexpr (form_functions<Policies, S>::has_check) return (exact::form<S>::check)(stage);
        return checked(stage);
    }
};

}  // namespace riffle::detail
