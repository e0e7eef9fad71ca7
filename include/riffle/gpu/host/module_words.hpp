#pragma once
#include <cstdint>
#include <span>

#include <riffle/gpu/kernels/emit.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// The chain's module, made now: for variants that a device asks for, and for maps that the compiler cannot run. 75 to
/// 150 microseconds; empty where the device has nothing to do for the chain, or the heap gives no memory.
template <class Pipeline>
emitted_words make_module_words(const kernel_options& options) noexcept {
    if constexpr (chain_on_device<Pipeline>::plan.is_useful()) {
        spirv::assembler code(options.module);
        detail::shader_of<Pipeline>::build(code, options);
        code.finish();
        return emitted_words(code);
    } else {
        return {};
    }
}

/// The chain's module: spirv_v, or where the compiler cannot run one of its maps, made once when the program first
/// asks; empty as make_module_words.
template <class Pipeline>
RIFFLE_LOCAL std::span<const std::uint32_t> module_words() noexcept {
    if constexpr (!chain_on_device<Pipeline>::plan.is_useful()) {
        return {};
    } else if constexpr (detail::builds_while_compiling<detail::shader_of<Pipeline>>(0)) {
        return spirv_v<Pipeline>;
    } else {
        static const emitted_words made = make_module_words<Pipeline>(chain_on_device<Pipeline>::options);
        return made.span();
    }
}

}  // namespace riffle::gpu
