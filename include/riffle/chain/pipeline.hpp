#pragma once
#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <riffle/chain/chain_interface.hpp>
#include <riffle/chain/chain_rules.hpp>
#include <riffle/chain/typed_stages.hpp>
#include <riffle/core/policies.hpp>

namespace riffle::inline RIFFLE_ABI {
/// A chain of sampler stages as one type, nameable and so a possible member. Made by chain(...), with<>(...) and `|`.
/// Copying it clones it, history and draws included; the copy's scratch is its own. Copies throw what those of the
/// stages throw; where there is no memory for the history, a copy answers out_of_memory until it is reset. See
/// chain_interface for what it does.
template <class Policies, class... Stages>
class pipeline : public chain_interface<pipeline<Policies, Stages...>> {
    static_assert(detail::chain_is_well_formed<Policies, Stages...>());
    using types = detail::chain_of_types<Policies, Stages...>;
    static constexpr bool moves_throw_nothing = (std::is_nothrow_move_constructible_v<Stages> && ...);

public:
    using policies_type = Policies;                                ///< of the whole chain
    static constexpr std::size_t stage_count = sizeof...(Stages);  ///< the selector included
    /// Whether it can sample; without, it can be applied to candidates and be a part of other chains.
    static constexpr bool has_selector = ((facts_of<Stages>().selects != selecting::no) || ...);

    /// last_status() tells of the first parameter without meaning.
    explicit pipeline(Stages... stages) noexcept(moves_throw_nothing)
        : pipeline(std::tuple<Stages...>(std::move(stages)...)) {}
    /// Of stages in a tuple, as stages() has them. last_status() tells of the first parameter without meaning.
    explicit pipeline(std::tuple<Stages...> stages) noexcept(moves_throw_nothing)
        requires(sizeof...(Stages) > 0)
        : stages_(std::move(stages)), kept_(types::begin(stages_)) {
        check_parameters();
    }

    /// A clone that goes on by itself.
    pipeline(const pipeline&) = default;
    /// Takes stages, history and scratch along.
    pipeline(pipeline&&) = default;
    /// Where copying a stage throws, this chain is as it was, unless a stage's moves throw too.
    pipeline& operator=(const pipeline& other) noexcept(std::is_nothrow_copy_assignable_v<std::tuple<Stages...>>) {
        if constexpr (std::is_nothrow_copy_assignable_v<std::tuple<Stages...>>) stages_ = other.stages_;
        else stages_ = std::tuple<Stages...>(other.stages_);
        kept_ = other.kept_;
        ring_ = other.ring_;
        state_ = other.state_;
        return *this;
    }
    /// Takes stages and history along; a chain that was given storage stays in it.
    pipeline& operator=(pipeline&&) = default;
    ~pipeline() = default;

    /// The plan when stage `bridge` is the first that narrows; stage_count for a chain in which none does.
    static constexpr const plan& plan_for(std::size_t bridge) noexcept { return types::plans[bridge]; }

    /// The specs. Parameters may change between steps.
    std::tuple<Stages...>& stages() noexcept { return stages_; }
    /// The specs, for reading alone.
    const std::tuple<Stages...>& stages() const noexcept { return stages_; }

    /// For code that takes chains of any kind: the stages as a machine sees them, and the chain's state.
    detail::typed_stages<stage_count> view() const noexcept {
        auto& self = const_cast<pipeline&>(*this);  // a const chain's stages are only asked const questions
        return {types(), self.stages_, self.kept_, self.ring_.data()};
    }
    /// What the chain keeps besides its stages: history, memory, the last status.
    chain_state& state() noexcept { return state_; }
    /// What it keeps, for reading alone.
    const chain_state& state() const noexcept { return state_; }

private:
    void check_parameters() noexcept {
        status first;
        [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            (check_one(std::get<Index>(stages_), first), ...);
        }(std::index_sequence_for<Stages...>());
        state_.set_status(first);
        if constexpr (Policies::arithmetic == numerics::llama) {
            const auto stages = view();
            state_.note_new_stages(stages);
        }
    }
    template <class S>
    static void check_one(const S& stage, status& first) noexcept {
        if (first.ok()) first = (detail::stage_ops_maker<Policies>::check)(stage);
    }

