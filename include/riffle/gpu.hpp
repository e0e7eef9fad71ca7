#pragma once
// Chains on a Vulkan device: modules as SPIR-V words, kernels for an application's own command buffers, and a device of
// riffle's own for those that have none. Needs <vulkan/vulkan_core.h> to compile, and links nothing.

#if !__has_include(<vulkan/vulkan_core.h>)
#include <riffle needs Vulkan's headers for riffle/gpu.hpp: Debian's libvulkan-dev, or KhronosGroup/Vulkan-Headers>
#endif
#include <riffle/gpu/host/dynamic_on_device.hpp>
#include <riffle/gpu/host/module_words.hpp>
#include <riffle/gpu/host/requests.hpp>
#include <riffle/gpu/kernels/emit.hpp>
#include <riffle/gpu/vulkan/device.hpp>
#include <riffle/gpu/vulkan/kernel.hpp>
#include <riffle/gpu/vulkan/sampler.hpp>
#include <riffle/riffle.hpp>
