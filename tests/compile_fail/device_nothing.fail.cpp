#include <riffle/gpu/kernels/emit.hpp>
#include <riffle/riffle.hpp>

// expect: riffle: the device has nothing to do for this chain; chain_on_device<...>::plan says why
constexpr auto& wrong = riffle::gpu::spirv_v<decltype(riffle::chain(riffle::tail_free{}, riffle::dist{}))>;
