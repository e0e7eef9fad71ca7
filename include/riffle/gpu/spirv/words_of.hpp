#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include <riffle/gpu/spirv/assembler.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::gpu::spirv {

namespace detail {

template <class Shader>
constexpr module_options options_of() noexcept {
    if constexpr (requires { Shader::options.module; }) return Shader::options.module;
    else return {};
}
template <class Shader>
consteval std::size_t count_words() {
    assembler code(options_of<Shader>());
    Shader::build(code);
    code.finish();
    return code.size();
}
template <class Shader>
consteval auto make_words() {
    std::array<std::uint32_t, count_words<Shader>()> words{};
    assembler code(options_of<Shader>());
    Shader::build(code);
    code.finish();
    code.write(words.data());
    return words;
}

}  // namespace detail

/// The module of a shader, made while the compiler runs: `Shader::build(assembler&)` writes it, with
/// Shader::options.module where there is one.
template <class Shader>
RIFFLE_LOCAL inline constexpr auto words_of = detail::make_words<Shader>();

}  // namespace riffle::gpu::spirv
