// A chain in an engine's Vulkan, in three ways: as one more module of the engine's own pipelines, where a token never
// leaves the device between two steps; by riffle's kernel on the engine's device, with rows of float16 that are padded;
// and by a device of riffle's own. The tokens of each are the processor's.
// include/riffle/gpu/embedding.md says what to bind, where barriers stand and how large buffers are.

#include <cstdio>

#include "engine.hpp"
#include "ways.hpp"

int main() {
    engine::vulkan v;
    if (!v.open()) {
        std::printf("there is no Vulkan device here\n");
        v.close();
        return 0;
    }
    std::printf("a module of the engine's own pipelines, twelve tokens in one submission:\n");
    int differ = by_own_pipeline(v);
    std::printf("\nriffle's kernel on the engine's device, four characters a frame:\n");
    differ += by_kernel(v);
    v.close();
    std::printf("\na device of riffle's own:\n");
    differ += by_sampler();
    return differ != 0;
}
