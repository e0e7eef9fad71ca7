#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>

#include <riffle/chain/pipeline.hpp>
#include <riffle/chain/superset.hpp>
#include <riffle/gpu/host/device_plan.hpp>
#include <riffle/gpu/host/emitted_words.hpp>
#include <riffle/gpu/host/kernel_options.hpp>
#include <riffle/gpu/host/row_layout.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// What a device does of a chain, settled while compiling: which stages, and how their requests lie.
template <class Pipeline>
struct chain_on_device;

/// The chain's module, and one made otherwise (module_words.hpp).
template <class Pipeline>
std::span<const std::uint32_t> module_words() noexcept;
template <class Pipeline>
emitted_words make_module_words(const kernel_options& options) noexcept;

template <class Policies, class... Stages>
struct chain_on_device<pipeline<Policies, Stages...>> {
    using chain_type = pipeline<Policies, Stages...>;
    RIFFLE_LOCAL static constexpr std::array<device_stage, sizeof...(Stages)> stages{device_stage_of<Stages>...};
    RIFFLE_LOCAL static constexpr device_plan plan = make_device_plan(stages);
    RIFFLE_LOCAL static constexpr std::span<const device_stage> device_stages{stages.data(), plan.stages};
    RIFFLE_LOCAL static constexpr request_layout layout{device_stages};
    /// numerics::fast lets the device have its own exp and log, and contract.
    RIFFLE_LOCAL static constexpr kernel_options options{.module = {.precise = Policies::arithmetic != numerics::fast}};

    static std::span<const std::uint32_t> words() noexcept { return module_words<chain_type>(); }
    static emitted_words make_words(const kernel_options& other) noexcept {
        return make_module_words<chain_type>(other);
    }
    /// Every chain of the type has these stages.
    static constexpr bool is_of(const chain_type&) noexcept { return true; }
    /// visit(spec, i) for the stages that run on the device.
    template <class Visit>
    static void for_each_stage(chain_type& chain, Visit visit) noexcept {
        [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            (visit(std::get<Index>(chain.stages()), Index), ...);
        }
        (std::make_index_sequence<plan.stages>());
    }
};

/// All that a device does for a chain under numerics::llama: llama.cpp's forms of stages are for the processor, which
/// is given more of the greatest logits than the first stage that narrows can keep (chain/superset.hpp).
struct greatest_logits {
    std::size_t count = 0;
    static constexpr const char* name = "greatest logits";
    static constexpr facts fact{.narrows = narrowing::rank};
    bool narrows_now() const noexcept { return true; }
    std::size_t rank() const noexcept { return count; }
};
template <class... Stages>
struct chain_on_device<pipeline<policies<numerics::llama>, Stages...>> {
    using chain_type = pipeline<policies<numerics::llama>, Stages...>;
    static constexpr bool has_superset = (gives_superset<Stages> || ...);
    RIFFLE_LOCAL static constexpr std::array<device_stage, 1> stages{device_stage_of<greatest_logits>};
    RIFFLE_LOCAL static constexpr device_plan plan{.stages = has_superset ? std::size_t{1} : 0,
                                                   .end = device_end::superset,
                                                   .narrows = true,
                                                   .passes = passes_of(stages[0]) + passes_of_results,
                                                   .sharing = sharing_of(stages)};
    RIFFLE_LOCAL static constexpr std::span<const device_stage> device_stages{stages.data(), plan.stages};
    RIFFLE_LOCAL static constexpr request_layout layout{device_stages};
    RIFFLE_LOCAL static constexpr kernel_options options{};

    static std::span<const std::uint32_t> words() noexcept { return module_words<chain_type>(); }
    static emitted_words make_words(const kernel_options& other) noexcept {
        return make_module_words<chain_type>(other);
    }
    static constexpr bool is_of(const chain_type&) noexcept { return true; }
    /// Of the chain with its present parameters; a size of 0 where no set of the greatest will do.
    static superset superset_of(const chain_type& chain) noexcept { return riffle::superset_of(chain.view()); }
    template <class Visit>
    static void for_each_stage(const chain_type& chain, Visit visit) noexcept {
        visit(greatest_logits{superset_of(chain).size}, std::size_t{0});
    }
};

}  // namespace riffle::gpu
