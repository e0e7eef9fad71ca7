#include <riffle/gpu/spirv/values.hpp>

using namespace riffle::gpu::spirv;

// A shader's types do not turn into each other by themselves, as the device's do not.
// expect: no match for 'operator\+'|invalid operands to binary expression
constexpr u32 wrong(const f32& logit, const u32& id) { return u32(as_bits(logit + id)); }
