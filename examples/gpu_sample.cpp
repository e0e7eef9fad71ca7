// A chain on a Vulkan device, for an application that has none of its own: riffle opens one, copies rows there and runs
// the chain's first stages next to them. The tokens are the processor's, and without a device the processor gives them.

#include <cmath>
#include <cstdio>
#include <vector>

#include <riffle/gpu.hpp>

using namespace riffle;

// What a model would say: some words likelier than others, another few at every step.
std::vector<float> logits_of_step(int step) {
    std::vector<float> logits(32000);
    for (std::size_t i = 0; i < logits.size(); ++i) logits[i] = 4.0f * std::sin(float(i) * 0.37f + float(step));
    for (std::size_t i = 0; i < 40; ++i) logits[(i * 797 + std::size_t(step) * 31) % logits.size()] += 6.0f;
    return logits;
}

int main() {
    // [begin:gpu_sample]
    auto chain =
        penalties{.repeat = 1.1f} | top_k{.k = 40} | top_p{.p = 0.95f} | temperature{.t = 0.8f} | dist{.seed = 42};
    const gpu::device device({.allow_software = true});  // without this, a processor that plays the device is not taken
    gpu::sampler<decltype(chain)> on_device(device, {.vocabulary = 32000});
    if (!on_device.state().ok()) std::printf("the processor serves: %s\n", on_device.state().message().c_str());
    // [end:gpu_sample]
    if (device.state().ok()) std::printf("Twenty tokens, chosen on %s:\n", device.name());

    auto same = chain;  // on the processor
    int differ = 0;
    for (int step = 0; step < 20; ++step) {
        const auto logits = logits_of_step(step);
        // [begin:gpu_step]
        const token_id token = on_device.sample(chain, logits);  // as chain.sample(logits): chooses and accepts
        // [end:gpu_step]
        if (token == null_token) return std::printf("%s\n", chain.last_status().message().c_str()), 1;
        differ += token != same.sample(logits);
        std::printf("%d ", token);
    }
    std::printf("\n%d of 20 tokens differ from the processor's\n", differ);
    return differ != 0;
}
