#pragma once
#include "engine.hpp"

// The three ways. Each answers how many tokens differ from those of the processor, which is none.

/// With pipelines of the engine's own.
int by_own_pipeline(const engine::vulkan& v);
/// With riffle's kernel on the engine's device.
int by_kernel(const engine::vulkan& v);
/// With a device of riffle's own.
int by_sampler();
