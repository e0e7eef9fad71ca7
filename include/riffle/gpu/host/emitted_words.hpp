#pragma once
#include <cstdint>
#include <memory>
#include <new>
#include <span>

#include <riffle/gpu/spirv/assembler.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// Words of a module that were made when the program ran; none where the heap gave no memory.
class emitted_words {
public:
    emitted_words() noexcept = default;
    explicit emitted_words(const spirv::assembler& finished) noexcept {
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

}  // namespace riffle::gpu
