#include <riffle/riffle.hpp>

// Where there is Vulkan. Without its headers riffle/gpu.hpp says what to install: tests/checks/missing_packages.
#if __has_include(<vulkan/vulkan_core.h>)
#include <riffle/gpu.hpp>

riffle::gpu::device right({.allow_software = true});
#endif
