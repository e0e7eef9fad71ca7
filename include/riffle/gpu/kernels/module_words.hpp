#pragma once
#include <cstdint>
#include <memory>
#include <new>
#include <span>

#include <riffle/gpu/kernels/emit.hpp>

namespace riffle::gpu {

/// Words of a module that were made when the program ran; none where the heap gave no memory.
class made_words {
public:
    made_words() noexcept = default;
    explicit made_words(const spirv::assembler& finished) noexcept {
        if (!finished.complete()) return;
        words_.reset(new (std::nothrow) std::uint32_t[finished.size()]);
        if (!words_) return;
        size_ = finished.size();
        finished.write(words_.get());
    }
    std::span<const std::uint32_t> span() const noexcept { return {words_.get(), size_}; }

private:
    std::unique_ptr<std::uint32_t[]> words_;
    std::size_t size_ = 0;
};

/// The chain's module, made now: for variants that a device asks for, and for maps that the compiler cannot run. 10 to
/// 100 microseconds.
template <class Pipeline>
made_words make_module_words(const kernel_options& options = {}) noexcept {
    spirv::assembler code(options.module);
    detail::shader_of<Pipeline>::build(code, options.tokens_at_once);
    code.finish();
    return made_words(code);
}

/// The chain's module: spirv_v, or where the compiler cannot run one of its maps, made once when the program first
/// asks.
template <class Pipeline>
std::span<const std::uint32_t> module_words() noexcept {
    if constexpr (!chain_on_device<Pipeline>::plan.is_useful()) {
        return {};
    } else if constexpr (detail::builds_while_compiling<detail::shader_of<Pipeline>>(0)) {
        return spirv_v<Pipeline>;
    } else {
        static const made_words made = make_module_words<Pipeline>();
        return made.span();
    }
}

}  // namespace riffle::gpu
