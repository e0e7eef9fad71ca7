#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>

#include <riffle/chain/pipeline.hpp>
#include <riffle/gpu/kernels/device_plan.hpp>
#include <riffle/gpu/kernels/row_layout.hpp>

namespace riffle::gpu {

/// What a device does of a chain, settled while compiling: which stages, and how their requests lie.
template <class Pipeline>
struct chain_on_device;

/// The chain's module (module_words.hpp).
template <class Pipeline>
std::span<const std::uint32_t> module_words() noexcept;

template <class Policies, class... Stages>
struct chain_on_device<pipeline<Policies, Stages...>> {
    /// llama.cpp's forms of stages are for the processor.
    static constexpr bool as_peer = Policies::arithmetic == numerics::llama;
    static constexpr std::array<device_stage, sizeof...(Stages)> stages{device_stage_of<Stages>...};
    static constexpr device_plan plan = as_peer ? device_plan{} : make_device_plan(stages);
    static constexpr std::span<const device_stage> device_stages{stages.data(), plan.stages};
    static constexpr request_layout layout{device_stages};

    using chain_type = pipeline<Policies, Stages...>;
    static std::span<const std::uint32_t> words() noexcept { return module_words<chain_type>(); }
    /// visit(spec, i) for the stages that run on the device.
    template <class Visit>
    static void for_each_stage(chain_type& chain, Visit visit) noexcept {
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (visit(std::get<I>(chain.stages()), I), ...);
        }(std::make_index_sequence<plan.stages>());
    }
};

}  // namespace riffle::gpu
