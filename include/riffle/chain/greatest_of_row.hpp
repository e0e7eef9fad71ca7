#pragma once
#include <cstddef>

#include <riffle/chain/cpu_machine.hpp>
#include <riffle/chain/folded_passes.hpp>
#include <riffle/chain/plan.hpp>
#include <riffle/chain/stage_list.hpp>
#include <riffle/chain/stage_ops.hpp>
#include <riffle/core/facts.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Asks a row, before any stage, for its n greatest logits and its mass: a list of one stage, with a plan of its own.
/// (A template over the machine, so that only chains that are asked for logprobs compile it.)
template <class Machine>
class greatest_of_row {
public:
    explicit greatest_of_row(std::size_t n) noexcept : n_(n) {}
    greatest_of_row(const greatest_of_row&) = delete;  // it refers to itself
    greatest_of_row& operator=(const greatest_of_row&) = delete;

    stage_list stages() const noexcept { return {&stage_, 1, whole, nullptr}; }
    static const plan& to_run() noexcept { return max_mass_select; }

private:
    static std::size_t rank(const stage_ref& s) noexcept { return static_cast<const greatest_of_row*>(s.spec)->n_; }
    RIFFLE_LOCAL static constexpr stage_ops ops = [] {
        stage_ops o;
        o.fact.narrows = narrowing::rank;
        o.rank = rank;
        return o;
    }();
    RIFFLE_LOCAL static constexpr plan max_mass_select = [] {
        plan p;
        p.push(pass::max, 0, 0);
        p.push(pass::mass, 0, 0);
        p.push(pass::select, 0, 0);
        return p;
    }();
    RIFFLE_LOCAL static constexpr folded_passes passes = [] {
        folded_passes p;
        p.mass = passes_with<false>::mass;
        return p;
    }();
    RIFFLE_LOCAL static constexpr const folded_passes* for_bridge = &passes;
    RIFFLE_LOCAL static constexpr chain_facts whole{
        .plans = &max_mass_select,
        .folded = &for_bridge,
        .handlers = &handlers_of<Machine, max_mass_select.passes()>,
    };

    std::size_t n_;
    stage_ref stage_{&ops, this, nullptr, 0};
};

}  // namespace riffle::detail
