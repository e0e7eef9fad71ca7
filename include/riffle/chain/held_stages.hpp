#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include <riffle/chain/chain_rules.hpp>
#include <riffle/chain/cpu_machine.hpp>
#include <riffle/chain/folded_passes.hpp>
#include <riffle/chain/plan.hpp>
#include <riffle/chain/stage_functions.hpp>
#include <riffle/chain/stage_list.hpp>
#include <riffle/chain/stage_ops.hpp>
#include <riffle/chain/stage_state.hpp>
#include <riffle/core/checkpoint.hpp>
#include <riffle/core/policies.hpp>
#include <riffle/core/status.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// The table of a stage on the heap, which its list can also copy and delete.
struct held_stage_ops : stage_ops {
    /// Without a spec where there is no memory. Throws what copying the spec throws.
    stage_ref (*clone)(const stage_ref&) = nullptr;
    void (*destroy)(const stage_ref&) noexcept = nullptr;
};

/// A stage on the heap: what the chain keeps for it, and the spec.
template <class Policies, class S>
struct held_stage : stage_state<Policies, S>::type {
    static_assert(chain_is_well_formed<Policies, S>());
    using state_type = typename stage_state<Policies, S>::type;

    explicit held_stage(S&& stage) noexcept(std::is_nothrow_move_constructible_v<S>)
        : state_type(stage_state<Policies, S>::begin(stage)), spec(std::move(stage)) {}

    static held_stage& in(const stage_ref& s) noexcept {
        return static_cast<held_stage&>(*static_cast<state_type*>(s.state));
    }
    static stage_ref refer_to(held_stage* held) noexcept {
        if (!held) return {};
        return {&ops, &held->spec, static_cast<state_type*>(held), 0};
    }
    static stage_ref clone(const stage_ref& s) { return refer_to(new (std::nothrow) held_stage(in(s))); }
    static void destroy(const stage_ref& s) noexcept { delete &in(s); }
    RIFFLE_LOCAL static constexpr held_stage_ops ops{
        stage_ops_maker<Policies>::template make<S, maps_written_out::yes>(), clone, destroy};

    /// Aligned as the state is too: else a compiler may put it into the padding at the state's end, which is saved and
    /// restored as part of the state.
    alignas(state_type) alignas(S) S spec;
};
template <class Policies, class S>
stage_ref hold(S stage) noexcept(std::is_nothrow_move_constructible_v<S>) {
    using held = held_stage<Policies, S>;
    return held::refer_to(new (std::nothrow) held(std::move(stage)));
}

/// Stages put together at run time, which it owns. It has the facts that a chain of types has and asks the same
/// function for its plans; maps are not folded into exp but written out first, as the plan says.
template <class Policies>
class held_stages {
    static constexpr bool is_exact = Policies::arithmetic == numerics::llama;

public:
    held_stages() = default;
    // delegates, so that what was pushed is freed on a throw
    held_stages(const held_stages& other) : held_stages() {
        for (const stage_ref& s : other.stages_) push(ops_of(s).clone(s));
        ring_ = other.ring_;
        if (state_.ok()) state_ = other.state_;  // a stage that could not be cloned stays known
    }
    held_stages(held_stages&& other) noexcept { swap(other); }
    /// Copies first: where a stage's copy throws, nothing has changed. (Two operators and not one that takes a value:
    /// of such a one compilers would deduce that assigning a chain throws nothing.)
    held_stages& operator=(const held_stages& other) {
        held_stages copy(other);
        swap(copy);
        return *this;
    }
    held_stages& operator=(held_stages&& other) noexcept {
        held_stages taken(std::move(other));
        swap(taken);
        return *this;
    }
    ~held_stages() {
        for (const stage_ref& s : stages_) ops_of(s).destroy(s);
    }

