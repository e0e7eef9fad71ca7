#include <riffle/gpu/kernels/emit.hpp>
#include <riffle/riffle.hpp>

constexpr auto& right = riffle::gpu::spirv_v<decltype(riffle::chain(riffle::typical{}, riffle::dist{}))>;
