// Where chains are cut between device and processor.

#include <gtest/gtest.h>

#include <riffle/gpu/host/chain_on_device.hpp>
#include <riffle/riffle.hpp>

namespace riffle_tests::spirv_plans {
namespace {

using namespace riffle;
using gpu::device_end;

template <class... Stages>
constexpr gpu::device_plan plan_of = gpu::chain_on_device<pipeline<reproducible, Stages...>>::plan;

struct even_ids {
    void apply(candidates& c) const noexcept {
        c.keep_if([](const token_data& t) { return t.id % 2 == 0; });
    }
};
struct doubled {
    template <class V>
    static V map(const V& logit) noexcept {
        return logit + logit;
    }
};
/// A map with more parameters than a request has room for.
template <std::size_t N>
struct polynomial {
    std::array<float, N> parameters() const noexcept { return {}; }
    template <class V>
    static V map(const V& logit, const std::array<V, N>& p) noexcept {
        V sum = p[0];
        for (std::size_t i = 1; i < N; ++i) sum = sum * logit + p[i];
        return sum;
    }
};

// All of it.
static_assert(plan_of<top_k, top_p, min_p, temperature, dist>.stages == 5);
static_assert(plan_of<top_k, top_p, min_p, temperature, dist>.chooses_token());
static_assert(plan_of<greedy>.chooses_token());
static_assert(plan_of<doubled, gumbel>.stages == 2);
static_assert(plan_of<typical, top_a, dist>.stages == 3);
static_assert(plan_of<penalties, logit_bias, mask, dist>.edits);
static_assert(plan_of<polynomial<gpu::most_parameters>, dist>.chooses_token());
// The processor goes on with what is left.
static_assert(plan_of<min_p, mirostat_v2>.stages == 1);
static_assert(plan_of<min_p, dynamic_temperature, dist>.stages == 1);
static_assert(plan_of<min_p, dynamic_temperature, dist>.end == device_end::no_form);
static_assert(plan_of<top_k, temperature, even_ids, dist>.stages == 2);
static_assert(plan_of<min_p, adaptive_p>.stages == 1);
static_assert(plan_of<top_k, logit_bias, dist>.stages == 1);
static_assert(plan_of<top_k, logit_bias, dist>.end == device_end::late_edit);
// Nothing would be left out, so there is nothing to gain.
static_assert(!plan_of<tail_free, dist>.is_useful());
static_assert(!plan_of<temperature, adaptive_p>.is_useful() || plan_of<temperature, adaptive_p>.narrows);
static_assert(!plan_of<soft_cap, even_ids, top_k, dist>.is_useful());
static_assert(!plan_of<soft_cap, penalties, dist>.is_useful());
static_assert(!plan_of<polynomial<gpu::most_parameters + 1>, dist>.is_useful());
static_assert(plan_of<top_k, polynomial<gpu::most_parameters + 1>, dist>.stages == 1);
// A part of a chain.
static_assert(plan_of<top_k, top_p>.stages == 2 && plan_of<top_k, top_p>.end == device_end::no_stages_left);
// llama.cpp's forms are for the processor.

TEST(DevicePlan, IsKnownWhileCompiling) { SUCCEED(); }

TEST(DevicePlan, RequestsLieOneBehindTheOther) {
    using on_device = gpu::chain_on_device<pipeline<reproducible, soft_cap, top_k, gumbel>>;
    constexpr auto& layout = on_device::layout;
    static_assert(layout.words_per_stage == gpu::stage_word::parameters + gpu::noise_parameters);
    static_assert(layout.stage(0) == gpu::request_word::count);
    static_assert(layout.words == layout.stage(2) + layout.words_per_stage);
}

}  // namespace
}  // namespace riffle_tests::spirv_plans