    /// Appends a stage of hold(), which it owns from now on. A stage after a selector, one too many or one that keeps
    /// too much is not taken; from then on every step answers the status given here. Where this throws, nothing has
    /// changed.
    status push(stage_ref s) {
        if (!s.spec) return state_ = status_code::out_of_memory;
        owner one{s};
        if (take(&s, 1)) one.held = {};
        return state_;
    }
    /// Takes all stages of another list as push takes one, or none.
    status append(held_stages more) {
        if (!more.state_.ok()) return state_ = more.state_;
        if (take(more.stages_.data(), more.stages_.size())) more.stages_.clear();
        return state_;
    }
    std::size_t size() const noexcept { return stages_.size(); }
    stage_list view() const noexcept {
        return {stages_.data(), stages_.size(), facts_, const_cast<std::byte*>(ring_.data()), &state_};
    }

private:
    struct owner {
        stage_ref held;
        ~owner() {
            if (held.spec) ops_of(held).destroy(held);
        }
    };
    static const held_stage_ops& ops_of(const stage_ref& s) noexcept {
        return static_cast<const held_stage_ops&>(*s.ops);
    }

    bool refuse(const char* what, const char* field, std::size_t value, const char* rule) noexcept {
        state_ = status::invalid(what, field, double(value), rule, status_code::chain_malformed);
        return false;
    }
    /// Whether the stages are this list's from now on.
    bool take(const stage_ref* more, std::size_t count) {
        // Whatever may throw comes first: then nothing has changed.
        std::array<facts, max_stages> all_facts{};
        const std::size_t size = stages_.size() + count;
        if (size > max_stages) return refuse("chain", "stages", size, "are more than the 32 that a chain may have");
        chain_facts joined = facts_of_none;
        for (std::size_t i = 0; i < size; ++i) {
            const stage_ops& ops = *(i < stages_.size() ? stages_[i] : more[i - stages_.size()]).ops;
            if (i > 0 && i >= stages_.size() && all_facts[i - 1].selects != selecting::no)
                return refuse(ops.name, "place", i + 1, "is behind the selector, which comes last");
            all_facts[i] = ops.fact;
            if (i >= stages_.size() && !may_constrain(all_facts.data(), i))
                return refuse(ops.name, "place", i + 1, "is behind a stage that narrows, and a constraint comes first");
            joined.add(ops);
        }
        if (joined.saved_bytes > checkpoint::stage_bytes)
            return refuse("chain", "bytes", joined.saved_bytes, "are kept by its stages, and a mark holds 64");
        std::vector<plan> plans;
        for (std::size_t bridge = 0; bridge <= size; ++bridge)
            plans.push_back(is_exact ? make_exact_plan(size) : make_plan(all_facts.data(), size, bridge, folding::no));
        stages_.reserve(size);
        ring_.resize(joined.saved_bytes * stage_list::saved_states);

        for (std::size_t i = 0; i < count; ++i) {
            stages_.push_back(more[i]);
            stages_.back().occurrence =
                occurrence_of(stages_.size() - 1, [&](std::size_t j) -> const stage_ops& { return *stages_[j].ops; });
        }
        plans_.swap(plans);
        joined.plans = plans_.data();
        facts_ = joined;
        return true;
    }
    void swap(held_stages& other) noexcept {
        stages_.swap(other.stages_);
        plans_.swap(other.plans_);
        ring_.swap(other.ring_);
        std::swap(facts_, other.facts_);
        std::swap(state_, other.state_);
    }

    RIFFLE_LOCAL static constexpr std::array<const folded_passes*, max_stages + 1> folded = [] {
        std::array<const folded_passes*, max_stages + 1> all{};
        for (auto& passes : all) passes = &passes_without_maps<Policies>::all;
        return all;
    }();
    RIFFLE_LOCAL static constexpr plan plan_of_none =
        is_exact ? make_exact_plan(0) : make_plan(nullptr, 0, 0, folding::no);
    static constexpr std::uint64_t exact = std::uint64_t{1} << unsigned(pass::exact),
                                   passes = is_exact ? exact : ~exact;
    RIFFLE_LOCAL static constexpr chain_facts facts_of_none{&plan_of_none, folded.data(),
                                                            &handlers_of<cpu_machine, passes>, Policies::arithmetic};

    std::vector<stage_ref> stages_;
    std::vector<plan> plans_;
    std::vector<std::byte> ring_;
    chain_facts facts_ = facts_of_none;
    status state_;
};

}  // namespace riffle::detail
