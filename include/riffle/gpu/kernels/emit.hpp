#pragma once
#include <cstdint>
#include <span>

#include <riffle/gpu/host/chain_on_device.hpp>
#include <riffle/gpu/host/kernel_options.hpp>
#include <riffle/gpu/kernels/row_kernel.hpp>
#include <riffle/gpu/spirv/words_of.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

namespace detail {

template <class Pipeline>
struct shader_of {
    RIFFLE_LOCAL static constexpr kernel_options options = chain_on_device<Pipeline>::options;
    static constexpr void build(spirv::assembler& code, const kernel_options& made_with = options) noexcept {
        using on_device = chain_on_device<Pipeline>;
        static_assert(on_device::plan.is_useful(),
                      "riffle: the device has nothing to do for this chain; chain_on_device<...>::plan says why");
        row_kernel(code, on_device::device_stages, on_device::plan, made_with).write();
    }
};

/// Whether the compiler can run all maps of a chain. (Asks without an error where it cannot.)
template <class Shader, std::size_t = spirv::detail::count_words<Shader>()>
constexpr bool builds_while_compiling(int) {
    return true;
}
template <class Shader>
constexpr bool builds_while_compiling(...) {
    return false;
}

}  // namespace detail

/// The chain's module as SPIR-V words, a constant: std::array<std::uint32_t, N>. Parameters are not in it, so one
/// serves all chains of the type. A user's map that is no constexpr function cannot be run by the compiler; such a
/// chain's words are made when the program runs (module_words).
template <class Pipeline>
RIFFLE_LOCAL inline constexpr auto spirv_v = spirv::words_of<detail::shader_of<Pipeline>>;

}  // namespace riffle::gpu
