#include <riffle/riffle.hpp>

// expect: device.* incomplete type|incomplete type .*device
// shows: in_riffle_gpu_hpp|#include <riffle/gpu.hpp>
riffle::gpu::device wrong({.allow_software = true});