    std::tuple<Stages...> stages_;
    [[no_unique_address]] typename types::kept_states kept_;
    [[no_unique_address]] detail::state_ring<types::saved_bytes> ring_;
    chain_state state_;
};

namespace detail {

template <class T>
inline constexpr bool is_pipeline = false;
template <class P, class... S>
inline constexpr bool is_pipeline<pipeline<P, S...>> = true;

/// A chain, or a stage of riffle's own.
template <class T>
concept is_composed = is_pipeline<T> || has_built_in_facts<T>;

template <class T>
auto as_stages(T&& value) {
    if constexpr (is_pipeline<std::remove_cvref_t<T>>) return std::forward<T>(value).stages();
    else return std::tuple<std::remove_cvref_t<T>>(std::forward<T>(value));
}
template <class P, class... S>
pipeline<P, S...> make_pipeline(std::tuple<S...> stages) {
    return pipeline<P, S...>(std::move(stages));
}

/// The policies of a chain, and the default ones for a stage.
template <class T>
struct policies_of {
    using type = reproducible;
};
template <class P, class... S>
struct policies_of<pipeline<P, S...>> {
    using type = P;
};

/// A chain among the stages gives up the default policies for those around it, and no others.
template <class Policies, class S>
constexpr bool policies_agree() {
    using of_stage = typename policies_of<S>::type;
    return std::is_same_v<of_stage, reproducible> || std::is_same_v<of_stage, Policies>;
}
template <class A, class B>
using joined_policies = std::conditional_t<std::is_same_v<typename policies_of<A>::type, reproducible>,
                                           typename policies_of<B>::type, typename policies_of<A>::type>;

/// Whether get<S> has an answer; where it has none, that is one sentence, and no error behind it.
template <class S, class... Stages>
constexpr bool occurs_once() noexcept {
    constexpr std::size_t occurrences = (std::size_t{0} + ... + std::is_same_v<S, Stages>);
    static_assert(occurrences != 0, "riffle: this chain has no such stage");
    static_assert(
        occurrences < 2,
        "riffle: this stage occurs more than once; say which by its place, get<0>(chain) being the first stage");
    return occurrences == 1;
}

template <std::size_t Index, class... Stages>
constexpr std::size_t place_in() noexcept {
    static_assert(Index < sizeof...(Stages), "riffle: the chain has fewer stages");
    return Index < sizeof...(Stages) ? Index : 0;
}

}  // namespace detail

/// A chain of these stages, in this order; chains among them are taken apart, so nesting leaves no trace.
/// `chain<fast>(...)` chooses the policies; a chain inside may have the same or the default ones.
template <class Policies = reproducible, class... Stages>
auto chain(Stages... stages) {
    static_assert((detail::policies_agree<Policies, Stages>() && ...),
                  "riffle: a chain inside this one has other policies; say which hold for all with chain<...>(...) or "
                  "with<...>(...)");
    if constexpr ((!detail::is_pipeline<Stages> && ...)) return pipeline<Policies, Stages...>(std::move(stages)...);
    else return detail::make_pipeline<Policies>(std::tuple_cat(detail::as_stages(std::move(stages))...));
}

/// The stages of a chain, or one stage, under other policies: with<fast>(a | b).
template <class Policies, class Stage>
auto with(Stage stage) {
    return detail::make_pipeline<Policies>(detail::as_stages(std::move(stage)));
}

/// `a | b | c` is chain(a, b, c). One of the first two must be riffle's, or the compiler does not look here; what the
/// other one lacks is then said in a sentence.
template <class A, class B>
    requires(detail::is_composed<A> || detail::is_composed<B> || (stage<A> && stage<B>))
auto operator|(A a, B b) {
    return chain<detail::joined_policies<A, B>>(std::move(a), std::move(b));
}

/// A stage of a chain, by its type: get<top_k>(c).k = 50 takes effect with the next step.
template <class S, class P, class... Stages>
S& get(pipeline<P, Stages...>& c) noexcept {
    if constexpr (detail::occurs_once<S, Stages...>()) return std::get<S>(c.stages());
    else return *static_cast<S*>(nullptr);  // does not compile
}
template <class S, class P, class... Stages>
const S& get(const pipeline<P, Stages...>& c) noexcept {
    if constexpr (detail::occurs_once<S, Stages...>()) return std::get<S>(c.stages());
    else return *static_cast<const S*>(nullptr);  // does not compile
}
/// A stage of a chain, by its place.
template <std::size_t Index, class P, class... Stages>
auto& get(pipeline<P, Stages...>& c) noexcept {
    return std::get<detail::place_in<Index, Stages...>()>(c.stages());
}
template <std::size_t Index, class P, class... Stages>
const auto& get(const pipeline<P, Stages...>& c) noexcept {
    return std::get<detail::place_in<Index, Stages...>()>(c.stages());
}

}  // namespace riffle
