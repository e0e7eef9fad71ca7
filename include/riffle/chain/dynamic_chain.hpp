#pragma once
#include <cstddef>
#include <type_traits>
#include <utility>

#include <riffle/chain/any_pipeline.hpp>
#include <riffle/chain/chain_interface.hpp>
#include <riffle/chain/chain_rules.hpp>
#include <riffle/chain/held_stages.hpp>
#include <riffle/chain/stage_list.hpp>

namespace riffle::inline RIFFLE_ABI {

/// A chain whose stages and order are known only at run time: the same plans, passes and tokens as the pipeline of the
/// same stages, one indirect call a stage and pass. push may allocate, and is not for the hot path.
/// (A template so that including riffle does not compile it.)
template <class Policies>
class basic_dynamic_chain : public chain_interface<basic_dynamic_chain<Policies>> {
    static_assert(detail::has_its_arithmetic<Policies>(),
                  "riffle: numerics::llama needs #include <riffle/llama_exact.hpp>");

public:
    /// Appends a stage: `d.push(top_k{.k = 40})`. A stage behind a selector, or the 33rd, makes the chain answer
    /// chain_malformed; the first parameter without meaning is named here and by every step until it has one. Where
    /// there is no memory for the stage, the chain answers out_of_memory from then on, since that stage is missing;
    /// where there is none for its lists of stages, std::bad_alloc is thrown, and it is as it was.
    template <class S>
    status push(S stage) {
        stages_.push(detail::hold<Policies>(std::move(stage)));
        return look_at_stages();
    }
    /// Appends the stages of another chain, with what they keep but without its history. All of them, or none: none
    /// where push would refuse one, or where `more` is a chain that has refused one. Otherwise as push.
    status append(basic_dynamic_chain more) {
        stages_.append(std::move(more.stages_));
        return look_at_stages();
    }
    /// The i-th stage, nullptr when there is none or it is of another type: d.get_if<top_k>(0)->k = 50.
    template <class S>
    S* get_if(std::size_t i) noexcept {
        const stage_list all = view();
        return i < all.size() ? spec_as<S>(all[i]) : nullptr;
    }

    /// The stages as a machine sees them, until one is pushed. (Those of a const chain are only asked const questions.)
    stage_list view() const noexcept { return stages_.view(); }
    /// What the chain keeps besides its stages, for code that takes chains of any kind.
    chain_state& state() noexcept { return state_; }
    /// What it keeps, for reading alone.
    const chain_state& state() const noexcept { return state_; }

private:
    status look_at_stages() noexcept {
        state_.set_status((view().check)());
        state_.note_new_stages(view());
        return state_.last_status();
    }

    detail::held_stages<Policies> stages_;
    chain_state state_;
};

/// A chain put together at run time has no get: in one sentence. (So has an any_pipeline, whose chain is hidden.)
template <class S, class Policies>
S& get(const basic_dynamic_chain<Policies>&) noexcept {
    static_assert(!std::is_class_v<S>, "riffle: get needs a chain that is a type; of one put together at run time "
                                       "d.get_if<S>(i) is the i-th stage, nullptr where it is another");
}
template <class S>
S& get(const any_pipeline&) noexcept {
    static_assert(!std::is_class_v<S>, "riffle: an any_pipeline hides its stages: keep the chain itself where "
                                       "parameters change");
}

/// The one with the default policies; others are `basic_dynamic_chain<fast>` and `basic_dynamic_chain<llama_exact>`.
using dynamic_chain = basic_dynamic_chain<reproducible>;

}  // namespace riffle
