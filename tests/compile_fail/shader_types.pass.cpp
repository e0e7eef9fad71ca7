#include <riffle/gpu/spirv/values.hpp>

using namespace riffle::gpu::spirv;

constexpr u32 right(const f32& logit, const u32& id) { return u32(as_bits(logit)) + id; }
