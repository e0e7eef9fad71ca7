#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <riffle/chain/dynamic_chain.hpp>
#include <riffle/chain/stage_list.hpp>
#include <riffle/chain/stage_type.hpp>
#include <riffle/gpu/host/device_plan.hpp>
#include <riffle/gpu/host/module_words.hpp>
#include <riffle/gpu/host/row_layout.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// What a device does of a chain that was put together at run time, and its module, made then: by the plan and the
/// kernel of chains that are types. `Known` are the types of stages that it may meet, a user's own among them; a stage
/// of another type, and those behind it, are left to the processor.
template <class... Known>
class dynamic_on_device {
public:
    /// Nothing.
    dynamic_on_device() noexcept = default;
    /// Of the chain as it is now, and of others with the same stages; where one is pushed later, the chain is another.
    /// Makes the module, which takes 75 to 150 microseconds. May allocate, as push does.
    template <class Policies>
    explicit dynamic_on_device(basic_dynamic_chain<Policies>& chain,
                               const kernel_options& made_with = default_options<Policies>())
        : options(made_with) {
        for (std::size_t i = 0; i < chain.view().size(); ++i) {
            device_stage described;
            described.fact = chain.view().fact(i);
            (void)(describe<Known>(chain, i, described) || ...);
            stages_.push_back(described);
            types_.push_back(&chain.view()[i].ops->type());
        }
        const std::span<const device_stage> all(stages_.data(), stages_.size());
        if (Policies::arithmetic != numerics::llama) plan = make_device_plan(all);
        device_stages = all.first(plan.stages);
        layout = request_layout(device_stages);
        if (!plan.is_useful()) return;
        words_ = make_words(options);
    }
    /// Takes the module along; the other one may only be assigned to.
    dynamic_on_device(dynamic_on_device&&) noexcept = default;
    /// Takes the module along and drops its own; the other one may only be assigned to.
    dynamic_on_device& operator=(dynamic_on_device&&) noexcept = default;

    device_plan plan;                                        ///< how far the device goes
    std::span<const device_stage> device_stages;             ///< how it does each stage that it runs
    request_layout layout{std::span<const device_stage>()};  ///< how the request of a row lies in memory

    kernel_options options;  ///< how the module was made

    /// The module in SPIR-V; empty where the device has nothing to do, or there was no memory.
    std::span<const std::uint32_t> words() const noexcept { return words_.span(); }
    /// The module made otherwise, as a device may ask for it; no words where there is no memory. Only where the plan is
    /// useful.
    emitted_words make_words(const kernel_options& other) const noexcept {
        spirv::assembler code(other.module);
        row_kernel(code, device_stages, plan, other).write();
        code.finish();
        return emitted_words(code);
    }
    /// Whether the chain has the stages that it was made for.
    template <class Policies>
    bool is_of(const basic_dynamic_chain<Policies>& chain) const noexcept {
        const stage_list stages = chain.view();
        if (stages.size() != types_.size()) return false;
        for (std::size_t i = 0; i < types_.size(); ++i)
            if (!(stages[i].ops->type() == *types_[i])) return false;
        return true;
    }
    /// visit(spec, i) for the stages that run on the device.
    template <class Policies, class Visit>
    void for_each_stage(basic_dynamic_chain<Policies>& chain, [[maybe_unused]] Visit visit) const noexcept {
        for (std::size_t i = 0; i < plan.stages; ++i) (void)(visit_as<Known>(chain, i, visit) || ...);
    }

private:
    template <class Policies>
    static constexpr kernel_options default_options() noexcept {
        return {.module = {.precise = Policies::arithmetic != numerics::fast}};
    }
    template <class S, class Policies>
    static bool describe(basic_dynamic_chain<Policies>& chain, std::size_t i, device_stage& described) noexcept {
        if (!chain.template get_if<S>(i)) return false;
        described = device_stage_of<S>;
        return true;
    }
    template <class S, class Policies, class Visit>
    static bool visit_as(basic_dynamic_chain<Policies>& chain, std::size_t i, Visit& visit) noexcept {
        S* const spec = chain.template get_if<S>(i);
        if (spec) visit(std::as_const(*spec), i);
        return spec != nullptr;
    }

    std::vector<const riffle::detail::stage_type*> types_;  ///< of all stages of the chain
    std::vector<device_stage> stages_;
    emitted_words words_;
};

}  // namespace riffle::gpu
