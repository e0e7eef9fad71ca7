#pragma once
#include <riffle/chain/no_stages.hpp>
#include <riffle/wide/mass.hpp>

namespace riffle::inline RIFFLE_ABI {

/// The table for questions about a row before any stage: its n greatest logits and its total mass.
/// (A template, so that only chains that are asked for logprobs compile it.)
template <class Base = no_stages>
class raw_row final : public Base {
public:
    explicit raw_row(std::size_t n) noexcept : n_(n) {}

    const plan& plan_for(std::size_t) const noexcept override { return greatest_and_mass; }
    using Base::mass;
    using Base::rank;
    std::size_t rank(std::size_t) const noexcept override { return n_; }
    std::uint64_t mass(std::size_t, const row& r, const float* peaks, float cut, float maximum,
                       std::uint64_t* masses) const noexcept override {
        return wide::find_mass<false>(r, peaks, cut, fold<>{}, maximum, masses);
    }

private:
    RIFFLE_LOCAL static constexpr plan greatest_and_mass = [] {
        plan p;
        p.push(pass::max, 0, 0);
        p.push(pass::mass, 0, 0);
        p.push(pass::select, 0, 0);
        return p;
    }();
    std::size_t n_;
};

}  // namespace riffle
