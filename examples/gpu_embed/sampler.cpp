// Without a Vulkan of one's own: gpu::sampler opens a device, copies rows there, and brings tokens back. It pays where
// logits are on the processor and the processor is busy; a chain there costs less than the copy.

#include <cmath>
#include <cstdio>
#include <vector>

#include "ways.hpp"

int by_sampler() {
    using namespace riffle;
    constexpr std::uint32_t vocabulary = 4000;
    auto chain = top_k{.k = 8} | temperature{.t = 0.7f} | dist{.seed = 7};
    auto on_processor = chain;
    // [begin:gpu_sampler]
    const gpu::device device({.allow_software = true});
    gpu::sampler<decltype(chain)> sampler(device, {.vocabulary = vocabulary, .room = 0});
    // [end:gpu_sampler]
    if (!sampler.state().ok()) std::printf("the processor serves: %s\n", sampler.state().message().c_str());
    std::vector<float> row(vocabulary);
    int differ = 0;
    for (int step = 0; step < 12; ++step) {
        for (std::uint32_t i = 0; i < vocabulary; ++i) row[i] = 6.0f * std::sin(float(i) * 0.11f + float(step));
        const token_id token = sampler.sample(chain, row);
        differ += token != on_processor.sample(row);
        std::printf("%5d", token);
    }
    std::printf("\n%d of 12 tokens differ from the processor's\n", differ);
    return differ;
}
